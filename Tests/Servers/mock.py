#!/usr/bin/env python3
"""A scripted IRC server for what no packaged server does.

Needs openssl and python3.

    mock.py start DIR [--mechanisms LIST] [--caps LIST] [--isupport LIST] [--cert KIND]
                      [--taken NICK] [--no-sts] [--banner LINE] [--cookie TEXT]
                      [--iterations COUNT]
    mock.py stop DIR
    mock.py tell DIR COMMAND...      give the running server a command (below)

It has SASL PLAIN, EXTERNAL and SCRAM-SHA-256 with one account, a CAP LS in
several lines, sts on the plain-text port, echo-message and labels, and answers
NICK, USER, JOIN, PART, PING, PRIVMSG and NOTICE well enough for a bot to live
on it. Everything a client sends is appended to DIR/received.txt, one line each,
as CONNECTION-NUMBER, a space, the raw line. Commands for `tell`, sent to every
client that is connected:

    raw LINE        send this line as it is; {nick} stands for the client's nick
    close [TEXT]    send ERROR with the text and close
    cut             close without a word
    mute            stop answering, keep the connection open
    unmute          answer again
    taken NICK      answer 433 for this nick from now on ('taken -' for none)
    refuse TEXT     answer the next connections with ERROR and close ('refuse -' ends it)
"""

import argparse
import asyncio
import base64
import hashlib
import hmac
import os
import socket
import ssl
import sys

sys.dont_write_bytecode = True
from pathlib import Path

from irclab import HOST, Irc, LabError, fingerprint, free_ports, main, make_pki

NAME, ACCOUNT, PASSWORD = "irc.mock.test", "gifbot", "lab-secret"
CAPS = ("account-notify,account-tag,away-notify,batch,cap-notify,chghost,echo-message,"
        "extended-join,invite-notify,labeled-response,message-tags,multi-prefix,server-time,"
        "setname,standard-replies,userhost-in-names,draft/chathistory,draft/event-playback,"
        "draft/message-redaction,draft/multiline=max-bytes=4096;max-lines=24,"
        "draft/read-marker,example.org/unknown=value")
ISUPPORT = ("NETWORK=MockLab,CASEMAPPING=rfc1459,CHANTYPES=#&,PREFIX=(qaohv)~&@%+,"
            "STATUSMSG=~&@%+,NICKLEN=20,CHANNELLEN=50,LINELEN=512,MODES=4,BOT=B,"
            "TARGMAX=PRIVMSG:4;NOTICE:4;JOIN:;KICK:1,CHANMODES=Ibe;k;l;imnst,"
            "CLIENTTAGDENY=*;-draft/reply;-typing,UTF8ONLY,MSGREFTYPES=msgid")


class Scram:
    """The server side of SCRAM-SHA-256 for the one account."""

    def __init__(self, iterations):
        self.salt, self.count = os.urandom(16), iterations
        self.bare = None

    def first(self, message):
        header, _, self.bare = message.decode().partition(",,")
        fields = dict(f.split("=", 1) for f in self.bare.split(","))
        if header not in ("n", "y") or fields["n"] != ACCOUNT:
            raise ValueError("unknown account or channel binding asked for")
        self.nonce = fields["r"] + base64.b64encode(os.urandom(12)).decode()
        self.reply = (f"r={self.nonce},s={base64.b64encode(self.salt).decode()},"
                      f"i={self.count}")
        return self.reply.encode()

    def final(self, message):
        without, _, proof = message.decode().rpartition(",p=")
        fields = dict(f.split("=", 1) for f in without.split(","))
        if fields["r"] != self.nonce or base64.b64decode(fields["c"]) not in (b"n,,", b"y,,"):
            raise ValueError("wrong nonce or channel binding")
        salted = hashlib.pbkdf2_hmac("sha256", PASSWORD.encode(), self.salt, self.count)
        mac = lambda key, text: hmac.new(key, text, "sha256").digest()
        whole = f"{self.bare},{self.reply},{without}".encode()
        stored = hashlib.sha256(mac(salted, b"Client Key")).digest()
        client_key = bytes(a ^ b for a, b in zip(base64.b64decode(proof), mac(stored, whole)))
        if hashlib.sha256(client_key).digest() != stored:
            raise ValueError("wrong proof")
        return b"v=" + base64.b64encode(mac(mac(salted, b"Server Key"), whole))


class Client:
    def __init__(self, server, number, reader, writer, secure):
        self.server, self.number, self.secure = server, number, secure
        self.reader, self.writer = reader, writer
        self.nick = self.user = None
        self.caps, self.negotiating, self.done, self.muted = set(), False, False, False
        self.account, self.mechanism, self.scram, self.chunks = None, None, None, ""
        self.label = None
        self.cookie = server.cookie

    # -- sending

    def put(self, line):
        if not self.writer.is_closing():
            self.writer.write(line.encode() + b"\r\n")

    def reply(self, text, *, source=NAME):
        tags = f"@label={self.label} " if self.label and "labeled-response" in self.caps else ""
        self.label = None
        self.put(f"{tags}:{source} {text}")

    def numeric(self, code, *params):
        self.reply(f"{code} {self.nick or '*'} " + " ".join(params))

    @property
    def mask(self):
        return f"{self.nick}!{self.user}@lab.host"

    # -- receiving

    async def run(self):
        try:
            while raw := await self.reader.readline():
                line = raw.decode("utf-8", "replace").rstrip("\r\n")
                self.server.record(self.number, line)
                if not self.muted and line:
                    self.handle(line)
                    await self.writer.drain()
        except (OSError, ValueError, asyncio.IncompleteReadError):
            pass
        finally:
            self.server.record(self.number, "(closed)")
            self.server.clients.discard(self)
            self.writer.close()

    def handle(self, line):
        tags, _, command, params = Irc.split(line)
        for tag in tags.split(";"):
            if tag.startswith("label="):
                self.label = tag[6:]
        method = getattr(self, "on_" + command.lower(), None)
        if method:
            try:
                method(params, tags)
            except IndexError:
                self.numeric("461", command, ":Not enough parameters")
        elif command:
            self.numeric("421", command, ":Unknown command")

    def on_cap(self, params, _tags):
        verb, who = params[0].upper(), self.nick or "*"
        if verb in ("LS", "LIST") and not self.done:
            self.negotiating = self.negotiating or verb == "LS"
        if verb == "LS":
            modern = len(params) > 1 and params[1] >= "302"
            offered = dict(self.server.caps)
            if self.server.sts:
                offered["sts"] = ("duration=300" if self.secure
                                  else f"port={self.server.tls},duration=300")
            items = [f"{k}={v}" if v and modern else k for k, v in offered.items()]
            groups = [items[i:i + 7] for i in range(0, len(items), 7)] or [[]]
            for group in groups[:-1]:
                self.put(f":{NAME} CAP {who} LS {'* ' if modern else ''}:{' '.join(group)}")
            self.put(f":{NAME} CAP {who} LS :{' '.join(groups[-1])}")
        elif verb == "LIST":
            self.put(f":{NAME} CAP {who} LIST :{' '.join(sorted(self.caps))}")
        elif verb == "REQ":
            self.negotiating = not self.done
            wanted = params[1].split()
            good = all(w.lstrip("-") in self.server.caps for w in wanted)
            if good:
                for item in wanted:
                    (self.caps.discard if item[0] == "-" else self.caps.add)(item.lstrip("-"))
            self.put(f":{NAME} CAP {who} {'ACK' if good else 'NAK'} :{params[1]}")
        elif verb == "END":
            self.negotiating = False
            self.welcome()

    def on_nick(self, params, _tags):
        wanted = params[0]
        others = {c.nick.lower() for c in self.server.clients if c.nick and c is not self}
        if wanted.lower() in others | {self.server.taken.lower()}:
            return self.numeric("433", wanted, ":Nickname is already in use")
        if not wanted or wanted[0].isdigit() or any(c in " @!:#&,*" for c in wanted):
            return self.numeric("432", wanted or "*", ":Erroneous nickname")
        if self.done:
            self.reply(f"NICK :{wanted}", source=self.mask)
        self.nick = wanted
        self.welcome()

    def on_user(self, params, _tags):
        params[3]
        self.user = "~" + params[0][:9]
        self.welcome()

    def on_pass(self, _params, _tags):
        pass

    def welcome(self):
        if self.done or self.negotiating or not (self.nick and self.user) or self.cookie:
            return
        self.done = True
        self.server.record(self.number, "(welcomed)")
        self.numeric("001", f":Welcome to MockLab {self.mask}")
        self.numeric("002", f":Your host is {NAME}")
        self.numeric("003", ":This server was created now")
        self.numeric("004", NAME, "mock-1", "iB", "bklmnov")
        tokens = [t.replace(";", ",") for t in self.server.isupport]
        for i in range(0, len(tokens), 12):
            self.numeric("005", *tokens[i:i + 12], ":are supported by this server")
        self.numeric("422", ":MOTD File is missing")

    def on_authenticate(self, params, _tags):
        if "sasl" not in self.caps:
            return self.numeric("904", ":SASL authentication failed")
        text = params[0]
        if text == "*":
            self.mechanism = None
            return self.numeric("906", ":SASL authentication aborted")
        if not self.mechanism:
            if text.upper() not in self.server.mechanisms:
                self.numeric("908", ",".join(self.server.mechanisms),
                             ":are available SASL mechanisms")
                return self.numeric("904", ":SASL authentication failed")
            self.mechanism, self.scram, self.chunks = text.upper(), None, ""
            return self.put("AUTHENTICATE +")
        if len(text) > 400:
            self.mechanism = None
            return self.numeric("905", ":SASL message too long")
        self.chunks += "" if text == "+" else text
        if len(text) == 400:
            return None
        try:
            data, self.chunks = base64.b64decode(self.chunks, validate=True), ""
            answer = self.step(data)
        except (ValueError, KeyError):
            self.mechanism = None
            return self.numeric("904", ":SASL authentication failed")
        if answer is not None:
            return self.put("AUTHENTICATE " + base64.b64encode(answer).decode())
        self.mechanism, self.account = None, ACCOUNT
        self.numeric("900", f"{self.nick or '*'}!*@*", ACCOUNT, f":You are now logged in as {ACCOUNT}")
        return self.numeric("903", ":SASL authentication successful")

    def step(self, data):
        """The next challenge, or None when the client is who it says it is."""
        if self.mechanism == "PLAIN":
            who, name, secret = data.split(b"\0")
            if who not in (b"", name) or (name, secret) != (ACCOUNT.encode(), PASSWORD.encode()):
                raise ValueError("wrong password")
        elif self.mechanism == "EXTERNAL":
            tls = self.writer.get_extra_info("ssl_object")
            cert = tls and tls.getpeercert(True)
            if not cert or hashlib.sha256(cert).hexdigest() != self.server.client_cert:
                raise ValueError("no certificate, or another one")
        elif not self.scram:
            self.scram = Scram(self.server.iterations)
            return self.scram.first(data)
        elif self.scram != "done":
            answer, self.scram = self.scram.final(data), "done"
            return answer
        return None

    def on_ping(self, params, _tags):
        self.reply(f"PONG {NAME} :{params[0]}")

    def on_pong(self, params, _tags):
        if self.cookie and params[-1] == self.cookie:
            self.cookie = ""
            self.welcome()

    def on_join(self, params, _tags):
        for name in params[0].split(","):
            extra = f" {self.account or '*'} :lab" if "extended-join" in self.caps else ""
            self.reply(f"JOIN {name}{extra}", source=self.mask)
            self.numeric("353", "=", name, f":@{self.nick}")
            self.numeric("366", name, ":End of /NAMES list")

    def on_part(self, params, _tags):
        self.reply(f"PART {params[0]}", source=self.mask)

    def on_mode(self, params, _tags):
        if len(params) > 1:
            self.reply(f"MODE {params[0]} {params[1]}", source=self.mask)

    def say(self, command, params, tags):
        if "echo-message" in self.caps:
            keep = [t for t in tags.split(";") if t.startswith("+")]
            self.server.msgid += 1
            if "message-tags" in self.caps:
                keep.append(f"msgid=mock-{self.server.msgid}")
            if self.label and "labeled-response" in self.caps:
                keep.append(f"label={self.label}")
            tail = f" :{params[1]}" if len(params) > 1 else ""
            self.label = None
            self.put(("@" + ";".join(keep) + " " if keep else "")
                     + f":{self.mask} {command} {params[0]}{tail}")
        elif self.label and "labeled-response" in self.caps:
            self.reply("ACK")

    def on_privmsg(self, params, tags):
        params[1]
        self.say("PRIVMSG", params, tags)

    def on_notice(self, params, tags):
        params[1]
        self.say("NOTICE", params, tags)

    def on_tagmsg(self, params, tags):
        self.say("TAGMSG", params, tags)

    def on_batch(self, _params, _tags):
        pass

    def on_redact(self, params, _tags):
        self.reply(f"REDACT {' '.join(params[:2])}", source=self.mask)

    def on_quit(self, _params, _tags):
        self.put("ERROR :Closing Link")
        self.writer.close()


class Server:
    def __init__(self, args):
        self.root = Path(args.dir)
        self.received = open(self.root / "received.txt", "a", encoding="utf-8")
        self.clients, self.count, self.msgid = set(), 0, 0
        self.tls, self.sts = args.tls, not args.no_sts
        self.taken, self.refusal, self.banner = args.taken, None, args.banner
        self.cookie, self.iterations = args.cookie, args.iterations
        self.mechanisms = [m for m in args.mechanisms.upper().split(",") if m]
        self.caps = {}
        for item in args.caps.split(","):
            name, _, value = item.partition("=")
            if name:
                self.caps[name] = value.replace(";", ",")
        if self.mechanisms:
            self.caps["sasl"] = ",".join(self.mechanisms)
        self.isupport = [t for t in args.isupport.split(",") if t]
        self.client_cert = fingerprint(self.root / "pki/client.crt")

    def record(self, number, line):
        self.received.write(f"{number} {line}\n")
        self.received.flush()

    def accept(self, secure):
        async def serve(reader, writer):
            self.count += 1
            client = Client(self, self.count, reader, writer, secure)
            tls = writer.get_extra_info("ssl_object")
            self.record(client.number, f"(connected {tls.version() if tls else 'plain'})")
            if self.refusal:
                client.put(f"ERROR :{self.refusal}")
                writer.close()
                return
            if self.banner:
                client.put(self.banner)
            if self.cookie:
                client.put("NOTICE AUTH :*** Looking up")
                client.put(f"PING :{self.cookie}")
            self.clients.add(client)
            await client.run()
        return serve

    async def control(self, reader, writer):
        line = (await reader.readline()).decode().rstrip("\r\n")
        verb, _, rest = line.partition(" ")
        answer = f"{len(self.clients)} client(s)"
        for client in list(self.clients):
            if verb == "raw":
                client.put(rest.replace("{nick}", client.nick or "*"))
            elif verb == "close":
                client.put(f"ERROR :{rest or 'Closing Link'}")
                client.writer.close()
            elif verb == "cut":
                client.writer.transport.abort()
            elif verb in ("mute", "unmute"):
                client.muted = verb == "mute"
        if verb == "taken":
            self.taken = rest if rest != "-" else ""
        elif verb == "refuse":
            self.refusal = rest if rest != "-" else None
        elif verb not in ("raw", "close", "cut", "mute", "unmute"):
            answer = f"unknown command {verb}"
        writer.write(answer.encode() + b"\n")
        await writer.drain()
        writer.close()

    async def run(self, args):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.root / "pki" / f"{args.cert}.pem")
        context.load_verify_locations(self.root / "pki/ca.pem")
        context.verify_mode = ssl.CERT_OPTIONAL
        limit = 32768
        servers = [
            await asyncio.start_server(self.accept(False), HOST, args.plain, limit=limit),
            await asyncio.start_server(self.control, HOST, args.control),
            await asyncio.start_server(self.accept(True), HOST, args.tls, ssl=context,
                                       limit=limit)]
        await asyncio.gather(*(s.serve_forever() for s in servers))


def options(parser):
    parser.add_argument("--mechanisms", default="PLAIN,EXTERNAL,SCRAM-SHA-256",
                        help="comma-separated; empty for no sasl")
    parser.add_argument("--caps", default=CAPS,
                        help="comma-separated NAME or NAME=VALUE, ';' for ',' in a value")
    parser.add_argument("--isupport", default=ISUPPORT,
                        help="comma-separated tokens, ';' for ',' in a value")
    parser.add_argument("--taken", default="", metavar="NICK")
    parser.add_argument("--no-sts", action="store_true")
    parser.add_argument("--banner", default="", metavar="LINE",
                        help="a line to send as soon as a client connects")
    parser.add_argument("--iterations", type=int, default=4096, metavar="COUNT",
                        help="how often SCRAM hashes the password")
    parser.add_argument("--cookie", default="", metavar="TEXT",
                        help="PING with this text at once, and no welcome before its PONG")


def start(lab, args):
    pki = make_pki(lab.root, ["localhost", NAME, "irc.test"])
    plain, tls, control = free_ports(3)
    argv = [sys.executable, __file__, "serve", lab.root, "--plain", plain, "--tls", tls,
            "--control", control, "--cert", args.cert]
    for name in ("mechanisms", "caps", "isupport", "taken", "banner", "cookie", "iterations"):
        argv.append(f"--{name}={getattr(args, name)}")
    if args.no_sts:
        argv.append("--no-sts")
    child = lab.spawn("mock", argv, unprivileged=False)
    lab.wait_for_port(child, tls)
    lab.report(HOST=HOST, SERVER_NAME="localhost", PORT=plain, TLS_PORT=tls,
               CONTROL_PORT=control, CA=pki / "ca.pem",
               CERT_SHA256=fingerprint(pki / f"{args.cert}.crt"), ACCOUNT=ACCOUNT,
               PASSWORD=PASSWORD, CLIENT_CERT=pki / "client.crt",
               CLIENT_KEY=pki / "client.key", RECEIVED=lab.root / "received.txt")


def serve():
    parser = argparse.ArgumentParser()
    parser.add_argument("dir")
    parser.add_argument("--cert", default="good")
    for name in ("plain", "tls", "control"):
        parser.add_argument(f"--{name}", type=int, required=True)
    options(parser)
    args = parser.parse_args(sys.argv[2:])
    asyncio.run(Server(args).run(args))


def tell():
    env = dict(line.split("=", 1) for line in
               (Path(sys.argv[2]) / "env").read_text().splitlines())
    with socket.create_connection((HOST, int(env["CONTROL_PORT"])), 5) as control:
        control.sendall(" ".join(sys.argv[3:]).encode() + b"\n")
        print(control.makefile().read().strip())


if __name__ == "__main__":
    verb = sys.argv[1] if len(sys.argv) > 1 else ""
    if verb == "serve":
        serve()
    elif verb == "tell" and len(sys.argv) > 3:
        try:
            tell()
        except (OSError, LabError) as problem:
            sys.exit(f"mock.py: {problem}")
    else:
        sys.exit(main(__doc__, start, options))
