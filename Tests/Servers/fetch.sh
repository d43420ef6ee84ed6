#!/bin/sh
# Puts the servers that the end to end tests talk to into a folder. Nothing is installed, so no daemon
# starts on this machine and none stays:
#
#   FOLDER/unpacked  InspIRCd, atheme, ngIRCd, ircd-hybrid and ZNC, unpacked from Debian's packages
#   FOLDER/venv    Synapse in a virtual environment, pinned by requirements.txt
#   FOLDER/peer    what peer.py needs, in one of its own, pinned by peer/requirements.txt
#
#   fetch.sh [FOLDER [peer]]     (default: .build/test-servers of this checkout; "peer": that part alone)
#
# A second run does nothing. Their libraries, python3-venv and openssl come from scripts/needs.sh.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
folder=${1:-$here/../../.build/test-servers}
packages="inspircd atheme-services ngircd ircd-hybrid znc"
mkdir -p "$folder"
folder=$(CDPATH='' cd -- "$folder" && pwd)

say() { echo "fetch.sh: $*" >&2; }

# ZNC's libraries have their version in the name of the package; apt knows which it is.
libraries_of_znc() {
    apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces \
        --no-enhances znc 2>/dev/null | grep -E '^lib(boost-(locale|thread)|icu)[0-9.]+$' | sort -u
}

unpack_irc_servers() {
    stamp=$folder/unpacked/.packages
    [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$packages" ] && return
    say "unpacking $packages"
    # apt downloads as the account _apt, which must be able to write where the files go.
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    chmod 755 "$work"
    mkdir "$work/debs" "$work/unpacked"
    if [ "$(id -u)" = 0 ] && id _apt >/dev/null 2>&1; then chown _apt "$work/debs"; fi
    # shellcheck disable=SC2086 # the list is split on purpose
    if ! (cd "$work/debs" && apt-get download -qq $packages $(libraries_of_znc)); then
        say "apt-get could not download them; 'apt-get update' as root may be what is missing"
        exit 1
    fi
    for deb in "$work"/debs/*.deb; do dpkg-deb -x "$deb" "$work/unpacked"; done
    echo "$packages" >"$work/unpacked/.packages"
    rm -rf "$folder/unpacked"
    mv "$work/unpacked" "$folder/unpacked"
    chmod 755 "$folder/unpacked"
    rm -rf "$work"
    trap - EXIT
}

# What the unpacked programs need and neither the system nor the folder has.
missing_libraries() {
    root=$folder/unpacked
    LD_LIBRARY_PATH=$(echo "$root"/usr/lib/*-linux-gnu) \
        ldd "$root/usr/sbin/inspircd" "$root/usr/lib/inspircd/modules/m_ssl_gnutls.so" \
        "$root/usr/bin/atheme-services" "$root/usr/sbin/ngircd" \
        "$root/usr/sbin/ircd-hybrid" "$root/usr/bin/znc" | sed -n 's/^[[:space:]]*\(.*\) => not found.*/\1/p' | sort -u
}

# An environment of FOLDER from PyPI's wheels; more options of pip's may follow.
install() {
    into=$folder/$1 pinned=$here/$2 what=$3
    shift 3
    stamp=$into/.requirements
    [ -f "$stamp" ] && cmp -s "$pinned" "$stamp" && return
    say "installing $what from PyPI (about a minute)"
    rm -rf "$into"
    "${PYTHON:-python3}" -m venv "$into"
    "$into/bin/pip" install --quiet --disable-pip-version-check --no-input \
        --only-binary=:all: "$@" -r "$pinned" >&2
    cp "$pinned" "$stamp"
}

install_peer() {
    # Of atomicwrites, a few lines of Python, PyPI has the source alone.
    install peer peer/requirements.txt 'the encrypted peer' --no-binary=atomicwrites
}

if [ "${2:-}" = peer ]; then
    install_peer
    exit
fi

unpack_irc_servers
lacking=$(missing_libraries)
if [ -n "$lacking" ]; then
    say "libraries are missing: $lacking"
    exit 1
fi
install venv requirements.txt Synapse
install_peer
