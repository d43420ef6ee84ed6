#!/bin/sh
# Builds the fuzz targets with libFuzzer and the address sanitizer and runs each from its corpus.
#
#   run.sh [SECONDS] [TARGET...]      (default: 30 seconds each, all targets)
#
# SwiftPM builds the modules under test; an executable of its own can't be linked with libFuzzer's main, so
# the harnesses are compiled here. What a run finds besides is kept in .build/fuzz/found, inputs that crash
# in .build/fuzz/crashes. To keep one, give it a name in corpus/TARGET.
set -eu

cd "$(dirname -- "$0")/../.."
seconds=${1:-30}
[ $# -eq 0 ] || shift
targets=${*:-irc session yaml json giphy images matrix events keys devices}
build=$PWD/.build/fuzz
bin=$build/release
export SWIFT_BACKTRACE=interactive=no,color=no

modules() {
    case $1 in
    irc | session) echo IRC ;;
    yaml) echo YAML Base ;;
    json) echo JSON ;;
    giphy) echo GiphySearch Base Files Images JSON HTTP CSamples ;;
    images) echo Images ;;
    matrix) echo Matrix MatrixCrypto JSON HTTP ;;
    events | keys | devices) echo Matrix Libolm COlm MatrixCrypto OpenSSL JSON HTTP ;;
    *)
        echo "run.sh: no fuzz target $1" >&2
        exit 64
        ;;
    esac
}

# What a target needs besides its own file.
equipment() {
    case $1 in
    events | keys | devices) echo Tests/Fuzz/Crypto/*.swift Tests/TestSupport/MemoryKeyStore.swift ;;
    esac
}

# Where the module maps of the C libraries lie.
maps=$(find Sources -name module.modulemap -exec dirname {} \; | sed 's/^/-I /' | tr '\n' ' ')

# Each module once, however many targets want it.
for target in $targets; do modules "$target" >/dev/null; done
for module in $(for target in $targets; do modules "$target"; done | tr ' ' '\n' | sort -u); do
    swift build -c release --target "$module" --scratch-path "$build" --sanitize address \
        -Xswiftc -sanitize=fuzzer >"$build.log" 2>&1 || { cat "$build.log" >&2; exit 1; }
done

for target in $targets; do
    objects=
    for module in $(modules "$target"); do
        objects="$objects $(find -L "$bin/$module.build" -name '*.o' 2>/dev/null | tr '\n' ' ')"
    done
    # shellcheck disable=SC2086 # lists, split on purpose
    swiftc -O -parse-as-library -swift-version 6 -sanitize=fuzzer,address -module-name "Fuzz_$target" \
        -I "$bin/Modules" $maps -I "$bin/CSamples.build" \
        "Tests/Fuzz/$target.swift" Tests/Fuzz/Input.swift $(equipment "$target") $objects -o "$bin/fuzz-$target" 2>"$build.log" ||
        { cat "$build.log" >&2; exit 1; }
done

run() {
    mkdir -p "$build/found/$1" "$build/crashes"
    "$bin/fuzz-$1" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=8192 \
        -artifact_prefix="$build/crashes/$1-" -print_final_stats=1 -close_fd_mask=1 \
        "$build/found/$1" "Tests/Fuzz/corpus/$1" </dev/null >"$build/$1.log" 2>&1
}

told() {
    echo "fuzz $1: $seconds s from $(find "Tests/Fuzz/corpus/$1" -type f | wc -l) seeds"
    if [ "$2" = 0 ]; then
        sed -n 's/^stat::number_of_executed_units: */  inputs: /p' "$build/$1.log"
    else
        tail -n 40 "$build/$1.log" >&2
        failed="$failed $1"
    fi
}

# As many at a time as there are processors: each keeps one busy, and all take equally long.
failed=
# shellcheck disable=SC2086 # a list
set -- $targets
while [ $# -gt 0 ]; do
    wave=
    count=0
    while [ $# -gt 0 ] && [ "$count" -lt "$(nproc)" ]; do
        run "$1" &
        wave="$wave $1:$!"
        count=$((count + 1))
        shift
    done
    for one in $wave; do
        status=0
        wait "${one#*:}" || status=$?
        told "${one%:*}" "$status"
    done
done
[ -z "$failed" ] || { echo "fuzz: failed:$failed" >&2; exit 1; }
