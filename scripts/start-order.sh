#!/bin/sh
# Writes the names of the functions that a start and the first answers need, from profiles of the release program, so that the
# linker can put them side by side: the system loads programs in pieces of 64 KB, and strewn about they take 2 MiB more.
# A name that is no longer there is passed over, so the list need not be new, only likely.
#
#   valgrind --tool=callgrind --demangle=no --callgrind-out-file=one.out .build/release/gifbot run   # join, answer, stop
#   scripts/start-order.sh one.out... > scripts/start.order
set -eu

program=$(dirname -- "$0")/../.build/release/gifbot
names=$(mktemp)
trap 'rm -f "$names"' EXIT
nm "$program" | awk 'NF == 3 && $2 ~ /[tTwW]/ { print $3 }' | LC_ALL=C sort -u > "$names"
# A profile writes each name once, where it stands first; 'N is the Nth level of a recursion.
sed -nE "s/^c?fn=\([0-9]+\) //; t found; b; : found; s/'[0-9]+\$//; p" "$@" | LC_ALL=C sort -u | LC_ALL=C comm -12 "$names" -
