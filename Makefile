# The two commands for everybody: make run, make test. `make help` lists the rest.

SERVERS := .build/test-servers
FUZZ_SECONDS ?= 30

.PHONY: help run build test unit end-to-end servers peer bench lint fuzz clean
.DEFAULT_GOAL := help

help:
	@echo 'make run      install what is missing, build, then `gifbot run` with ./bot.yaml, or `gifbot chat` without one'
	@echo 'make test     install what the tests need and run them all: unit tests, then end to end with real servers'
	@echo 'make build    a release build, in .build/release/gifbot'
	@echo 'make unit     the unit tests alone; make end-to-end: the others alone'
	@echo 'make lint     the format, and the rules that no compiler knows'
	@echo 'make fuzz     the fuzz targets, FUZZ_SECONDS=30 each'
	@echo 'make bench    the small measurements of single parts'
	@echo 'make clean    remove what was built'

# Standard input and standard output belong to the program; what the build says goes to standard error.
run: build
	@if [ -f bot.yaml ]; then exec .build/release/gifbot run; else exec .build/release/gifbot chat; fi

build:
	@scripts/needs.sh build
	@mkdir -p .build/lean && ln -sf "$$(cc -print-file-name=libstdc++.a)" .build/lean/libstdc++.a
	@swift build -c release --static-swift-stdlib --product gifbot >&2

test: servers unit end-to-end

# One after the other: the suites share a process, and with it descriptors, children and the loop.
# Some talk to another implementation of the cryptography: they fail without it, as they would be skipped unseen.
unit: peer
	GIFBOT_PEER=required swift test --no-parallel --skip '^EndToEnd\.'

# The servers are looked for first: that is quick, and a build is not.
end-to-end: servers
	swift test --no-parallel --filter '^EndToEnd\.'

servers:
	@scripts/needs.sh test
	@Tests/Servers/fetch.sh $(SERVERS)

# The part of them that unit tests need.
peer:
	@scripts/needs.sh test
	@Tests/Servers/fetch.sh $(SERVERS) peer

bench:
	@scripts/needs.sh build
	@swift build -c release --product bench >&2
	@.build/release/bench

lint:
	@scripts/needs.sh build
	@scripts/lint.sh

fuzz:
	@scripts/needs.sh build
	@Tests/Fuzz/run.sh $(FUZZ_SECONDS)

clean:
	rm -rf .build
