#!/usr/bin/env python3
"""The other side of the cryptography's tests: vodozemac, driven line by line.

Each line of standard input is a JSON array: the name of a step and its arguments. Each is answered with one line, the
step's result or {"error": "..."}. Objects are kept under the names that the steps give them. All bytes are text in
unpadded base64, plaintexts too.
"""

import base64
import json
import sys

import vodozemac as vz

kept = {}


def b64(raw):
    return base64.b64encode(bytes(raw)).decode().rstrip("=")


def unb64(text):
    return base64.b64decode(text + "=" * (-len(text) % 4))


def account(name):
    kept[name] = made = vz.Account()
    return {"curve25519": made.curve25519_key.to_base64(), "ed25519": made.ed25519_key.to_base64()}


def one_time_keys(name, count):
    kept[name].generate_one_time_keys(count)
    keys = [key.to_base64() for key in kept[name].one_time_keys.values()]
    kept[name].mark_keys_as_published()
    return keys


def sign(name, message):
    return kept[name].sign(unb64(message)).to_base64()


def verify(key, message, signature):
    try:
        vz.Ed25519PublicKey.from_base64(key).verify_signature(unb64(message), vz.Ed25519Signature.from_base64(signature))
        return True
    except vz.SignatureException:
        return False


def begin_session(name, of, identity, one_time):
    curve = vz.Curve25519PublicKey.from_base64
    kept[name] = kept[of].create_outbound_session(curve(identity), curve(one_time))
    return kept[name].session_id


def accept_session(name, of, identity, body):
    message = vz.PreKeyMessage.from_base64(body)
    kept[name], plain = kept[of].create_inbound_session(vz.Curve25519PublicKey.from_base64(identity), message)
    return {"id": kept[name].session_id, "plain": b64(plain)}


def encrypt(name, plain):
    kind, body = kept[name].encrypt(unb64(plain)).to_parts()
    return {"type": kind, "body": b64(body)}


def decrypt(name, kind, body):
    return b64(kept[name].decrypt(vz.AnyOlmMessage.from_parts(kind, unb64(body))))


def group(name):
    kept[name] = made = vz.GroupSession()
    return {"id": made.session_id, "key": made.session_key.to_base64()}


def group_encrypt(name, plain):
    return kept[name].encrypt(unb64(plain)).to_base64()


def join_group(name, key):
    kept[name] = vz.InboundGroupSession(vz.SessionKey(key))
    return kept[name].session_id


def group_decrypt(name, body):
    read = kept[name].decrypt(vz.MegolmMessage.from_base64(body))
    return {"plain": b64(read.plaintext), "index": read.message_index}


def sas(name):
    kept[name] = vz.Sas()
    return kept[name].public_key.to_base64()


def sas_agree(name, key):
    kept[name] = kept[name].diffie_hellman(vz.Curve25519PublicKey.from_base64(key))


def sas_emoji(name, info):
    made = kept[name].bytes(info)
    return {"emoji": list(made.emoji_indices), "decimals": list(made.decimals)}


def sas_mac(name, message, info):
    return kept[name].calculate_mac(message, info)


def open_pickle(text, key):
    """What libolm left behind, taken over."""
    return vz.Account.from_libolm_pickle(text, unb64(key)).ed25519_key.to_base64()


def encrypt_file(plain):
    """As matrix-nio does it for what it uploads."""
    from nio.crypto.attachments import encrypt_attachment

    cipher, keys = encrypt_attachment(unb64(plain))
    return {"cipher": b64(cipher), "file": keys}


def decrypt_file(cipher, key, hash, iv):
    from nio.crypto.attachments import decrypt_attachment

    return b64(decrypt_attachment(unb64(cipher), key, hash, iv))


STEPS = {
    step.__name__: step
    for step in (
        account, one_time_keys, sign, verify, begin_session, accept_session, encrypt, decrypt, group, group_encrypt,
        join_group, group_decrypt, sas, sas_agree, sas_emoji, sas_mac, open_pickle, encrypt_file, decrypt_file,
    )
}

for line in sys.stdin:
    try:
        name, *arguments = json.loads(line)
        answer = STEPS[name](*arguments)
    except Exception as error:  # the test says what it expected
        answer = {"error": "%s: %s" % (type(error).__name__, error)}
    print(json.dumps(answer), flush=True)
