#!/usr/bin/env python3
"""ngIRCd on loopback with TLS: a plain RFC server with hardly any IRCv3.

Unpacked by fetch.sh: ngircd. Needs openssl and python3.

    ngircd.py start DIR [--cert KIND] [--leaf] [--ping SECONDS] [--password WORD]
    ngircd.py stop DIR
    ngircd.py split DIR     end the leaf server: its users leave in a netsplit
    ngircd.py rejoin DIR    start the leaf server again
    ngircd.py lose DIR ngircd       the server is gone, without a word to anybody
    ngircd.py again DIR ngircd      and back, on the same ports

It has no SASL and no services. With --leaf a second server is linked to the
first, so that a client on one sees the users of the other come and go.
"""

import sys

sys.dont_write_bytecode = True

from irclab import HOST, fingerprint, find_program, free_ports, main, make_pki

HUB, LEAF = "hub.ngircd.test", "leaf.ngircd.test"
OPER, OPER_PASSWORD = "labop", "labop-secret"

CONFIG = """
[Global]
    Name = {name}
    Info = lab server
    AdminInfo1 = lab
    AdminEMail = lab@localhost
    Network = NgLab
    Listen = {host}
    Ports = {plain}
    MotdPhrase = lab
    Password = {password}
[Limits]
    MaxConnectionsIP = 0
    MaxJoins = 20
    MaxNickLength = 20
    PingTimeout = {ping}
    PongTimeout = {pong}
    ConnectRetry = 5
[Options]
    DNS = no
    Ident = no
    PAM = no
    OperCanUseMode = yes
    MorePrivacy = no
[SSL]
    CertFile = {cert}.crt
    KeyFile = {cert}.key
    Ports = {tls}
[Operator]
    Name = {oper}
    Password = {oper_password}
[Server]
    Name = {peer}
    MyPassword = lab-link
    PeerPassword = lab-link
{dial}
"""


def start(lab, args):
    program = find_program("usr/sbin/ngircd")
    pki = make_pki(lab.root, ["localhost", HUB, "irc.test"])
    plain, tls, leaf_plain, leaf_tls = free_ports(4)
    common = dict(host=HOST, ping=args.ping, pong=max(5, args.ping // 3),
                  cert=pki / args.cert, oper=OPER, oper_password=OPER_PASSWORD,
                  password=args.password)
    lab.write("program", str(program))
    lab.write("ngircd.conf", CONFIG.format(
        name=HUB, plain=plain, tls=tls, peer=LEAF, dial="", **common))
    lab.write("leaf.conf", CONFIG.format(
        name=LEAF, plain=leaf_plain, tls=leaf_tls, peer=HUB,
        dial=f"    Host = {HOST}\n    Port = {plain}\n", **common))
    child = lab.spawn("ngircd", [program, "-n", "-f", lab.root / "ngircd.conf"])
    lab.wait_for_port(child, tls)
    values = {}
    if args.leaf:
        leaf = lab.spawn("leaf", [program, "-n", "-f", lab.root / "leaf.conf"])
        lab.wait_for_port(leaf, leaf_tls)
        values = dict(LEAF_PORT=leaf_plain, LEAF_TLS_PORT=leaf_tls)
    lab.report(HOST=HOST, SERVER_NAME="localhost", PORT=plain, TLS_PORT=tls, CA=pki / "ca.pem",
               CERT_SHA256=fingerprint(pki / f"{args.cert}.crt"),
               OPER=OPER, OPER_PASSWORD=OPER_PASSWORD, **values)


def split(lab, _args):
    print("STOPPED=" + ",".join(map(str, lab.stop(only="leaf"))))


def rejoin(lab, _args):
    port = int(dict(line.split("=", 1) for line in
                    (lab.root / "env").read_text().splitlines())["LEAF_TLS_PORT"])
    program = (lab.root / "program").read_text()
    child = lab.spawn("leaf", [program, "-n", "-f", lab.root / "leaf.conf"])
    lab.wait_for_port(child, port)
    print(f"LEAF_PID={child.pid}")


def options(parser):
    parser.add_argument("--leaf", action="store_true", help="link a second server")
    parser.add_argument("--ping", type=int, default=120, metavar="SECONDS",
                        help="idle time before the server sends PING")
    parser.add_argument("--password", default="", help="ask clients for PASS")


if __name__ == "__main__":
    sys.exit(main(__doc__, start, options, dict(split=split, rejoin=rejoin)))
