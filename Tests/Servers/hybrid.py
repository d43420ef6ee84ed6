#!/usr/bin/env python3
"""ircd-hybrid 8.2 on loopback with TLS: few extensions, silent cuts, a connect throttle.

Unpacked by fetch.sh: ircd-hybrid. Needs libltdl7, openssl and python3.

    hybrid.py start DIR [--cert KIND] [--ping SECONDS]
    hybrid.py stop DIR
    hybrid.py lose DIR hybrid       the server is gone, without a word to anybody
    hybrid.py again DIR hybrid      and back, on the same ports

It has no SASL at all: the program that Debian has does not know the capability,
and Debian's atheme has no module for its protocol.
"""

import sys

sys.dont_write_bytecode = True
from irclab import (HOST, UNPACKED, LabError, fingerprint, find_program, free_ports, main,
                    make_pki)

NAME = "irc.hybrid.test"
OPER, OPER_PASSWORD = "labop", "labop-secret"

CONFIG = """
serverinfo {{
    name = "{name}"; sid = "1HY"; description = "lab server";
    network_name = "HybridLab"; network_description = "lab network"; hub = no;
    default_max_clients = 200; max_nick_length = 20; max_topic_length = 300;
    rsa_private_key_file = "{cert}.key"; tls_certificate_file = "{cert}.crt";
}};
admin {{ name = "lab"; description = "lab"; email = "lab@lab.invalid"; }};
class {{
    name = "users"; ping_time = {ping} seconds; max_number = 200; max_channels = 60;
    number_per_ip_local = 100; number_per_ip_global = 100;
    sendq = 1 megabyte; recvq = 8000 bytes;
}};
class {{
    name = "opers"; ping_time = {ping} seconds; max_number = 100; max_channels = 60;
    number_per_ip_local = 100; sendq = 1 megabyte;
}};
listen {{
    host = "{host}"; port = {plain};
    flags = tls; port = {tls};
}};
auth {{ user = "*@*"; class = "users"; }};
operator {{
    name = "{oper}"; user = "*@*"; password = "{oper_password}"; encrypted = no;
    class = "opers"; flags = admin, kill, kline, unkline, rehash;
}};
channel {{
    disable_fake_channels = yes; max_channels = 60; max_bans = 100;
    invite_client_count = 10; invite_client_time = 5 minutes;
    default_join_flood_count = 18; default_join_flood_time = 6 seconds;
}};
general {{
    ping_cookie = yes; disable_auth = yes; default_floodcount = 20;
    pace_wait_simple = 1 second; pace_wait = 1 second; max_targets = 4;
    anti_spam_exit_message_time = 0; throttle_count = 500; throttle_time = 10 seconds;
}};
modules {{ path = "{modules}"; path = "{modules}/autoload"; }};
log {{ use_logging = yes; file {{ type = debug; name = "{root}/debug.txt"; size = unlimited; }}; }};
"""

# The program knows its modules only where the package puts them, and it goes to the
# folder of its installation first. Nothing is installed here, so a copy of it looks
# below the folder that it was started in: a shorter path each, ended by its zero byte.
PATHS = {
    b"\0/usr\0": b"\0.\0",
    b"\0/usr/lib/ircd-hybrid/modules/\0": b"\0modules/\0",
    b"\0/usr/lib/ircd-hybrid/modules//autoload/\0": b"\0modules/autoload/\0",
}


def relocated(lab):
    code = find_program("usr/sbin/ircd-hybrid").read_bytes()
    for old, new in PATHS.items():
        if code.count(old) != 1:
            raise LabError(f"this ircd-hybrid has {old!r} {code.count(old)} times, not once")
        code = code.replace(old, new.ljust(len(old), b"\0"))
    program = lab.root / "ircd-hybrid"
    program.write_bytes(code)
    program.chmod(0o755)
    modules = lab.root / "modules"
    modules.unlink(missing_ok=True)
    modules.symlink_to(lab.reachable(UNPACKED) / "usr/lib/ircd-hybrid/modules")
    return program


def start(lab, args):
    program = relocated(lab)
    pki = make_pki(lab.root, ["localhost", NAME, "irc.test"])
    plain, tls = free_ports(2)
    lab.write("hybrid.conf", CONFIG.format(
        name=NAME, host=HOST, plain=plain, tls=tls, cert=pki / args.cert, root=lab.root,
        oper=OPER, oper_password=OPER_PASSWORD, modules=lab.root / "modules", ping=args.ping))
    child = lab.spawn("hybrid", [
        program, "-foreground", "-configfile", lab.root / "hybrid.conf",
        "-pidfile", lab.root / "hybrid.pid", "-logfile", lab.root / "ircd.txt",
        "-klinefile", lab.root / "kline.db", "-dlinefile", lab.root / "dline.db",
        "-xlinefile", lab.root / "xline.db", "-resvfile", lab.root / "resv.db"])
    lab.wait_for_port(child, tls)
    lab.report(HOST=HOST, SERVER_NAME="localhost", PORT=plain, TLS_PORT=tls, CA=pki / "ca.pem",
               CERT_SHA256=fingerprint(pki / f"{args.cert}.crt"),
               OPER=OPER, OPER_PASSWORD=OPER_PASSWORD)


def options(parser):
    parser.add_argument("--ping", type=int, default=120, metavar="SECONDS")


if __name__ == "__main__":
    sys.exit(main(__doc__, start, options))
