#!/bin/sh
# Installs the Debian packages that a build or the tests need, if any is missing.
#
#   needs.sh build
#   needs.sh test        what build needs, and more
#
# When all is there this asks dpkg and nobody else. Otherwise it installs as root or through sudo; without
# both it prints the one line to run and ends with status 1.
set -eu

# g++ stands for what Swift's linker takes from the system: a C library, libstdc++ and start files.
build="g++ pkg-config libcurl4-openssl-dev libssl-dev libyaml-dev libsqlite3-dev libolm-dev"
# Libraries and tools for servers that are unpacked, never installed (Tests/Servers/fetch.sh).
test="$build python3 python3-venv openssl ca-certificates libgnutls30 libident libltdl7"

case "${1:-}" in
build) wanted=$build ;;
test) wanted=$test ;;
*)
    echo "usage: needs.sh build|test" >&2
    exit 64
    ;;
esac

if ! command -v swift >/dev/null 2>&1; then
    {
        echo "Swift 6.3 or later is needed and no 'swift' is in PATH."
        echo "Get it from https://www.swift.org/install/linux/ and put its usr/bin into PATH, then run make again."
    } >&2
    exit 1
fi

if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "This is no Debian: see to it that what these packages hold is installed: $wanted" >&2
    exit 0
fi

missing=
for package in $wanted; do
    status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
missing=${missing# }

line="apt-get update && apt-get install -y --no-install-recommends $missing"
export DEBIAN_FRONTEND=noninteractive
if [ "$(id -u)" = 0 ]; then
    as_root=
elif command -v sudo >/dev/null 2>&1 && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
    as_root="sudo --preserve-env=DEBIAN_FRONTEND"
else
    echo "Packages are missing. Run this as root, then make again:" >&2
    echo "$line" >&2
    exit 1
fi
echo "Installing: $missing" >&2
$as_root apt-get update -qq </dev/null >&2
# shellcheck disable=SC2086 # the list is split on purpose
$as_root apt-get install -y -qq --no-install-recommends $missing </dev/null >&2
