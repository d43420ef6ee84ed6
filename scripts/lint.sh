#!/bin/sh
# The format, and rules of the project that no compiler checks.
set -u

cd "$(dirname -- "$0")/.." || exit 1
failed=0

swift format lint --strict --recursive Sources Tests Package.swift || failed=1

# Foundation costs megabytes and milliseconds; tests may use it.
found=$(grep -rnE --include='*.swift' \
    '^[[:space:]]*(@[A-Za-z_() ]+[[:space:]]+)*((public|package|internal|fileprivate|private)[[:space:]]+)?import[[:space:]]+(struct |class |enum |func |protocol |typealias |let |var )?Foundation' \
    Sources)
if [ -n "$found" ]; then
    echo "no target of the program imports Foundation:" >&2
    echo "$found" >&2
    failed=1
fi

# What ARCHITECTURE.md calls pure, sans-IO or without I/O stays so; two files of IRC look for bytes with memchr.
found=$(grep -rnE --include='*.swift' --exclude-dir=Libolm \
    'import (Dispatch|Glibc|Files|Net|Curl|SQLite|OpenSSL|YAML)\b' \
    Sources/Protocols/Chat Sources/Protocols/IRC/Core Sources/Protocols/Matrix/Core Sources/Protocols/Matrix/Crypto \
    Sources/RateLimiter Sources/gifbot/Bot Sources/Platform/JSON Sources/Platform/HTTP Sources/Platform/Images |
    grep -vE '^Sources/Protocols/IRC/Core/(Session/Relevance|Wire/LineFramer)\.swift:[0-9]+:import Glibc$')
if [ -n "$found" ]; then
    echo "these targets do no I/O of their own:" >&2
    echo "$found" >&2
    failed=1
fi

# Whoever reads the code has no tracker beside it: the reason stands in the comment itself.
found=$(grep -rnE --include='*.swift' 'BUG-[0-9]' Sources)
if [ -n "$found" ]; then
    echo "numbers of a tracker:" >&2
    echo "$found" >&2
    failed=1
fi

# The formatter leaves comments as they are.
found=$(LC_ALL=C.UTF-8 grep -rnE --include='*.swift' '^.{133}' Sources Tests | grep -E '^[^:]+:[0-9]+:[[:space:]]*//')
if [ -n "$found" ]; then
    echo "comments beyond column 132:" >&2
    echo "$found" >&2
    failed=1
fi

long=$(find Sources Tests -name '*.swift' -exec wc -l {} + | awk '$2 != "total" && $1 > 400 { print $1, $2 }')
if [ -n "$long" ]; then
    echo "files over 400 lines:" >&2
    echo "$long" >&2
    failed=1
fi

exit $failed
