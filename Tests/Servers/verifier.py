#!/usr/bin/env python3
"""A person who verifies others by short strings, over a homeserver; the arithmetic is vodozemac's.

Logs in, puts up device and cross-signing keys, and then takes steps, JSON objects one a line; each is answered with one line:

  {"do": "ask", "user": ID}                asks all devices of somebody, up to what is to be compared
  {"do": "ask", "user": ID, "room": ID}    asks in a room, in clear
  {"do": "room", "user": ID}               makes an encrypted chat with somebody, and waits until they are in it
  {"do": "wait"}                           waits to be asked, up to what is to be compared
  {"do": "answer", "same": true}           says whether it was the same, up to the end

With --store DIR the device is matrix-nio's, which encrypts in rooms; it has no cross-signing.

Answers: {"show": {"decimals": [...]}}, {"verified": {...}}, {"cancelled": {"code": ..., "reason": ...}}, {"error": ...}.
"""

import argparse
import asyncio
import base64
import hashlib
import json
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

import vodozemac as vz

PREFIX = "m.key.verification."


def canonical(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()


class Cancelled(Exception):
    def __init__(self, code, reason):
        self.code, self.reason = code, reason


class Person:
    def __init__(self, url, user, password):
        self.url, self.token, self.since, self.count = url, None, None, 0
        answer = self.call("POST", "/v3/login", {
            "type": "m.login.password", "identifier": {"type": "m.id.user", "user": user}, "password": password})
        self.token, self.me, self.device = answer["access_token"], answer["user_id"], answer["device_id"]
        self.account, self.master, own = vz.Account(), vz.Account(), vz.Account()
        self.device_key = self.account.ed25519_key.to_base64()
        keys = {
            "user_id": self.me, "device_id": self.device,
            "algorithms": ["m.olm.v1.curve25519-aes-sha2", "m.megolm.v1.aes-sha2"],
            "keys": {
                "ed25519:" + self.device: self.account.ed25519_key.to_base64(),
                "curve25519:" + self.device: self.account.curve25519_key.to_base64(),
            },
        }
        self.sign(keys, self.account, self.device)
        self.call("POST", "/v3/keys/upload", {"device_keys": keys})
        self.master_key = self.master.ed25519_key.to_base64()
        own_key = own.ed25519_key.to_base64()
        master = self.cross("master", self.master_key)
        mine = self.cross("self_signing", own_key)
        self.sign(mine, self.master, self.master_key)
        body = {"master_key": master, "self_signing_key": mine}
        auth = {"type": "m.login.password", "identifier": {"type": "m.id.user", "user": user}, "password": password}
        try:
            self.call("POST", "/v3/keys/device_signing/upload", body)
        except urllib.error.HTTPError as error:
            auth["session"] = json.loads(error.read())["session"]
            self.call("POST", "/v3/keys/device_signing/upload", dict(body, auth=auth))
        self.sign(keys, own, own_key)
        self.call("POST", "/v3/keys/signatures/upload", {self.me: {self.device: keys}})
        self.inbox = []
        self.sync(0)

    def cross(self, usage, key):
        return {"user_id": self.me, "usage": [usage], "keys": {"ed25519:" + key: key}}

    def sign(self, thing, by, name):
        bare = {k: v for k, v in thing.items() if k != "signatures"}
        signature = by.sign(canonical(bare)).to_base64()
        thing.setdefault("signatures", {}).setdefault(self.me, {})["ed25519:" + name] = signature

    def call(self, method, path, body=None):
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = "Bearer " + self.token
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + "/_matrix/client" + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read() or b"{}")

    def sync(self, wait):
        query = {"timeout": int(wait * 1000)}
        if self.since:
            query["since"] = self.since
        batch = self.call("GET", "/v3/sync?" + urllib.parse.urlencode(query))
        self.since = batch["next_batch"]
        for event in batch.get("to_device", {}).get("events", []):
            self.inbox.append((None, event))
        for room, joined in batch.get("rooms", {}).get("join", {}).items():
            for event in joined["timeline"]["events"]:
                if event["sender"] != self.me:
                    self.inbox.append((room, event))

    def send(self, kind, content, user, devices, room):
        self.count += 1
        name = "v%d.%d" % (time.time_ns(), self.count)
        if room:
            return self.call("PUT", "/v3/rooms/%s/send/%s/%s" % (urllib.parse.quote(room), kind, name), content)
        self.call("PUT", "/v3/sendToDevice/%s/%s" % (kind, name),
                  {"messages": {user: {device: content for device in devices}}})


class EncryptingPerson:
    """The same over matrix-nio, for encrypted rooms."""

    master_key = None

    def __init__(self, url, user, password, store):
        from nio import AsyncClient, AsyncClientConfig, Event

        self.loop, self.url, self.inbox, self.count = asyncio.new_event_loop(), url, [], 0
        asyncio.set_event_loop(self.loop)
        self.client = AsyncClient(url, user, store_path=store, config=AsyncClientConfig(encryption_enabled=True))
        self.run(self.client.login(password))
        self.me, self.device = self.client.user_id, self.client.device_id
        self.token = self.client.access_token
        self.run(self.client.keys_upload())
        self.run(self.client.sync(timeout=0, full_state=True))
        self.device_key = self.client.olm.account.identity_keys["ed25519"]
        self.client.add_event_callback(self.heard, Event)

    call = Person.call

    def run(self, work):
        return self.loop.run_until_complete(work)

    def heard(self, room, event):
        if event.sender != self.me:
            self.inbox.append((room.room_id, event.source))

    def sync(self, wait):
        self.run(self.client.sync(timeout=int(wait * 1000)))
        if self.client.should_query_keys:
            self.run(self.client.keys_query())

    def send(self, kind, content, user, devices, room):
        sent = self.run(self.client.room_send(room, kind, content, ignore_unverified_devices=True))
        return {"event_id": sent.event_id}

    def room(self, user):
        state = {"type": "m.room.encryption", "state_key": "", "content": {"algorithm": "m.megolm.v1.aes-sha2"}}
        made = self.run(self.client.room_create(is_direct=True, invite=[user], initial_state=[state]))
        until = time.monotonic() + 60
        while time.monotonic() < until:
            self.sync(2)
            room = self.client.rooms.get(made.room_id)
            if room and user in room.users and user not in room.invited_users and room.encrypted:
                return made.room_id
        raise AssertionError("%s did not come" % user)


class Verification:
    def __init__(self, person, user, room, patience=60):
        self.person, self.user, self.room = person, user, room
        self.device, self.devices, self.transaction = None, [], None
        self.until = time.monotonic() + patience

    def name(self, content):
        if self.room:
            content["m.relates_to"] = {"rel_type": "m.reference", "event_id": self.transaction}
        else:
            content["transaction_id"] = self.transaction
        return content

    def say(self, kind, content):
        content = self.name(content)
        self.person.send(PREFIX + kind, content, self.user, [self.device] if self.device else self.devices, self.room)
        return content

    def hear(self, *kinds):
        """The next message of this verification, which must be of these kinds."""
        while time.monotonic() < self.until:
            while self.person.inbox:
                room, event = self.person.inbox.pop(0)
                content = event["content"]
                mine = (content.get("m.relates_to", {}).get("event_id") if self.room
                        else content.get("transaction_id")) == self.transaction
                if not mine or room != self.room or not event["type"].startswith(PREFIX):
                    continue
                kind = event["type"][len(PREFIX):]
                if kind == "cancel":
                    raise Cancelled(content["code"], content["reason"])
                if kind in kinds:
                    return kind, content
                if kind == "start":  # ours is out too, and counts: its sender has the smaller name
                    continue
                raise AssertionError("%s where %s were expected" % (kind, kinds))
            self.person.sync(5)
        raise AssertionError("nothing came of %s" % (kinds,))

    def ask(self):
        keys = self.person.call("POST", "/v3/keys/query", {"device_keys": {self.user: []}})
        self.devices = list(keys["device_keys"][self.user])
        content = {"from_device": self.person.device, "methods": ["m.sas.v1"]}
        if self.room:
            content.update(msgtype=PREFIX + "request", to=self.user, body="verify me")
            self.transaction = self.person.send("m.room.message", content, None, None, self.room)["event_id"]
        else:
            self.transaction = "v%d" % time.time_ns()
            content["timestamp"] = time.time_ns() // 1000000
            self.say("request", content)
        _, ready = self.hear("ready")
        self.device = ready["from_device"]
        _, start = self.hear("start")
        self.answer_start(start)

    def wait(self):
        person = self.person
        while time.monotonic() < self.until and not self.transaction:
            for room, event in person.inbox:
                content = event["content"]
                if event["type"] == PREFIX + "request" or content.get("msgtype") == PREFIX + "request":
                    self.user, self.room, self.device = event["sender"], room, content["from_device"]
                    self.transaction = event["event_id"] if room else content["transaction_id"]
            if not self.transaction:
                person.inbox.clear()
                person.sync(5)
        assert self.transaction, "nobody asked"
        person.inbox = [(r, e) for r, e in person.inbox if not e["type"].endswith("request")]
        self.say("ready", {"from_device": person.device, "methods": ["m.sas.v1"]})
        _, start = self.hear("start")
        self.answer_start(start)

    def answer_start(self, start):
        sas = vz.Sas()
        key = sas.public_key.to_base64()
        digest = hashlib.sha256(key.encode() + canonical(start)).digest()
        self.say("accept", {
            "method": "m.sas.v1", "key_agreement_protocol": "curve25519-hkdf-sha256", "hash": "sha256",
            "message_authentication_code": "hkdf-hmac-sha256.v2", "short_authentication_string": ["decimal", "emoji"],
            "commitment": base64.b64encode(digest).decode().rstrip("=")})
        _, theirs = self.hear("key")
        self.say("key", {"key": key})
        self.sas = sas.diffie_hellman(vz.Curve25519PublicKey.from_base64(theirs["key"]))
        person = self.person
        info = "|".join(["MATRIX_KEY_VERIFICATION_SAS", self.user, self.device, theirs["key"], person.me,
                         person.device, key, self.transaction])
        self.string = self.sas.bytes(info)

    def mac(self, message, key, ours):
        person = self.person
        parts = [person.me, person.device, self.user, self.device]
        if not ours:
            parts = parts[2:] + parts[:2]
        info = "MATRIX_KEY_VERIFICATION_MAC" + "".join(parts) + self.transaction + key
        return self.sas.calculate_mac(message, info)

    def answer(self, same):
        if not same:
            self.say("cancel", {"code": "m.mismatched_sas", "reason": "they differ"})
            return {"cancelled": {"code": "m.mismatched_sas", "reason": "they differ"}}
        person = self.person
        own = {"ed25519:" + person.device: person.device_key}
        if person.master_key:
            own["ed25519:" + person.master_key] = person.master_key
        self.say("mac", {
            "mac": {key: self.mac(value, key, True) for key, value in own.items()},
            "keys": self.mac(",".join(sorted(own)), "KEY_IDS", True)})
        _, theirs = self.hear("mac")
        if theirs["keys"] != self.mac(",".join(sorted(theirs["mac"])), "KEY_IDS", False):
            raise AssertionError("the list of keys is another")
        told = person.call("POST", "/v3/keys/query", {"device_keys": {self.user: []}})
        known = dict(told["device_keys"][self.user][self.device]["keys"])
        known.update(told.get("master_keys", {}).get(self.user, {}).get("keys", {}))
        for key, code in theirs["mac"].items():
            if code != self.mac(known[key], key, False):
                raise AssertionError("%s is another" % key)
        self.say("done", {})
        self.hear("done")
        return {"verified": {"device": self.device, "keys": sorted(theirs["mac"]),
                             "hasMaster": any(k in theirs["mac"] for k in
                                              told.get("master_keys", {}).get(self.user, {}).get("keys", {}))}}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("url", "user", "password"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--store")
    options = parser.parse_args()
    url = options.url.rstrip("/")
    if options.store:
        person = EncryptingPerson(url, options.user, options.password, options.store)
    else:
        person = Person(url, options.user, options.password)
    print(json.dumps({"user": person.me, "device": person.device, "master": person.master_key}), flush=True)
    verification = None
    for line in sys.stdin:
        step = json.loads(line)
        try:
            if step["do"] == "room":
                answer = {"room": person.room(step["user"])}
            elif step["do"] == "answer":
                answer = verification.answer(step["same"])
            else:
                verification = Verification(person, step.get("user"), step.get("room"))
                verification.ask() if step["do"] == "ask" else verification.wait()
                answer = {"show": {"decimals": list(verification.string.decimals)}}
        except Cancelled as end:
            answer = {"cancelled": {"code": end.code, "reason": end.reason}}
        except Exception as error:  # the test says what it expected
            answer = {"error": "%s: %s" % (type(error).__name__, error)}
        print(json.dumps(answer), flush=True)


main()
