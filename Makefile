# make demo    the main job, on a recorded session
# make test    everything that has to hold, under ten minutes on two cores
# make help    all targets

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:

NEXT    := go1.27.3
BIN     := $(CURDIR)/bin
NESTED  := tools internal/bench examples/otel examples/wsproxy
MODULES := . $(NESTED)

FUZZTIME ?= 2s
SOAK     ?= 20m

.PHONY: help
help: ## this list
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 18

.PHONY: demo
demo: ## forward a recorded session and say what passed
	go run ./examples/proxy -demo

# Two at a time, since much of it waits for processes and sockets.
.PHONY: test
test: ## all that continuous integration runs
	@$(MAKE) --no-print-directory -j2 --output-sync=target unit vet staticcheck next nested soak-short other-machines fuzz-short examples format
	@echo "make test: all passed"

.PHONY: format
format: ## fail where gofmt would change something
	@bad=$$(git ls-files '*.go' | xargs gofmt -l); if [ -n "$$bad" ]; then echo "not formatted by gofmt:" $$bad; exit 1; fi

.PHONY: vet
vet: ## go vet and tidy go.mod files, in every module
	@for m in $(MODULES); do echo "vet $$m"; (cd $$m && go mod tidy -diff && go vet ./...); done

$(BIN)/staticcheck: tools/go.mod
	@mkdir -p $(BIN)
	cd tools && go build -o $(BIN)/ honnef.co/go/tools/cmd/staticcheck

.PHONY: staticcheck
staticcheck: $(BIN)/staticcheck ## staticcheck at a fixed version, in every module
	@for m in $(MODULES); do echo "staticcheck $$m"; (cd $$m && $(BIN)/staticcheck ./...); done

# Most of the conformance kit is one goroutine over large messages, which the race detector slows down fifteen times: it runs
# without, and what it does with goroutines runs with.
.PHONY: unit
unit: ## the tests of the root module under the race detector
	go test -race -timeout 30m $$(go list ./... | grep -v /envelopetest)
	go test ./envelopetest
	go test -race -run Transport ./envelopetest

.PHONY: nested
nested: ## the tests of the nested modules
	@for m in $(filter-out examples/wsproxy,$(NESTED)); do echo "test $$m"; (cd $$m && go test ./...); done
	cd examples/wsproxy && go test -race ./...

.PHONY: examples
examples: ## run every example program once
	go run ./examples/quickstart
	go run ./examples/proxy -demo >/dev/null
	go run ./examples/vendor-extensions
	go run ./examples/negotiate
	go run ./examples/stdiotap -summary -- cat <testdata/recordings/ts-tracing.ndjson >/dev/null
	go run ./examples/arcpcat -check testdata/recordings/*.ndjson
	cd examples/otel && go run . >/dev/null

.PHONY: next
next: ## the same tests on the next Go release, with and without encoding/json/v2
	@if GOTOOLCHAIN=$(NEXT) go version; then \
		set -x; \
		GOTOOLCHAIN=$(NEXT) go test -timeout 30m ./...; \
		GOTOOLCHAIN=$(NEXT) GOEXPERIMENT=nojsonv2 go build ./...; \
		GOTOOLCHAIN=$(NEXT) GOEXPERIMENT=nojsonv2 go test ./envelope; \
	elif [ -n "$${CI:-}" ]; then \
		echo "$(NEXT) cannot be fetched"; exit 1; \
	else \
		echo "$(NEXT) cannot be fetched: the tests on it are left out"; \
	fi

.PHONY: other-machines
other-machines: ## the tests with 32-bit integers and on a big-endian machine
	GOARCH=386 go vet ./...
	GOARCH=s390x go vet ./...
	./scripts/test-on 386 ./internal/... ./envelope ./xvendor ./event ./negotiate ./tracecontext
	./scripts/test-on s390x ./internal/... ./xvendor

.PHONY: fuzz-short
fuzz-short: ## every fuzz target for a few seconds
	@FUZZPARALLEL=1 ./scripts/fuzz 2s

.PHONY: fuzz
fuzz: ## every fuzz target for FUZZTIME
	@./scripts/fuzz $(FUZZTIME)

.PHONY: soak-short
soak-short: ## one minute of soak
	SOAK=1m go test -race -count=1 -run '^TestSoak$$' -v .

.PHONY: soak
soak: ## eight goroutines, random and hostile messages, for SOAK
	SOAK=$(SOAK) go test -race -count=1 -timeout 0 -run '^TestSoak$$' -v .

.PHONY: bench
bench: ## measure beside other libraries; fails where a bar of docs/performance.md is missed
	cd internal/bench && go run ./cmd/measure

.PHONY: bench-record
bench-record: ## measure on both Go releases and write docs/performance.md
	@cd internal/bench; status=0; \
		go run ./cmd/measure -record || status=1; \
		GOTOOLCHAIN=$(NEXT) go run ./cmd/measure -record || status=1; \
		go run ./cmd/report; \
		exit $$status

.PHONY: load
load: ## 500 connections of 200 messages each through wsproxy
	cd examples/wsproxy && go test -run Load -load -timeout 15m -v .

.PHONY: cover
cover: ## statement coverage of the public packages and internal/ by all tests of the module
	@mkdir -p $(BIN)
	go test -coverprofile=$(BIN)/cover.out -coverpkg=./internal/...,./envelope,./xvendor,./event,./negotiate,./tracecontext,./envelopetest ./... >/dev/null
	@go tool cover -func=$(BIN)/cover.out | tail -1

.PHONY: hostile
hostile: ## inputs of 100 MB that aim at time and memory, with the times of every bomb
	HOSTILE=100000000 go test -count=1 -timeout 1h -run 'TestHostileAtScale|EndlessLine' -v ./envelope

SAMPLE ?= 50
# Tests that run only for faults that the others miss.
SLOW := Bomb|Linear|Nesting|Alloc|Bytes|Alive|AtScale|Endless|ReadingAndEncodingAtOnce|Suite

.PHONY: mutate
mutate: ## mutation testing, SAMPLE faults a package (0: all); see docs/mutation.md
	@mkdir -p $(BIN)
	cd tools && go build -o $(BIN)/ ./mutate
	nice $(BIN)/mutate -sample $(SAMPLE) -slow '$(SLOW)' ./internal/scan ./internal/object ./internal/traceparent ./envelope ./xvendor ./event ./negotiate ./tracecontext

.PHONY: vuln
vuln: ## govulncheck in every module, where its database can be reached
	@./scripts/vuln $(MODULES)
