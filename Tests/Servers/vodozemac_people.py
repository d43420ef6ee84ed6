#!/usr/bin/env python3
"""People with several devices each, whose cryptography is vodozemac: the other side of the machine's property test.

Each line of standard input is a JSON array: the name of a step and its arguments. Each is answered with one line, the
step's result or {"error": "..."}. A device does what a client does: signs its keys, keeps Olm sessions, shares the key of
its session in a room, reads what others shared with it.
"""

import base64
import json
import sys

import vodozemac as vz

OLM = "m.olm.v1.curve25519-aes-sha2"
MEGOLM = "m.megolm.v1.aes-sha2"
devices = {}


def b64(raw):
    return base64.b64encode(bytes(raw)).decode().rstrip("=")


def unb64(text):
    return base64.b64decode(text + "=" * (-len(text) % 4))


def canonical(thing):
    return json.dumps(thing, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()


def curve(key):
    return vz.Curve25519PublicKey.from_base64(key)


class Device:
    def __init__(self, user, name):
        self.user, self.name = user, name
        self.account = vz.Account()
        self.curve25519 = self.account.curve25519_key.to_base64()
        self.ed25519 = self.account.ed25519_key.to_base64()
        self.sessions = {}  # by the other's Curve25519 key, last used first
        self.keys = {}  # by room, session and sender
        self.rooms = {}  # our session in a room, and with whom it is shared

    def signed(self, thing):
        signature = self.account.sign(canonical(thing)).to_base64()
        return dict(thing, signatures={self.user: {"ed25519:" + self.name: signature}})

    def device_keys(self):
        return self.signed({
            "user_id": self.user, "device_id": self.name, "algorithms": [OLM, MEGOLM],
            "keys": {"ed25519:" + self.name: self.ed25519, "curve25519:" + self.name: self.curve25519},
        })

    def one_time_keys(self, count):
        self.account.generate_one_time_keys(count)
        keys = {"signed_curve25519:" + i: self.signed({"key": k.to_base64()})
                for i, k in self.account.one_time_keys.items()}
        self.account.mark_keys_as_published()
        return keys

    def seal(self, kind, content, to):
        session = self.sessions[to["curve25519"]][0]
        plain = {
            "type": kind, "content": content, "sender": self.user, "keys": {"ed25519": self.ed25519},
            "recipient": to["user"], "recipient_keys": {"ed25519": to["ed25519"]},
            "sender_device_keys": self.device_keys(),
        }
        number, body = session.encrypt(json.dumps(plain).encode()).to_parts()
        return {"algorithm": OLM, "sender_key": self.curve25519,
                "ciphertext": {to["curve25519"]: {"type": number, "body": b64(body)}}}

    def open(self, sender, content):
        """The plaintext of an Olm event, with the checks of the specification."""
        key, part = content["sender_key"], content["ciphertext"][self.curve25519]
        known = self.sessions.setdefault(key, [])
        plain = None
        if part["type"] == 0:
            message = vz.PreKeyMessage.from_base64(part["body"])
            for session in known:
                if session.session_matches(message):
                    plain = session.decrypt(message.to_any()) if hasattr(message, "to_any") else session.decrypt(
                        vz.AnyOlmMessage.from_parts(0, unb64(part["body"])))
                    break
            else:
                session, plain = self.account.create_inbound_session(curve(key), message)
        else:
            message = vz.AnyOlmMessage.from_parts(part["type"], unb64(part["body"]))
            for session in known:
                try:
                    plain = session.decrypt(message)
                    break
                except Exception:
                    continue
            if plain is None:
                raise ValueError("no session reads it")
        self.sessions[key] = [session] + [other for other in known if other is not session]
        event = json.loads(bytes(plain))
        assert event["sender"] == sender and event["recipient"] == self.user
        assert event["recipient_keys"]["ed25519"] == self.ed25519
        if "sender_device_keys" in event:
            told = event["sender_device_keys"]
            name = "ed25519:" + told["device_id"]
            assert told["user_id"] == sender and told["keys"]["curve25519:" + told["device_id"]] == key
            assert told["keys"][name] == event["keys"]["ed25519"]
            bare = {k: v for k, v in told.items() if k not in ("signatures", "unsigned")}
            vz.Ed25519PublicKey.from_base64(told["keys"][name]).verify_signature(
                canonical(bare), vz.Ed25519Signature.from_base64(told["signatures"][sender][name]))
        return event

    def read(self, room, sender, content):
        session = self.keys.get((room, content["session_id"], sender))
        if session is None:
            return None
        try:
            plain = json.loads(bytes(session.decrypt(vz.MegolmMessage.from_base64(content["ciphertext"])).plaintext))
        except Exception:
            return None
        return plain["content"]["body"] if plain["room_id"] == room else None


def device(user, name):
    made = devices[name] = Device(user, name)
    made.account.generate_fallback_key()
    fallback = {"signed_curve25519:" + i: made.signed({"key": k.to_base64(), "fallback": True})
                for i, k in made.account.fallback_key.items()}
    return {"device_keys": made.device_keys(), "one_time_keys": made.one_time_keys(20), "fallback_keys": fallback}


def refill(name, count):
    return devices[name].one_time_keys(count)


def has_session(name, key):
    return bool(devices[name].sessions.get(key))


def begin_session(name, to, claimed):
    """A session with a key that was claimed; its signature is checked."""
    ours = devices[name]
    bare = {k: v for k, v in claimed.items() if k not in ("signatures", "unsigned")}
    signature = claimed["signatures"][to["user"]]["ed25519:" + to["device"]]
    vz.Ed25519PublicKey.from_base64(to["ed25519"]).verify_signature(
        canonical(bare), vz.Ed25519Signature.from_base64(signature))
    made = ours.account.create_outbound_session(curve(to["curve25519"]), curve(claimed["key"]))
    ours.sessions.setdefault(to["curve25519"], []).insert(0, made)


def forget_sessions(name, key):
    devices[name].sessions.pop(key, None)


def write(name, room, text, to, rotates, shares):
    """A message, and with it the key for those who don't have it yet."""
    ours = devices[name]
    if rotates or room not in ours.rooms:
        ours.rooms[room] = [vz.GroupSession(), False]
    group, is_shared = ours.rooms[room]
    key = None
    if shares and not is_shared:
        key = ours.seal("m.room_key", {
            "algorithm": MEGOLM, "room_id": room, "session_id": group.session_id,
            "session_key": group.session_key.to_base64(),
        }, to)
        ours.rooms[room][1] = True
    plain = {"type": "m.room.message", "room_id": room, "content": {"msgtype": "m.text", "body": text}}
    index = group.message_index
    content = {"algorithm": MEGOLM, "sender_key": ours.curve25519, "device_id": name,
               "session_id": group.session_id, "ciphertext": group.encrypt(json.dumps(plain).encode()).to_base64()}
    return {"content": content, "index": index, "key": key}


def receive(name, events):
    """To-device events; what could not be read is counted."""
    ours = devices[name]
    answer = {"unread": 0, "withheld": []}
    for event in events:
        if event["type"] == "m.room_key.withheld":
            answer["withheld"].append(event["content"].get("code"))
        if event["type"] != "m.room.encrypted":
            continue
        try:
            inner = ours.open(event["sender"], event["content"])
        except Exception as error:
            answer["unread"] += 1
            answer["why"] = "%s: %s" % (type(error).__name__, error)
            continue
        if inner["type"] == "m.room_key":
            content = inner["content"]
            session = vz.InboundGroupSession(vz.SessionKey(content["session_key"]))
            assert session.session_id == content["session_id"]
            place = (content["room_id"], content["session_id"], event["sender"])
            known = ours.keys.get(place)
            if known is None or session.first_known_index < known.first_known_index:
                ours.keys[place] = session
    return answer


def read_all(room, sender, content):
    """Who can read a message, of everybody there ever was, and what."""
    read = {name: some.read(room, sender, content) for name, some in devices.items()}
    return {name: text for name, text in read.items() if text is not None}


STEPS = {
    step.__name__: step
    for step in (device, refill, has_session, begin_session, forget_sessions, write, receive, read_all)
}

for line in sys.stdin:
    try:
        name, *arguments = json.loads(line)
        answer = STEPS[name](*arguments)
    except Exception as error:  # the test says what it expected
        answer = {"error": "%s: %s" % (type(error).__name__, error)}
    print(json.dumps(answer), flush=True)
