#!/usr/bin/env python3
"""A homeserver with the OAuth 2.0 API on 127.0.0.1, in the shapes of the specification: no packaged server here has it.

    oauth_homeserver.py [--lifetime SECONDS] [--port PORT]

Prints KEY=VALUE lines and READY, and ends when standard input ends. One room, with @ada:oauth.test and, once its device is
signed in, @gifbot:oauth.test. Only what the program asks for is there; all else is M_UNRECOGNIZED.

    GET  /_matrix/client/v1/auth_metadata        RFC 8414
    POST /oauth/register, /oauth/device, /oauth/token     RFC 7591, 8628, 6749; refresh tokens rotate
    GET  /_test/state                            what was asked and sent so far, as JSON
    POST /_test/agree, /_test/deny               {"user_code": CODE}: what the person at the page does
    POST /_test/say                              {"body": TEXT}: a message of ada's
    POST /_test/forget                           the session is ended, as at the account's own page
    POST /_test/lose                             the answer to the next refresh gets lost on its way

An access token ends after --lifetime. A refresh token holds until the pair that it led to is used ("Refreshing access
tokens"); who shows an older one loses the session.
"""

import argparse
import json
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, unquote, urlsplit

HOST, ROOM = "127.0.0.1", "!lab:oauth.test"
ADA, BOT = "@ada:oauth.test", "@gifbot:oauth.test"
DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
SCOPE = re.compile(r"urn:matrix:client:api:\* urn:matrix:client:device:([A-Za-z0-9._~-]{10,})")


class World:
    def __init__(self, lifetime):
        self.lifetime, self.base = lifetime, ""
        self.changed = threading.Condition()
        self.clients, self.codes, self.pairs = {}, {}, []
        self.numbers = 0
        self.loses = False
        self.log = {"registrations": [], "polls": [], "too_fast": 0, "refreshes": 0, "stale": 0, "refused": 0, "syncs": 0,
                    "sent": [], "receipts": [], "typing": []}
        self.transactions = {}
        self.events = []
        for kind, key, content in (
                ("m.room.create", "", {"room_version": "11"}),
                ("m.room.member", ADA, {"membership": "join"}), ("m.room.member", BOT, {"membership": "join"})):
            self.add(ADA if key != BOT else BOT, kind, content, key)

    def unique(self, name):
        self.numbers += 1
        return "%s_%d_%d" % (name, self.numbers, time.time_ns())

    def add(self, sender, kind, content, key=None):
        with self.changed:
            event = {"type": kind, "sender": sender, "content": content, "event_id": "$" + self.unique("event"),
                     "origin_server_ts": int(time.time() * 1000)}
            if key is not None:
                event["state_key"] = key
            self.events.append(event)
            self.changed.notify_all()
            return event["event_id"]

    def new_pair(self, device, before=None):
        pair = {"access": self.unique("mat_access"), "refresh": self.unique("mat_refresh"), "device": device,
                "ends": time.monotonic() + self.lifetime, "before": before, "is_used": False, "is_over": False}
        self.pairs.append(pair)
        return {"access_token": pair["access"], "refresh_token": pair["refresh"], "token_type": "Bearer",
                "expires_in": self.lifetime, "scope": "urn:matrix:client:api:* urn:matrix:client:device:" + device}

    def use(self, pair):
        """From now on what led to it is worth nothing."""
        pair["is_used"] = True
        if pair["before"]:
            pair["before"]["is_over"] = True


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "lab", ""
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, status, code, **more):
        self.answer(status, {"errcode": code, "error": "lab: " + code, **more})

    def oauth_error(self, code, status=400):
        self.answer(status, {"error": code, "error_description": "lab: " + code})

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    # -- routes

    def do_GET(self):
        url = urlsplit(self.path)
        if url.path == "/_test/state":
            with self.world.changed:
                return self.answer(200, {**self.world.log, "pairs": len(self.world.pairs)})
        if url.path == "/_matrix/client/versions":
            return self.answer(200, {"versions": ["v1.1", "v1.11", "v1.15", "v1.18"]})
        if url.path == "/_matrix/client/v1/auth_metadata":
            return self.answer(200, self.metadata())
        return self.client("GET", url, None)

    def do_PUT(self):
        body = self.body()
        return self.client("PUT", urlsplit(self.path), json.loads(body or b"{}"))

    def do_POST(self):
        body, url = self.body(), urlsplit(self.path)
        if url.path.startswith("/_test/"):
            return self.test(url.path[len("/_test/"):], json.loads(body or b"{}"))
        if url.path == "/oauth/register":
            return self.register(json.loads(body))
        if url.path in ("/oauth/device", "/oauth/token"):
            if self.headers.get("Content-Type", "").split(";")[0] != "application/x-www-form-urlencoded":
                return self.oauth_error("invalid_request")
            form = dict(parse_qsl(body.decode(), keep_blank_values=True))
            return self.device(form) if url.path == "/oauth/device" else self.token(form)
        return self.client("POST", url, json.loads(body or b"{}"))

    def test(self, what, value):
        world = self.world
        with world.changed:
            if what in ("agree", "deny"):
                for code in world.codes.values():
                    if code["user_code"] == value["user_code"]:
                        code["verdict"] = what
            elif what == "forget":
                for pair in world.pairs:
                    pair["is_over"] = True
                    pair["ends"] = 0
                world.changed.notify_all()
            elif what == "lose":
                world.loses = True
        if what == "say":
            return self.answer(200, {"event_id": world.add(ADA, "m.room.message", {"msgtype": "m.text", **value})})
        return self.answer(200, {})

    # -- OAuth 2.0

    def metadata(self):
        base = self.world.base
        return {
            "issuer": base + "/", "authorization_endpoint": base + "/oauth/authorize",
            "token_endpoint": base + "/oauth/token", "registration_endpoint": base + "/oauth/register",
            "revocation_endpoint": base + "/oauth/revoke", "device_authorization_endpoint": base + "/oauth/device",
            "response_types_supported": ["code"], "response_modes_supported": ["query", "fragment"],
            "grant_types_supported": ["authorization_code", "refresh_token", DEVICE_GRANT],
            "code_challenge_methods_supported": ["S256"], "account_management_uri": base + "/account",
        }

    def register(self, wanted):
        grants = wanted.get("grant_types", ["authorization_code"])
        if not wanted.get("client_uri", "").startswith("https://") or DEVICE_GRANT not in grants \
                or "refresh_token" not in grants or wanted.get("token_endpoint_auth_method") != "none":
            return self.oauth_error("invalid_client_metadata")
        with self.world.changed:
            client = self.world.unique("client")
            self.world.clients[client] = wanted
            self.world.log["registrations"].append(wanted)
        return self.answer(201, {**wanted, "client_id": client, "client_id_issued_at": int(time.time())})

    def device(self, form):
        scope = SCOPE.fullmatch(form.get("scope", ""))
        if form.get("client_id") not in self.world.clients:
            return self.oauth_error("invalid_client", 401)
        if not scope:
            return self.oauth_error("invalid_scope")
        with self.world.changed:
            name, user_code = self.world.unique("device_code"), "LAB-%04d" % (len(self.world.codes) + 1)
            self.world.codes[name] = {
                "user_code": user_code, "device": scope[1], "client": form["client_id"], "interval": 1, "asked": None,
                "verdict": None, "slowed": False}
        page = self.world.base + "/link"
        return self.answer(200, {
            "device_code": name, "user_code": user_code, "verification_uri": page,
            "verification_uri_complete": page + "?code=" + user_code, "expires_in": 120, "interval": 1})

    def token(self, form):
        with self.world.changed:
            if form.get("client_id") not in self.world.clients:
                return self.oauth_error("invalid_client", 401)
            if form.get("grant_type") == DEVICE_GRANT:
                return self.poll(form)
            if form.get("grant_type") == "refresh_token":
                return self.refresh(form)
        return self.oauth_error("unsupported_grant_type")

    def poll(self, form):
        log, code, now = self.world.log, self.world.codes.get(form.get("device_code")), time.monotonic()
        if not code or code["client"] != form["client_id"]:
            return self.oauth_error("invalid_grant")
        if code["asked"] and now < code["asked"] + code["interval"]:
            log["too_fast"] += 1
        code["asked"] = now
        if code["verdict"] == "deny":
            verdict = "access_denied"
        elif code["verdict"] == "agree":
            verdict = None
            self.world.codes.pop(form["device_code"])
        elif log["polls"] and not code["slowed"]:
            code["slowed"], code["interval"], verdict = True, code["interval"] + 5, "slow_down"
        else:
            verdict = "authorization_pending"
        log["polls"].append(verdict or "token")
        return self.oauth_error(verdict) if verdict else self.answer(200, self.world.new_pair(code["device"]))

    def refresh(self, form):
        world, shown = self.world, form.get("refresh_token")
        pair = next((one for one in world.pairs if one["refresh"] == shown), None)
        if not pair or pair["is_over"]:
            # Somebody has a copy: the session ends for everybody (RFC 9700 section 4.14.2).
            world.log["stale"] += 1
            for one in world.pairs if pair else []:
                one["is_over"], one["ends"] = True, 0
            return self.oauth_error("invalid_grant")
        world.use(pair)
        for one in world.pairs:
            if one["before"] is pair and not one["is_used"]:
                one["is_over"], one["ends"] = True, 0
        world.log["refreshes"] += 1
        answer = world.new_pair(pair["device"], pair)
        if world.loses:
            world.loses, self.close_connection = False, True
            return None
        return self.answer(200, answer)

    # -- the client-server API

    def signed_in(self):
        """The pair whose access token came; None after a refusal."""
        kind, _, token = self.headers.get("Authorization", "").partition(" ")
        with self.world.changed:
            pair = next((one for one in self.world.pairs if kind == "Bearer" and one["access"] == token), None)
            if pair and not pair["is_over"] and pair["ends"] > time.monotonic():
                self.world.use(pair)
                return pair
            self.world.log["refused"] += 1
        self.refuse(401, "M_UNKNOWN_TOKEN", soft_logout=bool(pair and not pair["is_over"]))
        return None

    def client(self, method, url, value):
        pair = self.signed_in()
        if not pair:
            return None
        path = [unquote(part) for part in url.path.split("/")[2:]]
        log = self.world.log
        if path[1:] == ["v3", "account", "whoami"]:
            return self.answer(200, {"user_id": BOT, "device_id": pair["device"], "is_guest": False})
        if path[1:] == ["v3", "sync"]:
            return self.sync(dict(parse_qsl(url.query)))
        if path[1:3] == ["v3", "profile"]:
            return self.answer(200, {"displayname": "gifbot"} if method == "GET" else {})
        if path[1:4] != ["v3", "rooms", ROOM]:
            return self.refuse(404, "M_UNRECOGNIZED")
        if path[4] == "joined_members":
            return self.answer(200, {"joined": {ADA: {}, BOT: {}, "@bo:oauth.test": {}}})
        if method == "PUT" and path[4] == "send":
            with self.world.changed:
                known = self.world.transactions.get((pair["device"], path[6]))
            event = known or self.world.add(BOT, path[5], value)
            with self.world.changed:
                self.world.transactions[(pair["device"], path[6])] = event
                if not known:
                    log["sent"].append(value)
            return self.answer(200, {"event_id": event})
        if path[4] in ("typing", "receipt"):
            with self.world.changed:
                log["typing" if path[4] == "typing" else "receipts"].append(value)
            return self.answer(200, {})
        return self.refuse(404, "M_UNRECOGNIZED")

    def sync(self, query):
        world = self.world
        end = time.monotonic() + int(query.get("timeout", 0)) / 1000
        since = int(query["since"][1:]) if "since" in query else None
        with world.changed:
            world.log["syncs"] += since is not None
            while since is not None and len(world.events) <= since and time.monotonic() < end:
                world.changed.wait(end - time.monotonic())
            all_state = since is None or query.get("full_state") == "true"
            state = [e for e in world.events if "state_key" in e] if all_state else []
            news = [e for e in world.events[since or 0:] if "state_key" not in e]
            now = int(time.time() * 1000)
            news = [{**e, "unsigned": {"age": now - e["origin_server_ts"]}} for e in news]
            room = {"state": {"events": state}, "timeline": {"events": news, "limited": False, "prev_batch": "p"},
                    "summary": {"m.joined_member_count": 3, "m.invited_member_count": 0} if all_state else {}}
            return self.answer(200, {"next_batch": "s%d" % len(world.events), "rooms": {"join": {ROOM: room}}})


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass  # a client that went away is no news


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lifetime", type=int, default=300, help="of an access token, in seconds")
    parser.add_argument("--port", type=int, default=0)
    args = parser.parse_args()
    Handler.world = World(args.lifetime)
    server = Server((HOST, args.port), Handler)
    Handler.world.base = f"http://{HOST}:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"URL={Handler.world.base}\nUSER={BOT}\nREADY", flush=True)
    sys.stdin.buffer.read()


if __name__ == "__main__":
    main()
