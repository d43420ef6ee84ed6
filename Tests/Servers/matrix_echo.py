#!/usr/bin/env python3
"""Measures gifbot on Synapse against an echo that answers every command at once over raw HTTP.

    matrix_echo.py GIFBOT SERVERS [--rounds 50]

GIFBOT is the release program, SERVERS the folder that Tests/Servers/fetch.sh has filled. In one run, taking turns: the echo, a
link answer, and an image answer of a GIF seen before, each from the start of the person's send until the answer is in the
person's sync. Then, against a stand-in that knows no waiting, the time from the event in gifbot's hands to its request. One
line each; nothing else has to be installed.
"""

import argparse
import http.client
import http.server
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
HOMESERVER = HERE / "homeserver.py"
NO_LIMITS = "{user: off, channel: off, user_in_channel: off, network: off, global: off}"


def quote(text):
    return urllib.parse.quote(text, safe="")


class Account:
    """One user, over connections that are kept: one for calls, one for its sync."""

    def __init__(self, url, name):
        self.host = url.split("//")[1].rstrip("/")
        self.connections = {}
        login = self.call("POST", "/login", {
            "type": "m.login.password", "password": name, "identifier": {"type": "m.id.user", "user": name}})
        self.token, self.id = login["access_token"], login["user_id"]
        self.sent = 0
        self.filter = json.dumps({"presence": {"not_types": ["*"]}, "room": {
            "ephemeral": {"not_types": ["*"]}, "account_data": {"not_types": ["*"]}}})
        self.since = self.sync(0)["next_batch"]

    def call(self, method, path, body=None, lane="calls"):
        if lane not in self.connections:
            self.connections[lane] = http.client.HTTPConnection(self.host, timeout=60)
        headers = {"Content-Type": "application/json"}
        if getattr(self, "token", None):
            headers["Authorization"] = "Bearer " + self.token
        connection = self.connections[lane]
        connection.request(method, "/_matrix/client/v3" + path, json.dumps(body) if body is not None else None, headers)
        response = connection.getresponse()
        answer = json.loads(response.read())
        if response.status != 200:
            raise SystemExit("%s %s: %s %s" % (method, path, response.status, answer))
        return answer

    def sync(self, timeout, since=None):
        query = {"timeout": timeout, "filter": self.filter}
        if since:
            query["since"] = since
        return self.call("GET", "/sync?" + urllib.parse.urlencode(query), lane="sync")

    def events(self, timeout=10_000):
        """The next events of all rooms; invites are accepted."""
        batch = self.sync(timeout, self.since)
        self.since = batch["next_batch"]
        for room in batch.get("rooms", {}).get("invite", {}):
            self.call("POST", "/join/" + quote(room), {})
        return [
            (room, event)
            for room, joined in batch.get("rooms", {}).get("join", {}).items()
            for event in joined["timeline"]["events"]
        ]

    def send(self, room, content):
        self.sent += 1
        return self.call("PUT", "/rooms/%s/send/m.room.message/%d.%d" % (quote(room), time.time_ns(), self.sent), content)


def echo(account, stop):
    while not stop.is_set():
        try:
            found = account.events(1000)
        except (OSError, http.client.HTTPException):
            # Mostly the server's own end.
            continue
        for room, event in found:
            if event["type"] == "m.room.message" and event["sender"] != account.id:
                account.send(room, {
                    "msgtype": "m.notice", "body": event["content"]["body"], "m.mentions": {},
                    "m.relates_to": {"m.in_reply_to": {"event_id": event["event_id"]}}})


def ask(person, room, other):
    """Milliseconds from the send to the answer."""
    began = time.perf_counter()
    person.send(room, {"msgtype": "m.text", "body": "!gif party"})
    while time.perf_counter() < began + 30:
        for place, event in person.events():
            if place == room and event["type"] == "m.room.message" and event["sender"] == other:
                return (time.perf_counter() - began) * 1000, event["content"]
    raise SystemExit("no answer in 30 s")


def make_room(person, other):
    room = person.call("POST", "/createRoom", {"invite": [other]})["room_id"]
    for _ in range(300):
        if other in person.call("GET", "/rooms/%s/joined_members" % quote(room))["joined"]:
            person.events(0)
            return room
        time.sleep(0.1)
    raise SystemExit("%s did not come" % other)


class Gifbot:
    def __init__(self, program, folder, url, user, password, rooms=()):
        lines = ["bot: {state: ./state}", "defaults: {limits: %s}" % NO_LIMITS, "matrix:", "  - name: home",
                 "    homeserver: " + url, '    user: "%s"' % user, "    password: " + password,
                 "    encryption: false", "    invites: {accept: anyone}", "    media: image", "    rooms:"]
        lines += ['      - {name: "%s", media: %s}' % room for room in rooms]
        if not rooms:
            lines[-1] += " []"
        lines += ["log: {level: warning}", ""]
        (folder / "bot.yaml").write_text("\n".join(lines))
        self.process = subprocess.Popen([program, "run", "--config", str(folder / "bot.yaml")], cwd=folder)

    def memory(self):
        for line in pathlib.Path("/proc/%d/status" % self.process.pid).read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024

    def stop(self):
        self.process.terminate()
        self.process.wait(20)


class StandIn(http.server.BaseHTTPRequestHandler):
    """A homeserver with one room, that hands out a command at a time and takes the time to the answer."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    ready, answered = threading.Event(), threading.Event()
    number, handed, times, wanted = 0, 0.0, [], 0

    def log_message(self, *_):
        pass

    def reply(self, body):
        data = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        if self.path.endswith("/versions"):
            return self.reply({"versions": ["v1.11"]})
        if "/sync" not in self.path:
            return self.reply({"displayname": "gifbot", "joined": {}, "user_id": "@gifbot:gifbot.test", "device_id": "D"})
        cls, first = type(self), "since=" not in self.path
        if cls.number >= cls.wanted:
            time.sleep(1)
        events = []
        if not first and cls.number < cls.wanted:
            cls.answered.wait(10)
            cls.answered.clear()
            cls.number += 1
            events = [{
                "type": "m.room.message", "sender": "@ada:gifbot.test", "event_id": "$%d" % cls.number,
                "origin_server_ts": int(time.time() * 1000), "unsigned": {"age": 5},
                "content": {"msgtype": "m.text", "body": "!gif party"}}]
        state = [{"type": "m.room.create", "state_key": "", "sender": "@ada:gifbot.test", "event_id": "$c",
                  "origin_server_ts": 1, "content": {"room_version": "10"}}] if first else []
        body = {"next_batch": "s%d" % (cls.number + (0 if first else 1)), "rooms": {"join": {"!r:gifbot.test": {
            "summary": {"m.joined_member_count": 3}, "state": {"events": state}, "timeline": {"events": events}}}}}
        self.reply(body)
        cls.handed = time.perf_counter()
        if first:
            cls.answered.set()

    def do_PUT(self):
        now, cls = time.perf_counter(), type(self)
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.reply({"event_id": "$a"})
        if "/send/" in self.path:
            cls.times.append((now - cls.handed) * 1000)
            cls.answered.set()

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.reply({"user_id": "@gifbot:gifbot.test", "device_id": "D", "access_token": "T"})


def measure_hand(program, rounds):
    StandIn.wanted = rounds
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), StandIn)
    # Whoever stops in the middle of a sync is nobody's fault.
    server.handle_error = lambda *_: None
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        bot = Gifbot(program, pathlib.Path(folder), "http://127.0.0.1:%d" % server.server_port, "@gifbot:gifbot.test",
                     "pw", [("!r:gifbot.test", "link")])
        end = time.time() + 60
        while len(StandIn.times) < rounds and time.time() < end:
            time.sleep(0.05)
        bot.stop()
    # The first one searches.
    return StandIn.times[5:]


def summary(name, times, base=None):
    ratio = "" if base is None else "  %.2f times the echo" % (statistics.median(times) / statistics.median(base))
    print("%-34s median %6.1f ms  p95 %6.1f  least %6.1f%s" % (
        name, statistics.median(times), sorted(times)[int(len(times) * 0.95)], min(times), ratio), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("servers")
    parser.add_argument("--rounds", type=int, default=50)
    options = parser.parse_args()
    program = str(pathlib.Path(options.program).resolve())
    hand = measure_hand(program, 100)
    print("%-34s median %6.2f ms  p95 %6.2f" % (
        "event in hand to request", statistics.median(hand), sorted(hand)[int(len(hand) * 0.95)]), flush=True)
    with tempfile.TemporaryDirectory() as data, tempfile.TemporaryDirectory() as folder:
        script = [sys.executable, "-B", str(HOMESERVER)]
        users = [part for name in ("ada", "echo", "gifbot") for part in ("--user", name + ":" + name)]
        subprocess.run([*script, "start", data, "--venv", options.servers + "/venv", *users], check=True,
                       stdout=subprocess.DEVNULL)
        stop, bot = threading.Event(), None
        try:
            url = json.loads(subprocess.run([*script, "info", data], check=True, capture_output=True).stdout)["base_url"]
            person, echoing = Account(url, "ada"), Account(url, "echo")
            threading.Thread(target=echo, args=(echoing, stop), daemon=True).start()
            gifbot = person.id.replace("ada", "gifbot", 1)
            linked = person.call("POST", "/createRoom", {"invite": [gifbot]})["room_id"]
            bot = Gifbot(program, pathlib.Path(folder), url, gifbot, "gifbot", [(linked, "link")])
            rooms = {"echo": (make_room(person, echoing.id), echoing.id), "image": (make_room(person, gifbot), gifbot),
                     "link": (linked, gifbot)}
            for _ in range(4):
                for room, other in rooms.values():
                    _, content = ask(person, room, other)
            times = {name: [] for name in rooms}
            for _ in range(options.rounds):
                for name, (room, other) in rooms.items():
                    took, content = ask(person, room, other)
                    if (content["msgtype"] == "m.image") != (name == "image"):
                        raise SystemExit("%s was answered by %s" % (name, content))
                    times[name].append(took)
            summary("echo", times["echo"])
            summary("link answer", times["link"], times["echo"])
            summary("image answer, seen before", times["image"], times["echo"])
            print("memory after %d answers: %.1f MiB" % (2 * options.rounds + 8, bot.memory()))
        finally:
            stop.set()
            if bot:
                bot.stop()
            subprocess.run([*script, "stop", data], stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
