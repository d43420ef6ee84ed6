#!/usr/bin/env python3
"""ZNC on loopback with TLS, in front of another server of this folder: it replays old messages.

Unpacked by fetch.sh: znc. Needs openssl and python3.

    znc.py start DIR --upstream UPSTREAM [--channel '#lab'] [--cert KIND]
    znc.py stop DIR

UPSTREAM is the folder of a server that runs. A client logs in with PASS. Each time one
comes, ZNC sends the last lines of the channel and of private talks again, and keeps
them for the next.
"""

import sys

sys.dont_write_bytecode = True
import hashlib
import os
from pathlib import Path

from irclab import (HOST, UNPACKED, LabError, fingerprint, find_program, free_ports, main,
                    make_pki)

USER, NETWORK, PASSWORD = "gifbot", "lab", "lab-secret"

LISTENER = """
<Listener {name}>
    Host = {host}
    Port = {port}
    IPv4 = true
    IPv6 = false
    SSL = {tls}
    AllowIRC = true
    AllowWeb = false
</Listener>
"""

CONFIG = """
Version = 1.8.2
AnonIPLimit = 100
ConnectDelay = 1
ServerThrottle = 1
SSLCertFile = {cert}.pem
{listeners}
<User {user}>
    Nick = {user}
    AltNick = {user}_
    Ident = {user}
    RealName = {user}
    ChanBufferSize = 100
    AutoClearChanBuffer = false
    AutoClearQueryBuffer = false
    MultiClients = true
    <Pass password>
        Method = sha256
        Hash = {digest}
        Salt = {salt}
    </Pass>
    <Network {network}>
        Server = {host} {upstream}
        FloodBurst = 20
        FloodRate = 0.1
        <Chan {channel}>
            Buffer = 100
            AutoClearChanBuffer = false
        </Chan>
    </Network>
</User>
"""


def start(lab, args):
    program = find_program("usr/bin/znc")
    try:
        text = (Path(args.upstream) / "env").read_text()
    except OSError as problem:
        raise LabError(f"no server runs in {args.upstream}: {problem}")
    upstream = dict(line.split("=", 1) for line in text.splitlines())
    pki = make_pki(lab.root, ["localhost", "bnc.test", "irc.test"])
    plain, tls = free_ports(2)
    salt = os.urandom(10).hex()
    listeners = [LISTENER.format(name=name, host=HOST, port=port, tls=secure)
                 for name, port, secure in (("plain", plain, "false"), ("tls", tls, "true"))]
    lab.write("znc/configs/znc.conf", CONFIG.format(
        host=HOST, listeners="".join(listeners), user=USER, network=NETWORK, salt=salt,
        channel=args.channel, digest=hashlib.sha256((PASSWORD + salt).encode()).hexdigest(),
        upstream=upstream["PORT"], cert=pki / args.cert))
    # It looks in its own folder first; without any module it asks before it starts.
    (lab.root / "znc/modules").symlink_to(lab.reachable(UNPACKED) / "usr/lib/znc")
    child = lab.spawn("znc", [program, "--foreground", "--datadir", lab.root / "znc"])
    lab.wait_for_port(child, tls)
    lab.report(HOST=HOST, SERVER_NAME="localhost", PORT=plain, TLS_PORT=tls, CA=pki / "ca.pem",
               CERT_SHA256=fingerprint(pki / f"{args.cert}.crt"), CHANNEL=args.channel,
               NICK=USER, PASS=f"{USER}/{NETWORK}:{PASSWORD}")


def options(parser):
    parser.add_argument("--upstream", required=True, metavar="DIR")
    parser.add_argument("--channel", default="#lab")


if __name__ == "__main__":
    sys.exit(main(__doc__, start, options))
