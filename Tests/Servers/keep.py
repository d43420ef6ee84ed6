#!/usr/bin/env python3
"""Starts a server of this folder, keeps it while standard input is open, then stops it.

    keep.py SCRIPT DIR [OPTIONS...]     SCRIPT start DIR OPTIONS..., later SCRIPT stop DIR

Prints what `SCRIPT start` printed, then the line READY (or FAILED, with what was said on standard
error, and status 1). A test run that crashes or is killed closes the pipe, and so leaves no server.
DIR is removed at the end.
"""

import shutil
import signal
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main():
    script, folder, options = sys.argv[1], sys.argv[2], sys.argv[3:]
    # A child of a Swift test starts with the signals blocked that Dispatch's threads block; a server must hear SIGTERM.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    # A Ctrl-C for the test run ends it, and then this notices by the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Path(folder).mkdir(parents=True, exist_ok=True)
    Path(folder).chmod(0o755)
    command = [sys.executable, str(HERE / script)]
    started = subprocess.run([*command, "start", folder, *options], stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, text=True)
    sys.stdout.write(started.stdout)
    print("FAILED" if started.returncode else "READY", flush=True)
    if started.returncode == 0:
        sys.stdin.buffer.read()
        subprocess.run([*command, "stop", folder], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
    shutil.rmtree(folder, ignore_errors=True)
    return 1 if started.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
