#!/usr/bin/env python3
"""InspIRCd 3 on loopback with TLS, most IRCv3 extensions, and services with SASL.

Unpacked by fetch.sh: inspircd, atheme-services. Needs openssl and python3.

    inspircd.py start DIR [--services atheme|none] [--cert KIND]
                          [--sts] [--throttle] [--waitpong] [--ping SECONDS] [--lenient]
    inspircd.py stop DIR
    inspircd.py stop-services DIR
    inspircd.py start-services DIR
    inspircd.py lose DIR inspircd       the server is gone, without a word to anybody
    inspircd.py again DIR inspircd      and back, on the same ports

With services, start registers one account (ACCOUNT, PASSWORD) and adds the
fingerprint of the client certificate (CLIENT_CERT, CLIENT_KEY) to it, so that
SASL PLAIN and EXTERNAL both work; the client key is the account's
ECDSA-NIST256P-CHALLENGE key as well. Neither has SCRAM (mock.py does).

While services are stopped, sasl is missing from CAP LS, but nobody is told so
with CAP DEL, and a client that requested it before gets no answer to its
AUTHENTICATE: a bot needs a time limit there.

An operator (OPER, OPER_PASSWORD) can make the server send CAP DEL and CAP NEW
with UNLOADMODULE and LOADMODULE ircv3_echomessage, force a nick or a channel
on a client with SANICK, SAJOIN and SAPART, and remove it with KILL or KLINE.
Channel mode +H 10:5m replays up to ten lines to everybody who joins.

--sts       offer an sts policy on the plain-text port
--lenient   let everybody send as much as they like
--throttle  refuse clients after eight connections in half a minute
--waitpong  hold registration until the client has answered a PING
"""

import sys

sys.dont_write_bytecode = True
from irclab import (HOST, UNPACKED, fingerprint, find_program, free_ports, libraries, main,
                    make_pki, register_account)

NAME, SERVICES = "irc.inspircd.test", "services.inspircd.test"
ACCOUNT, PASSWORD = "gifbot", "lab-secret"
OPER, OPER_PASSWORD = "labop", "labop-secret"

MODULES = """
    ssl_gnutls sslinfo sslmodes cap sasl services_account spanningtree botmode
    ircv3 ircv3_accounttag ircv3_batch ircv3_capnotify ircv3_chghost ircv3_ctctags
    ircv3_echomessage ircv3_invitenotify ircv3_labeledresponse ircv3_msgid
    ircv3_servertime namesx uhnames monitor setname chghost hidechans noctcp
    nonotice blockcolor stripcolor muteban banexception inviteexception
    services_account timedbans chanhistory customprefix delaymsg messageflood
    svshold chgident samode sakick sanick sapart sajoin alltime knock redirect deaf
"""

IRCD = """
<config format="xml">
<path configdir="{root}" datadir="{root}" logdir="{root}" runtimedir="{root}" moduledir="{folder}">
<server name="{name}" description="lab server" id="1AA" network="InspLab">
<admin name="lab" nick="lab" email="lab@localhost">
<bind address="{host}" port="{plain}" type="clients">
<bind address="{host}" port="{tls}" type="clients" sslprofile="lab">
<bind address="{host}" port="{link}" type="servers">
<sslprofile name="lab" provider="gnutls" certfile="{cert}.crt" keyfile="{cert}.key"
    requestclientcert="yes" hash="sha256">
<dns server="{host}" timeout="1">
<pid file="{root}/inspircd.pid">
<log method="file" type="* -USERINPUT -USEROUTPUT" level="default" target="{root}/ircd.log">
<connect name="lab" allow="*" resolvehostnames="no" useident="no" maxchans="60"
    timeout="30" pingfreq="{ping}" {pace}
    softsendq="10K" hardsendq="1M" recvq="{recvq}" localmax="2000" globalmax="2000"
    limit="2000" maxconnwarn="no">
<class name="all" commands="*" privs="*" usermodes="*" chanmodes="*" snomasks="*">
<type name="Lab" classes="all">
<oper name="{oper}" password="{oper_password}" host="*@*" type="Lab">
<link name="{services}" ipaddr="{host}" port="{link}" allowmask="127.0.0.0/8"
    sendpass="lab-link" recvpass="lab-link">
<uline server="{services}" silent="yes">
<sasl target="{services}" requiressl="no">
<options defaultmodes="not" hostintopic="yes" casemapping="rfc1459">
<performance nouserdns="yes">
<limits maxnick="30" maxchan="64" maxline="512">
<chanhistory bots="yes" maxlines="50" prefixmsg="yes">
<customprefix name="founder" letter="q" prefix="~" rank="50000" ranktoset="50000">
<customprefix name="admin" letter="a" prefix="&amp;" rank="40000" ranktoset="50000">
<customprefix name="halfop" letter="h" prefix="%" rank="20000" ranktoset="30000">
{more}
"""

ATHEME = """
{modules}
serverinfo {{
    name = "{services}"; desc = "lab services"; numeric = "00A"; recontime = 2;
    netname = "InspLab"; adminname = "lab"; adminemail = "lab@lab.invalid";
    registeremail = "lab@lab.invalid"; hidehostsuffix = "users.lab";
    loglevel = {{ error; info; network; }};
    maxlogins = 20; maxusers = 50; maxnicks = 20; mdlimit = 30; maxchans = 50;
    emaillimit = 1; emailtime = 300; auth = none; casemapping = rfc1459;
}};
uplink "{name}" {{
    host = "{host}"; port = {link};
    send_password = "lab-link"; receive_password = "lab-link";
}};
nickserv {{ nick = "NickServ"; user = "NickServ"; host = "{services}"; real = "nicks"; }};
chanserv {{ nick = "ChanServ"; user = "ChanServ"; host = "{services}"; real = "channels"; }};
saslserv {{ nick = "SaslServ"; user = "SaslServ"; host = "{services}"; real = "sasl"; }};
"""
ATHEME_FIRST = "backend/corestorage transport/rfc1459 backend/opensex crypto/pbkdf2v2 protocol/base36uid protocol/inspircd "
ATHEME_MODULES = """
    nickserv/main nickserv/register nickserv/identify nickserv/ghost nickserv/cert
    nickserv/set_core nickserv/set_pubkey nickserv/enforce
    nickserv/group nickserv/info nickserv/drop nickserv/logout
    chanserv/main chanserv/register chanserv/flags chanserv/op chanserv/invite
    chanserv/set_core chanserv/info
    saslserv/main saslserv/plain saslserv/external
    saslserv/ecdsa-nist256p-challenge
"""

def spawn_services(lab):
    program = find_program("usr/bin/atheme-services")
    (lab.root / "atheme").mkdir(exist_ok=True)
    return lab.spawn("services", [
        program, "-n", "-c", lab.root / "atheme.conf", "-D", lab.root / "atheme",
        "-p", lab.root / "atheme.pid", "-l", lab.root / "atheme.txt"])


def start(lab, args):
    program = find_program("usr/sbin/inspircd")
    folder = lab.reachable(UNPACKED)
    pki = make_pki(lab.root, ["localhost", NAME, "irc.test"])
    plain, tls, link = free_ports(3)
    more = [f'<module name="{m}">' for m in dict.fromkeys(MODULES.split())]
    if args.sts:
        more += ['<module name="ircv3_sts">',
                 f'<sts host="localhost" duration="5m" port="{tls}" preload="no">']
    if args.throttle:
        more += ['<module name="connflood">',
                 '<connflood period="30" maxconns="8" timeout="20" '
                 'quitmsg="Throttled: trying to reconnect too fast" bootwait="0">']
    if args.waitpong:
        more += ['<module name="conn_waitpong">',
                 '<waitpong sendsnotice="no" killonbadreply="yes">']
    names = dict(name=NAME, services=SERVICES, host=HOST, plain=plain, tls=tls, link=link,
                 root=lab.root, cert=pki / args.cert, oper=OPER,
                 folder=folder / "usr/lib/inspircd/modules",
                 oper_password=OPER_PASSWORD, ping=args.ping,
                 pace='threshold="1000000" commandrate="1000000" fakelag="no"' if args.lenient else
                 'threshold="10" commandrate="1000" fakelag="yes"',
                 recvq="1M" if args.lenient else "10K")
    lab.write("inspircd.conf", IRCD.format(more="\n".join(more), **names))
    atheme = str(libraries()).replace(str(UNPACKED), str(folder), 1) + "/atheme/modules"
    lab.write("atheme.conf", ATHEME.format(
        modules="\n".join(f'loadmodule "{atheme}/{m}";' for m in (ATHEME_FIRST + ATHEME_MODULES).split()),
        **names))
    child = lab.spawn("inspircd", [program, "--config", lab.root / "inspircd.conf", "--nofork"])
    lab.wait_for_port(child, tls)
    values = {}
    if args.services != "none":
        services = spawn_services(lab)
        if args.cert == "good":
            register_account(pki, tls, ACCOUNT, PASSWORD, child=services,
                             ecdsa=True)
        values = dict(ACCOUNT=ACCOUNT, PASSWORD=PASSWORD)
    lab.report(HOST=HOST, SERVER_NAME="localhost", PORT=plain, TLS_PORT=tls, CA=pki / "ca.pem",
               CERT_SHA256=fingerprint(pki / f"{args.cert}.crt"), OPER=OPER,
               OPER_PASSWORD=OPER_PASSWORD, CLIENT_CERT=pki / "client.crt",
               CLIENT_KEY=pki / "client.key", **values)


def stop_services(lab, _args):
    print("STOPPED=" + ",".join(map(str, lab.stop(only="services"))))


def start_services(lab, _args):
    child = spawn_services(lab)
    print(f"SERVICES_PID={child.pid}")


def options(parser):
    parser.add_argument("--services", choices=("atheme", "none"), default="atheme")
    parser.add_argument("--sts", action="store_true")
    parser.add_argument("--throttle", action="store_true")
    parser.add_argument("--waitpong", action="store_true")
    parser.add_argument("--lenient", action="store_true")
    parser.add_argument("--ping", type=int, default=120, metavar="SECONDS")


if __name__ == "__main__":
    sys.exit(main(__doc__, start, options, {"stop-services": stop_services,
                                            "start-services": start_services}))
