#!/usr/bin/env python3
"""Starts, prepares and stops a real Matrix homeserver (Synapse) for tests.

Everything the server writes is kept under one data directory, so a test can
throw it away afterwards or keep it and start the same server again (to see how
a bot resumes). The server listens on 127.0.0.1 only and never federates.

    homeserver.py start  DATA --venv VENV [options]
    homeserver.py user   DATA NAME[:PASSWORD] [--admin] [--token]
    homeserver.py info   DATA
    homeserver.py stop   DATA
    homeserver.py run    DATA --venv VENV [options] -- COMMAND...

`start` prints one JSON object on stdout (the same that `info` prints): base
URL, server name, pid, how long the start took and how much memory it uses.
`run` starts a server, runs COMMAND with MATRIX_URL, MATRIX_SERVER_NAME,
MATRIX_DATA and MATRIX_REGISTRATION_SECRET set, stops the server and exits with
COMMAND's status.

Only the standard library is used, so any Python 3.9 or later can run it.
"""

import argparse
import hashlib
import hmac
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

STATE = "server.json"

# Synapse takes JSON wherever it takes YAML, so the configuration is plain JSON
# and needs no YAML writer here.

UNLIMITED = {"per_second": 10000, "burst_count": 10000}

# Without any of these keys Synapse applies its own defaults: 0.2 events a
# second after a burst of 10, 5 logins and then one in 5.5 minutes, and so on.
RAISED_LIMITS = {
    "rc_message": UNLIMITED,
    "rc_registration": UNLIMITED,
    "rc_registration_token_validity": UNLIMITED,
    "rc_login": {
        "address": UNLIMITED,
        "account": UNLIMITED,
        "failed_attempts": UNLIMITED,
    },
    "rc_joins": {"local": UNLIMITED, "remote": UNLIMITED},
    "rc_joins_per_room": UNLIMITED,
    "rc_invites": {
        "per_room": UNLIMITED,
        "per_user": UNLIMITED,
        "per_issuer": UNLIMITED,
    },
    "rc_media_create": UNLIMITED,
    "rc_room_creation": UNLIMITED,
    "rc_presence": {"per_user": UNLIMITED},
    "rc_key_requests": UNLIMITED,
}

# A server that gives out very few sends, so that one short test meets
# M_LIMIT_EXCEEDED at once and does not have to wait long for the next slot.
TIGHT_LIMITS = dict(
    RAISED_LIMITS, rc_message={"per_second": 0.5, "burst_count": 2}
)

LIMITS = {"raised": RAISED_LIMITS, "default": {}, "tight": TIGHT_LIMITS}


class Failure(Exception):
    pass


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def load(data):
    try:
        with open(os.path.join(data, STATE)) as f:
            return json.load(f)
    except FileNotFoundError:
        raise Failure("no server was ever started in %s" % data)


def save(data, state):
    path = os.path.join(data, STATE)
    with open(path + ".new", "w") as f:
        json.dump(state, f, indent=2, sort_keys=True)
        f.write("\n")
    os.replace(path + ".new", path)


def is_ours(state):
    """True while the recorded pid is still the server started from this data
    directory (a recycled pid is never signalled)."""
    pid = state.get("pid")
    if not pid:
        return False
    try:
        with open("/proc/%d/cmdline" % pid, "rb") as f:
            return state["config"].encode() in f.read().split(b"\0")
    except OSError:
        return False


def memory_kib(pid):
    found = {}
    try:
        with open("/proc/%d/status" % pid) as f:
            for line in f:
                key, _, rest = line.partition(":")
                if key in ("VmRSS", "VmHWM"):
                    found[key] = int(rest.split()[0])
    except OSError:
        pass
    return found


def call(method, url, body=None, token=None, timeout=30):
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = "Bearer " + token
    payload = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, payload, headers, method=method)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=timeout) as response:
            return response.status, json.loads(response.read() or b"{}")
    except urllib.error.HTTPError as error:
        text = error.read()
        try:
            return error.code, json.loads(text)
        except ValueError:
            return error.code, {"raw": text.decode("utf-8", "replace")}


def wait_ready(state, process, seconds):
    url = state["base_url"] + "/_matrix/client/versions"
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process.poll() is not None:
            raise Failure(
                "the server ended with status %s; see %s"
                % (process.returncode, state["log"])
            )
        try:
            status, answer = call("GET", url, timeout=2)
            if status == 200 and answer.get("versions"):
                return answer
        except (OSError, ValueError):
            pass
        time.sleep(0.05)
    raise Failure("not ready after %s s; see %s" % (seconds, state["log"]))


def write_config(data, options, state):
    def inside(name):
        return os.path.join(data, name)

    config = {
        "server_name": state["server_name"],
        "public_baseurl": state["base_url"] + "/",
        "pid_file": inside("synapse.pid"),
        "listeners": [
            {
                "port": state["port"],
                "bind_addresses": ["127.0.0.1"],
                "type": "http",
                "tls": False,
                "x_forwarded": False,
                "resources": [{"names": ["client"], "compress": False}],
            }
        ],
        "database": {
            "name": "sqlite3",
            "args": {"database": inside("homeserver.db")},
        },
        "log_config": inside("log.config"),
        "media_store_path": inside("media"),
        "signing_key_path": inside("signing.key"),
        "registration_shared_secret": state["registration_secret"],
        "macaroon_secret_key": state["macaroon_secret"],
        "form_secret": state["form_secret"],
        "report_stats": False,
        "enable_registration": False,
        # Nothing ever leaves this machine.
        "federation_domain_whitelist": [],
        "trusted_key_servers": [],
        "suppress_key_server_warning": True,
        "url_preview_enabled": False,
        "push": {"enabled": False},
        "allow_public_rooms_over_federation": False,
        "enable_room_list_search": True,
        "max_upload_size": options.max_upload,
        # Speeds up the many account creations of a test run.
        "bcrypt_rounds": 4,
    }
    if options.room_version:
        config["default_room_version"] = options.room_version
    if options.token_lifetime:
        # Access tokens of clients that ask for a refresh token end after this
        # long; so do those of clients that do not, which then are logged out.
        config["refreshable_access_token_lifetime"] = options.token_lifetime
        config["nonrefreshable_access_token_lifetime"] = options.token_lifetime
    if options.appservice:
        config["app_service_config_files"] = [
            os.path.abspath(p) for p in options.appservice
        ]
    if options.module:
        name = os.path.splitext(os.path.basename(options.module))[0]
        config["modules"] = [{"module": name + ".Module", "config": {}}]
    config.update(LIMITS[options.limits])
    for extra in options.set or []:
        key, _, value = extra.partition("=")
        config[key] = json.loads(value)

    with open(state["config"], "w") as f:
        json.dump(config, f, indent=2, sort_keys=True)
    with open(inside("log.config"), "w") as f:
        json.dump(
            {
                "version": 1,
                "disable_existing_loggers": False,
                "formatters": {
                    "line": {
                        "format": "%(asctime)s %(levelname)s %(name)s %(request)s %(message)s"
                    }
                },
                "handlers": {
                    "file": {
                        "class": "logging.FileHandler",
                        "filename": state["log"],
                        "formatter": "line",
                    }
                },
                "root": {"level": options.log_level, "handlers": ["file"]},
            },
            f,
            indent=2,
        )


def make_signing_key(path, venv):
    if os.path.exists(path):
        return
    done = subprocess.run(
        [os.path.join(venv, "bin", "generate_signing_key"), "-o", path],
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        raise Failure("no signing key could be made: " + done.stderr.strip())


def start(options):
    data = os.path.abspath(options.data)
    os.makedirs(data, exist_ok=True)
    venv = os.path.abspath(options.venv)
    python = os.path.join(venv, "bin", "python")
    if not os.path.exists(python):
        raise Failure("no virtual environment at %s (run make test, or Tests/Servers/fetch.sh)" % venv)

    try:
        state = load(data)
    except Failure:
        state = {
            "server_name": options.server_name,
            "registration_secret": secrets.token_hex(24),
            "macaroon_secret": secrets.token_hex(24),
            "form_secret": secrets.token_hex(24),
            "users": {},
        }
    if is_ours(state):
        raise Failure("already running as pid %d" % state["pid"])

    # A data directory keeps its port, so a client under test can reconnect to
    # the restarted server.
    port = options.port or state.get("port") or free_port()
    state.update(
        {
            "data": data,
            "venv": venv,
            "port": port,
            "base_url": "http://127.0.0.1:%d" % port,
            "config": os.path.join(data, "homeserver.yaml"),
            "log": os.path.join(data, "homeserver.log"),
            "limits": options.limits,
        }
    )
    write_config(data, options, state)
    make_signing_key(os.path.join(data, "signing.key"), venv)

    environment = dict(os.environ, MALLOC_ARENA_MAX="2", PYTHONDONTWRITEBYTECODE="1")
    if options.module:
        environment["PYTHONPATH"] = os.path.dirname(os.path.abspath(options.module))
    began = time.monotonic()
    with open(os.path.join(data, "homeserver.out"), "ab") as out:
        process = subprocess.Popen(
            [python, "-m", "synapse.app.homeserver", "-c", state["config"]],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            cwd=data,
            start_new_session=True,
            env=environment,
        )
    state["pid"] = process.pid
    save(data, state)
    try:
        versions = wait_ready(state, process, options.timeout)
    except BaseException:
        end_process(state, 5)
        raise
    state["ready_seconds"] = round(time.monotonic() - began, 2)
    state["memory_kib"] = memory_kib(process.pid)
    state["versions"] = versions.get("versions", [])
    save(data, state)

    for spec in options.user or []:
        add_user(data, spec, False, False)
    for spec in options.admin or []:
        add_user(data, spec, True, False)
    return load(data)


def add_user(data, spec, admin, token):
    state = load(data)
    name, _, password = spec.partition(":")
    password = password or secrets.token_urlsafe(12)
    url = state["base_url"] + "/_synapse/admin/v1/register"
    status, answer = call("GET", url)
    if status != 200:
        raise Failure("no nonce: %s %s" % (status, answer))
    nonce = answer["nonce"]
    mac = hmac.new(state["registration_secret"].encode(), digestmod=hashlib.sha1)
    mac.update(
        b"\0".join(
            part.encode()
            for part in (nonce, name, password, "admin" if admin else "notadmin")
        )
    )
    status, answer = call(
        "POST",
        url,
        {
            "nonce": nonce,
            "username": name,
            "displayname": name,
            "password": password,
            "admin": admin,
            "mac": mac.hexdigest(),
            "inhibit_login": not token,
        },
    )
    if status != 200 and answer.get("errcode") == "M_USER_IN_USE":
        return dict(state["users"].get(name, {}), user_id=user_id(state, name))
    if status != 200:
        raise Failure("user %s: %s %s" % (name, status, answer))
    entry = {
        "user_id": answer.get("user_id", user_id(state, name)),
        "password": password,
        "admin": admin,
    }
    if token:
        entry["access_token"] = answer["access_token"]
        entry["device_id"] = answer["device_id"]
    state["users"][name] = entry
    save(data, state)
    return entry


def user_id(state, name):
    return "@%s:%s" % (name, state["server_name"])


def end_process(state, seconds):
    """Ends the recorded server by its pid; True if it had to be killed."""
    if not is_ours(state):
        return False
    pid = state["pid"]
    os.kill(pid, signal.SIGTERM)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            # Reaps it when it is our own child; a zombie would look alive.
            os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            pass
        if not is_ours(state):
            return False
        time.sleep(0.05)
    os.kill(pid, signal.SIGKILL)
    return True


def stop(data, seconds):
    state = load(data)
    last = memory_kib(state["pid"]) if is_ours(state) else {}
    began = time.monotonic()
    running = is_ours(state)
    killed = end_process(state, seconds)
    state["pid"] = None
    save(data, state)
    return {
        "was_running": running,
        "killed": killed,
        "stop_seconds": round(time.monotonic() - began, 2),
        "memory_kib": last,
    }


def info(data):
    state = load(data)
    state["running"] = is_ours(state)
    if state["running"]:
        state["memory_kib"] = memory_kib(state["pid"])
    return state


def run(options, command):
    state = start(options)
    environment = dict(
        os.environ,
        MATRIX_URL=state["base_url"],
        MATRIX_SERVER_NAME=state["server_name"],
        MATRIX_DATA=state["data"],
        MATRIX_REGISTRATION_SECRET=state["registration_secret"],
    )
    try:
        return subprocess.call(command, env=environment)
    finally:
        stop(state["data"], 10)


def add_start_options(p):
    p.add_argument("data", help="directory for everything the server writes")
    p.add_argument("--venv", required=True, help="environment made by fetch.sh")
    p.add_argument("--port", type=int, help="default: a free one, kept for later starts")
    p.add_argument("--server-name", default="gifbot.test")
    p.add_argument(
        "--limits",
        choices=sorted(LIMITS),
        default="raised",
        help="raised: practically none; default: Synapse's own; tight: 2 sends, then one in 2 s",
    )
    p.add_argument("--room-version", help="version of new rooms (default: the server's)")
    p.add_argument("--token-lifetime", help="such as 5s: access tokens expire after it")
    p.add_argument("--max-upload", default="50M")
    p.add_argument("--appservice", action="append", metavar="FILE", help="registration file")
    p.add_argument("--module", metavar="FILE", help="a Synapse module, its class called Module")
    p.add_argument("--user", action="append", metavar="NAME[:PASSWORD]")
    p.add_argument("--admin", action="append", metavar="NAME[:PASSWORD]")
    p.add_argument("--set", action="append", metavar="KEY=JSON", help="any other config key")
    p.add_argument("--log-level", default="WARNING")
    p.add_argument("--timeout", type=float, default=90)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    add_start_options(verbs.add_parser("start"))
    add_start_options(verbs.add_parser("run"))
    p = verbs.add_parser("user")
    p.add_argument("data")
    p.add_argument("spec", metavar="NAME[:PASSWORD]")
    p.add_argument("--admin", action="store_true")
    p.add_argument("--token", action="store_true", help="also log in and record the token")
    p = verbs.add_parser("stop")
    p.add_argument("data")
    p.add_argument("--timeout", type=float, default=15)
    p = verbs.add_parser("info")
    p.add_argument("data")
    # What follows "--" is the command of `run`, not ours to interpret.
    words = sys.argv[1:]
    command = []
    if "--" in words:
        cut = words.index("--")
        words, command = words[:cut], words[cut + 1 :]
    options = parser.parse_args(words)

    try:
        if options.verb == "start":
            answer = start(options)
        elif options.verb == "user":
            answer = add_user(
                os.path.abspath(options.data), options.spec, options.admin, options.token
            )
        elif options.verb == "stop":
            answer = stop(os.path.abspath(options.data), options.timeout)
        elif options.verb == "info":
            answer = info(os.path.abspath(options.data))
        else:
            if not command:
                raise Failure("no command to run: write it after --")
            return run(options, command)
    except Failure as failure:
        print("homeserver: %s" % failure, file=sys.stderr)
        return 1
    json.dump(answer, sys.stdout, indent=2, sort_keys=True)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
