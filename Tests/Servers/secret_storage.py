"""Opens an account's secret storage with its recovery key, by another implementation than gifbot's, and compares what is in
it with the keys that the homeserver tells.

    secret_storage.py --url URL --user ID --password WORD --recovery-key TEXT

One line of JSON: which device of the account is signed by the account, and which secrets open and are the right ones.
"""

import argparse
import base64
import hmac
import json
import urllib.error
import urllib.parse
import urllib.request

import signedjson.key
import signedjson.sign
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

DIGITS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def call(method, url, token=None, body=None):
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = "Bearer " + token
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        return {"status": error.code, **json.load(error)}


def unpadded(text):
    return base64.b64decode(text + "=" * (-len(text) % 4))


def recovery_key(text):
    number = 0
    for digit in "".join(text.split()):
        number = number * 58 + DIGITS.index(digit)
    raw = number.to_bytes(35, "big")
    parity = 0
    for byte in raw:
        parity ^= byte
    assert raw[:2] == b"\x8b\x01" and parity == 0, "no recovery key"
    return raw[2:34]


def keys_for(key, name):
    prk = hmac.digest(bytes(32), key, "sha256")
    first = hmac.digest(prk, name.encode() + b"\x01", "sha256")
    return first, hmac.digest(prk, first + name.encode() + b"\x02", "sha256")


def crypt(key, iv, data):
    cipher = Cipher(algorithms.AES(key), modes.CTR(iv)).encryptor()
    return cipher.update(data) + cipher.finalize()


def opened(key, name, sealed):
    aes, mac = keys_for(key, name)
    data = unpadded(sealed["ciphertext"])
    if not hmac.compare_digest(hmac.digest(mac, data, "sha256"), unpadded(sealed["mac"])):
        return None
    return crypt(aes, unpadded(sealed["iv"]), data)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    for name in ["url", "user", "password", "recovery-key"]:
        options.add_argument("--" + name, required=True)
    given = options.parse_args()
    base = given.url + "/_matrix/client/v3"
    user = given.user
    login = call("POST", base + "/login", body={
        "type": "m.login.password", "identifier": {"type": "m.id.user", "user": user}, "password": given.password})
    token = login["access_token"]

    def data(kind):
        path = "/user/{}/account_data/{}".format(urllib.parse.quote(user), urllib.parse.quote(kind))
        return call("GET", base + path, token)

    told = call("POST", base + "/keys/query", token, {"device_keys": {user: []}})
    public = {}
    for usage in ["master", "self_signing", "user_signing"]:
        keys = told.get(usage + "_keys", {}).get(user, {}).get("keys", {})
        public[usage] = next(iter(keys.values()), None)
    verify = signedjson.key.decode_verify_key_bytes("ed25519:" + public["self_signing"], unpadded(public["self_signing"]))
    signed = []
    for name, device in told["device_keys"].get(user, {}).items():
        try:
            signedjson.sign.verify_signed_json(device, user, verify)
            signed.append(name)
        except signedjson.sign.SignatureVerifyException:
            pass

    key = recovery_key(given.recovery_key)
    name = data("m.secret_storage.default_key").get("key")
    description = data("m.secret_storage.key." + name)
    aes, mac = keys_for(key, "")
    zeros = crypt(aes, unpadded(description["iv"]), bytes(32))
    fits = hmac.digest(mac, zeros, "sha256") == unpadded(description["mac"])
    right = []
    for usage, wanted in public.items():
        kind = "m.cross_signing." + usage
        seed = opened(key, kind, data(kind)["encrypted"][name])
        made = signedjson.key.decode_signing_key_base64("ed25519", "x", seed.decode()) if seed else None
        if made and signedjson.key.encode_verify_key_base64(made.verify_key) == wanted:
            right.append(usage)
    call("POST", base + "/logout", token, {})
    print(json.dumps({"signed_devices": signed, "key_fits": fits, "right_secrets": right, "master": public["master"]}))


main()
