"""Common parts of the IRC servers in this folder.

Needs: python3 (3.10 or later, standard library only) and the openssl command.

A recipe keeps everything in one directory that its caller names:

    pki/          CA, server certificates, client certificate
    NAME.log      what each daemon printed
    daemons.json  pid and kernel start time of each daemon, in starting order
    env           the KEY=VALUE lines that `start` printed
    NAME.run      how each daemon was started, for `again`

Nothing is installed, nothing outside that directory is written, and every
listener is bound to 127.0.0.1.
"""

import argparse
import base64
import hashlib
import json
import os
import pwd
import resource
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
from pathlib import Path

HOST = "127.0.0.1"
CERT_KINDS = ("good", "wronghost", "expired", "selfsigned", "tomorrow")

# Where fetch.sh unpacked the servers.
UNPACKED = Path(os.environ.get("TEST_SERVERS") or
                Path(__file__).resolve().parents[2] / ".build" / "test-servers") / "unpacked"


class LabError(Exception):
    pass


# ---------------------------------------------------------------- helpers

def find_program(path):
    """A program that fetch.sh unpacked, by its path from the root of the packages."""
    program = UNPACKED / path
    if not program.exists():
        raise LabError(f"no {path} in {UNPACKED}; run 'make test' (or Tests/Servers/fetch.sh)")
    return program


def libraries():
    """The folder with the libraries of the unpacked packages (its name has the architecture)."""
    return next(iter(sorted(UNPACKED.glob("usr/lib/*-linux-gnu"))), UNPACKED / "usr/lib")


def free_ports(count):
    """Ports that were free a moment ago, all different."""
    socks = []
    for _ in range(count):
        s = socket.socket()
        s.bind((HOST, 0))
        socks.append(s)
    ports = [s.getsockname()[1] for s in socks]
    for s in socks:
        s.close()
    return ports


def process_start_time(pid):
    """Field 22 of /proc/PID/stat: tells a process from a later one with its pid."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()
    if fields[0] == "Z":
        return None
    return fields[19]


# -------------------------------------------------------------------- PKI

def _openssl(*args, **kw):
    done = subprocess.run(["openssl", *map(str, args)], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, **kw)
    if done.returncode:
        raise LabError("openssl " + " ".join(map(str, args)) + "\n" + done.stdout)
    return done.stdout


def _key(path):
    _openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", path)


def make_pki(root, names):
    """A CA, five server certificates and one client certificate under root/pki.

    good        signed by the CA, names match, in date
    wronghost   signed by the CA, but for another host
    expired     signed by the CA, names match, ended in 2020
    selfsigned  names match, signed by nobody
    tomorrow    signed by the CA, names match, not valid yet
    """
    pki = Path(root) / "pki"
    pki.mkdir(parents=True, exist_ok=True)
    ca, ca_key = pki / "ca.pem", pki / "ca.key"
    _key(ca_key)
    _openssl("req", "-x509", "-new", "-key", ca_key, "-sha256", "-days", "3650",
             "-subj", "/CN=IRC lab CA", "-out", ca,
             "-addext", "basicConstraints=critical,CA:TRUE",
             "-addext", "keyUsage=critical,keyCertSign,cRLSign")
    (pki / "index.txt").write_text("")
    (pki / "index.txt.attr").write_text("unique_subject = no\n")
    (pki / "ca.cnf").write_text(
        "[ca]\ndefault_ca=lab\n[lab]\n"
        f"database={pki}/index.txt\nnew_certs_dir={pki}\nrand_serial=yes\n"
        "default_md=sha256\npolicy=any\ncopy_extensions=copy\n"
        "[any]\ncommonName=supplied\n")
    good = ",".join([f"DNS:{n}" for n in names] + [f"IP:{HOST}"])
    jobs = {
        "good": (names[0], good, "20250101000000Z", "20491231235959Z"),
        "wronghost": ("other.invalid", "DNS:other.invalid", "20250101000000Z", "20491231235959Z"),
        "expired": (names[0], good, "20190101000000Z", "20200101000000Z"),
        "tomorrow": (names[0], good, time.strftime("%Y%m%d%H%M%SZ", time.gmtime(time.time() + 86400)),
                     "20491231235959Z"),
        "client": ("gifbot", "email:gifbot@invalid", "20250101000000Z", "20491231235959Z"),
    }
    for name, (cn, san, since, until) in jobs.items():
        key, csr, crt = pki / f"{name}.key", pki / f"{name}.csr", pki / f"{name}.crt"
        _key(key)
        usage = "clientAuth" if name == "client" else "serverAuth"
        _openssl("req", "-new", "-key", key, "-subj", f"/CN={cn}", "-out", csr,
                 "-addext", f"subjectAltName={san}", "-addext", f"extendedKeyUsage={usage}")
        _openssl("ca", "-batch", "-notext", "-config", pki / "ca.cnf", "-cert", ca,
                 "-keyfile", ca_key, "-startdate", since, "-enddate", until,
                 "-in", csr, "-out", crt)
    _key(pki / "selfsigned.key")
    _openssl("req", "-x509", "-new", "-key", pki / "selfsigned.key", "-days", "3650",
             "-subj", f"/CN={names[0]}", "-addext", f"subjectAltName={good}",
             "-out", pki / "selfsigned.crt")
    for name in (*CERT_KINDS, "client"):
        (pki / f"{name}.pem").write_text((pki / f"{name}.key").read_text()
                                         + (pki / f"{name}.crt").read_text())
    return pki


def fingerprint(cert):
    """SHA-256 over the DER certificate, lower-case hex without colons."""
    return hashlib.sha256(ssl.PEM_cert_to_DER_cert(Path(cert).read_text())).hexdigest()


def compressed_public_key(key):
    """Base64 of the 33-byte compressed point: what services store for ECDSA SASL."""
    done = subprocess.run(["openssl", "ec", "-in", str(key), "-pubout", "-conv_form",
                           "compressed", "-outform", "DER"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return base64.b64encode(done.stdout[-33:]).decode()


# -------------------------------------------------------------- the lab

class Lab:
    def __init__(self, root, user=None):
        self.root = Path(root).resolve()
        self.root.mkdir(parents=True, exist_ok=True)
        self.state = self.root / "daemons.json"
        # A server that is started by root runs as an unprivileged account:
        # several of them refuse to run as root at all.
        self.user = user
        if self.user is None and os.geteuid() == 0:
            known = {p.pw_name for p in pwd.getpwall()}
            self.user = "irc" if "irc" in known else "nobody"

    # -- files

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def own(self):
        """Give the tree to the account the daemons run as."""
        if self.user and os.geteuid() == 0:
            account = pwd.getpwnam(self.user)
            for path in (self.root, *self.root.rglob("*")):
                os.chown(path, account.pw_uid, account.pw_gid, follow_symlinks=False)

    # -- processes

    def daemons(self):
        return json.loads(self.state.read_text()) if self.state.exists() else []

    def alive(self):
        return [d for d in self.daemons() if process_start_time(d["pid"]) == d["since"]]

    def reachable(self, folder):
        """The folder, or a copy of it where the account of the daemons can read it.

        A checkout below a home folder of mode 700 is out of reach for any other account.
        """
        if not self.user or os.geteuid() != 0:
            return folder
        account = pwd.getpwnam(self.user)
        seen = subprocess.run(["test", "-x", str(folder)], user=account.pw_uid,
                              group=account.pw_gid, extra_groups=[])
        if seen.returncode == 0:
            return folder
        copy = self.root / "unpacked"
        if not copy.exists():
            shutil.copytree(folder, copy, symlinks=True)
        return copy

    def spawn(self, name, argv, env=None, unprivileged=True):
        # Debian's inspircd crashes at the very end of its shutdown, when it unloads
        # its TLS module; without this every stop would leave a core file behind.
        extra = dict(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
        if unprivileged:
            self.own()
            folder = str(self.reachable(UNPACKED))
            argv = [str(a).replace(str(UNPACKED), folder, 1) for a in argv]
            env = {"LD_LIBRARY_PATH": str(libraries()).replace(str(UNPACKED), folder, 1), **(env or {})}
            self.own()
        if unprivileged and self.user and os.geteuid() == 0:
            account = pwd.getpwnam(self.user)
            extra.update(user=account.pw_uid, group=account.pw_gid, extra_groups=[])
        how = self.root / f"{name}.run"
        how.write_text(json.dumps(dict(argv=[str(a) for a in argv], env=env,
                                       unprivileged=unprivileged)))
        with open(self.root / f"{name}.log", "ab") as log:
            child = subprocess.Popen(
                [str(a) for a in argv], cwd=self.root, stdin=subprocess.DEVNULL,
                stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
                env={**os.environ, "HOME": str(self.root), **(env or {})}, **extra)
        self.state.write_text(json.dumps(
            self.daemons() + [dict(name=name, pid=child.pid,
                                   since=process_start_time(child.pid))]))
        return child

    def wait_for_port(self, child, port, seconds=20):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if child.poll() is not None:
                raise LabError(f"daemon ended with status {child.returncode}; "
                               f"see the logs in {self.root}")
            try:
                socket.create_connection((HOST, port), 1).close()
                return
            except OSError:
                time.sleep(0.1)
        raise LabError(f"nothing listens on port {port} after {seconds} s; "
                       f"see the logs in {self.root}")

    def stop(self, only=None, sig=signal.SIGTERM):
        """End the daemons by pid, last started first. Returns the pids ended."""
        ended, kept = [], []
        for d in reversed(self.daemons()):
            if only and d["name"] != only:
                kept.insert(0, d)
                continue
            if process_start_time(d["pid"]) != d["since"]:
                continue
            os.kill(d["pid"], sig)
            for attempt in range(100):
                if process_start_time(d["pid"]) != d["since"]:
                    break
                if attempt == 60:
                    os.kill(d["pid"], signal.SIGKILL)
                try:
                    os.waitpid(d["pid"], os.WNOHANG)
                except ChildProcessError:
                    pass
                time.sleep(0.1)
            else:
                raise LabError(f"{d['name']} (pid {d['pid']}) does not end")
            ended.append(d["pid"])
        self.state.write_text(json.dumps(kept))
        return ended

    def lose(self, name):
        """End a daemon as a power cut does."""
        if not self.stop(only=name, sig=signal.SIGKILL):
            raise LabError(f"no {name} runs in {self.root}")
        # Where nobody collects dead processes, a server finds its old number still in use.
        (self.root / f"{name}.pid").unlink(missing_ok=True)

    def again(self, name):
        """Start a daemon as it was started before, and wait until it listens."""
        child = self.spawn(name, **json.loads((self.root / f"{name}.run").read_text()))
        env = dict(line.split("=", 1) for line in (self.root / "env").read_text().splitlines())
        self.wait_for_port(child, int(env["TLS_PORT"]))

    def report(self, **values):
        values["PIDS"] = ",".join(str(d["pid"]) for d in self.alive())
        lines = "".join(f"{k}={v}\n" for k, v in values.items())
        self.write("env", lines)
        sys.stdout.write(lines)
        sys.stdout.flush()


# ------------------------------------------------- a very small IRC client

class Irc:
    """Enough of a client to look at a server and to register an account."""

    def __init__(self, port, ca=None, server_name="localhost", cert=None, key=None,
                 tls=True, timeout=15):
        self.timeout = timeout
        self.buffer = b""
        self.sock = socket.create_connection((HOST, port), timeout)
        if tls:
            context = ssl.create_default_context(cafile=str(ca))
            if cert:
                context.load_cert_chain(str(cert), str(key or cert))
            self.sock = context.wrap_socket(self.sock, server_hostname=server_name)

    def send(self, line):
        self.sock.sendall(line.encode() + b"\r\n")

    def line(self, until):
        while b"\n" not in self.buffer:
            self.sock.settimeout(max(0.05, until - time.monotonic()))
            chunk = self.sock.recv(16384)
            if not chunk:
                raise LabError("server closed the connection")
            self.buffer += chunk
        raw, self.buffer = self.buffer.split(b"\n", 1)
        return raw.rstrip(b"\r").decode("utf-8", "replace")

    @staticmethod
    def split(line):
        """tags, source, command, params"""
        tags = source = ""
        if line.startswith("@"):
            tags, _, line = line[1:].partition(" ")
            line = line.lstrip(" ")
        if line.startswith(":"):
            source, _, line = line[1:].partition(" ")
            line = line.lstrip(" ")
        head, colon, last = line.partition(" :")
        words = head.split()
        if not words:
            return tags, source, "", []
        return tags, source, words[0].upper(), words[1:] + ([last] if colon else [])

    def messages(self, seconds=None):
        """Messages as they come, answering PING, until the time is up."""
        until = time.monotonic() + (seconds or self.timeout)
        while True:
            try:
                line = self.line(until)
            except TimeoutError:
                return
            message = self.split(line)
            if message[2] == "PING":
                self.send("PONG :" + message[3][-1])
                continue
            yield message

    def expect(self, test, seconds=None, what="the expected reply"):
        seen = []
        for message in self.messages(seconds):
            seen.append(message)
            if test(message):
                return message
        raise LabError(f"no {what}; got {seen[-5:]}")

    def cap_ls(self):
        """All capabilities of CAP LS 302 as {name: value}, and the number of lines."""
        self.send("CAP LS 302")
        caps, lines = {}, 0
        for _, _, command, params in self.messages():
            if command == "CAP" and params[1].upper() == "LS":
                lines += 1
                for item in params[-1].split():
                    name, _, value = item.partition("=")
                    caps[name] = value
                if params[2] != "*":
                    return caps, lines
            elif command in ("421", "451", "ERROR"):
                return caps, lines
        return caps, lines

    def register(self, nick, cap_end=True):
        """NICK and USER up to 001; returns the ISUPPORT tokens."""
        self.send(f"NICK {nick}")
        self.send(f"USER {nick} 0 * :{nick}")
        if cap_end:
            self.send("CAP END")
        tokens = {}
        for _, _, command, params in self.messages():
            if command == "005":
                for token in params[1:-1]:
                    name, _, value = token.partition("=")
                    tokens[name] = value
            elif command in ("376", "422"):
                return tokens
            elif command in ("ERROR", "433", "465"):
                raise LabError(f"registration refused: {command} {params}")
        raise LabError("registration did not finish")

    def sasl(self, mechanism, *answers):
        """One SASL exchange. An answer is bytes, or a function of the server's bytes."""
        self.send("CAP REQ :sasl")
        self.expect(lambda m: m[2] == "CAP" and m[3][1] in ("ACK", "NAK"), what="CAP ACK")
        self.send(f"AUTHENTICATE {mechanism}")
        answers = list(answers)
        for _, _, command, params in self.messages():
            if command == "AUTHENTICATE":
                if not answers:
                    self.send("AUTHENTICATE +")
                    continue
                challenge = b"" if params[0] == "+" else base64.b64decode(params[0])
                reply = answers.pop(0)
                if callable(reply):
                    reply = reply(challenge)
                text = base64.b64encode(reply).decode()
                while len(text) >= 400:
                    self.send("AUTHENTICATE " + text[:400])
                    text = text[400:]
                self.send("AUTHENTICATE " + (text or "+"))
            elif command in ("902", "903", "904", "905", "906", "907", "908"):
                return command
        return None

    def close(self):
        try:
            self.send("QUIT :done")
            self.sock.close()
        except OSError:
            pass


def register_account(pki, tls_port, account, password, service="NickServ",
                     seconds=30, ecdsa=False, child=None):
    """Register ACCOUNT with services, add the client certificate and ECDSA key to it."""
    ca = pki / "ca.pem"
    end = time.monotonic() + seconds
    while True:
        client = Irc(tls_port, ca, cert=pki / "client.crt", key=pki / "client.key")
        caps, _ = client.cap_ls()
        if "sasl" in caps:
            break
        client.close()
        if time.monotonic() > end or (child and child.poll() is not None):
            raise LabError("services did not link: no sasl capability; see services.log")
        time.sleep(0.5)
    client.register(account)
    client.send(f"PRIVMSG {service} :REGISTER {password} {account}@lab.invalid")

    def about(*words):
        return lambda m: m[2] in ("NOTICE", "900") and any(
            w in m[3][-1].lower() for w in words)
    client.expect(about("registered", "logged in"), what="answer to REGISTER")
    client.send(f"PRIVMSG {service} :CERT ADD")
    client.expect(about("added", "fingerprint"), what="answer to CERT ADD")
    if ecdsa:
        key = compressed_public_key(pki / "client.key")
        client.send(f"PRIVMSG {service} :SET PUBKEY {key}")
        client.expect(about("pubkey", "public key", "ecdsa"), what="answer to SET PUBKEY")
    client.close()


# ----------------------------------------------------------- command line

def main(doc, start, options=None, extra=None):
    """start, stop, status, lose and again with a DIR, plus what the recipe adds."""
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    begin = verbs.add_parser("start", help="start, print KEY=VALUE lines, leave it running")
    begin.add_argument("dir")
    begin.add_argument("--cert", choices=CERT_KINDS, default="good",
                       help="which server certificate to present")
    begin.add_argument("--user", help="account for the daemons when started by root")
    if options:
        options(begin)
    for verb in ("stop", "status", *(extra or {})):
        sub = verbs.add_parser(verb)
        sub.add_argument("dir")
    for verb in ("lose", "again"):
        sub = verbs.add_parser(verb)
        sub.add_argument("dir")
        sub.add_argument("daemon", help="the name of its log file, without .log")
    args = parser.parse_args()
    lab = Lab(args.dir, getattr(args, "user", None))
    try:
        if args.verb == "start":
            if lab.alive():
                raise LabError(f"already running in {lab.root}")
            try:
                start(lab, args)
            except BaseException:
                lab.stop()
                raise
        elif args.verb == "stop":
            print("STOPPED=" + ",".join(map(str, lab.stop())))
        elif args.verb == "status":
            up = lab.alive()
            print("RUNNING=" + ",".join(f"{d['name']}:{d['pid']}" for d in up))
            return 0 if up else 1
        elif args.verb in ("lose", "again"):
            getattr(lab, args.verb)(args.daemon)
        else:
            extra[args.verb](lab, args)
    except LabError as problem:
        print(f"{Path(sys.argv[0]).name}: {problem}", file=sys.stderr)
        return 1
    return 0
