# Everything is installed through Go modules only.
GO      ?= go
BIN     := $(CURDIR)/bin
FUZZTIME ?= 10s
# Go counts minimizing a crasher, up to a minute for each, as fuzzing time.
FUZZMINIMIZETIME ?= 10x
FUZZPACKAGES ?= ./...
FUZZ ?= ^Fuzz
GOTESTFLAGS ?=
# Without cgo, as in releases, so that programs and tests share what is compiled, on machines with and without a C compiler.
export CGO_ENABLED ?= 0

.PHONY: all
all: test lint verify

.PHONY: build
build: ## Build schemagen into bin/.
	$(GO) build -o $(BIN)/schemagen ./cmd/schemagen

.PHONY: demo
demo: ## Compare with controller-gen on one project; show a mistake, a union and a diff.
	@./hack/demo.sh $(BIN)

.PHONY: check
check: ## Run go vet, and the tests of what has changed since BASE (default: main) and of the pages; about a minute.
	./hack/check.sh $(BASE)

# gotestsum names packages as they end, go test in their order. With -json, the log is for other programs. make lint
# runs go vet.
.PHONY: test
test: ## Run all tests, in about half an hour on two processors.
	@echo "All tests take about half an hour on two processors. Packages are listed as they end; make check is the quick test."
	$(if $(filter -json,$(GOTESTFLAGS)),$(GO) test,$(GO) tool -modfile=tools/go.mod gotestsum --format pkgname --) -vet=off -timeout 60m $(GOTESTFLAGS) ./... # on a loaded machine a package takes minutes

.PHONY: race
race: export CGO_ENABLED = 1
race: race-quick ## Run concurrent code, and generated functions of unions, under the race detector.
	$(GO) test -vet=off -race ./verify -run 'TestConcurrent|TestPartial|TestPacks|TestResult|TestRandom'
	$(GO) test -vet=off -race ./cmd/schemagen -run 'TestTry|TestTwoRunsAtOnce|TestWatch|TestServe|TestReload|TestScripts/(crd|verify|try|openapi)$$'
	$(GO) test -vet=off -race ./internal/passes -run TestSameBytes
	$(GO) test -vet=off ./internal/unions/uniongen -run '^TestFunctionsAreUsed$$' -typed-race

# For the rest, the API server's libraries have to be compiled for the detector, in ten minutes.
.PHONY: race-quick
race-quick: export CGO_ENABLED = 1
race-quick: ## Run what reads files, prints and serves concurrently under the race detector.
	$(GO) test -vet=off -race ./internal/ground/... ./internal/run/... ./internal/terminal ./cmd/schemagen/internal/httpserver -skip 'TestFactsImplyTheRecord|TestStandardLibrary'

.PHONY: lint
lint: ## Run gofmt -s, go vet, staticcheck, actionlint and tools/habits, and check that go.mod is tidy.
	@test -z "$$(gofmt -s -l $$(git ls-files '*.go' | grep -v testdata))" || { gofmt -s -d $$(git ls-files '*.go' | grep -v testdata); exit 1; }
	$(GO) vet ./...
	$(GO) tool -modfile=tools/go.mod staticcheck ./...
	$(GO) tool -modfile=tools/go.mod actionlint
	$(GO) -C tools vet ./habits ./updates && $(GO) -C tools test ./habits ./updates && $(GO) -C tools run ./habits $(CURDIR)
	$(GO) mod tidy -diff

.PHONY: examples
examples: ## Test the examples that are separate modules.
	cd examples/webhook && $(GO) vet ./... && $(GO) test -vet=off ./...
	cd examples/conversions && $(GO) vet ./... && $(GO) test -vet=off ./...
	cd examples/operator && $(GO) vet ./...
	cd examples/api && $(GO) vet ./... && $(GO) test -vet=off ./...

# Generated files do not name the revision that they were generated with.
generate: export GOFLAGS += -buildvcs=false
.PHONY: generate
generate: generate-code ## Regenerate all generated files, and what tests expect.
	$(GO) test $$($(GO) run -C tools ./updates $(CURDIR)) -update -count=1 -timeout 60m # all tests with a flag -update, see tools/updates

generate-code: export GOFLAGS += -buildvcs=false
.PHONY: generate-code
generate-code: build ## Regenerate all generated files but those that tests compare.
	$(GO) generate ./... # what is embedded in the packages that tests regenerate with
	cd examples/webhook && $(BIN)/schemagen unions ./api/... --set outputs.policies=config/policy && $(BIN)/schemagen crd ./api/... -o config/crd --set crd.omitToolVersion=true
	cd examples/conversions && $(BIN)/schemagen conversions ./api/... --set outputs.policies=config/policy && $(BIN)/schemagen object paths=./api/... && $(BIN)/schemagen crd ./api/... -o config/crd --set crd.omitToolVersion=true && $(BIN)/schemagen conversions ./functions/... --set conversions.style=functions && $(BIN)/schemagen object paths=./functions/...
	$(MAKE) -C examples/operator generate manifests CONTROLLER_GEN=$(BIN)/schemagen
	cd examples/operator && $(BIN)/schemagen generate --check

.PHONY: verify
verify: generate-code ## Regenerate all generated files; fail if they differ. make test compares the others.
	git diff --exit-code
	@test -z "$$(git status --porcelain)" || { git status --short; exit 1; }

.PHONY: types
types: ## Generate Go types from the CRDs of real modules, compile them, and record the results.
	dir=$$(mktemp -d) && $(GO) test ./internal/types/typegen -run '^TestCorpus$$' -v -count=1 -timeout 60m -corpus -build $$dir; status=$$?; rm -rf $$dir; exit $$status

.PHONY: cel-costs
cel-costs: ## Record the CEL costs estimated by the libraries of each Kubernetes version, for a test of apiserver.
	rm -f internal/apiserver/testdata/celcosts.tsv
	cd internal/apiserver/testdata/celcosts && for file in 1.*.mod; do $(GO) run -modfile=$$file . $${file%.mod} schema.yaml ../celcosts.tsv || exit; done

.PHONY: parity
parity: ## Compare every CRD of real API modules with controller-gen's, byte for byte (CASES=a,b: only of these).
	$(GO) run -C bench . parity $(if $(CASES),-case $(CASES))

.PHONY: random-markers
random-markers: ## Compare rbac and webhook with controller-gen's for 20,000 random packages, and record the outcome.
	$(GO) test ./internal/companions/configgen -run '^TestRandom$$' -packages 20000 -timeout 60m

.PHONY: mutations
mutations: ## Compare runs with and without a cache after 10,000 random changes of Go files, and record the outcome.
	$(GO) test ./cmd/schemagen -run '^TestFunctionChangesAreSeen$$' -mutations 10000 -seed 43 -timeout 120m

.PHONY: damages
damages: ## Damage Go files of ten public repositories 2,000 times, and record whether everything that is lost is reported.
	$(GO) run -C bench . damages -record

.PHONY: parity-object
parity-object: ## Compare the methods that object generates with controller-gen's: modules of the module cache, and 20,000 random packages.
	$(GO) test ./internal/companions/deepcopy -run 'TestModules|TestRandom' -modules . -packages 20000 -timeout 3h -update

.PHONY: clients
clients: ## Compare what is found about Go clients of modules of bench with compiled code, and with testdata/clients/modules.txt.
	$(GO) test ./internal/conventions/clients -run TestModules -modules -timeout 1h

.PHONY: analyzer
analyzer: ## Compare the analyzer with the generator for the packages of bench, and with testdata/analyzer/modules.txt.
	$(GO) test ./analyzer -run TestModules -modules -timeout 1h

.PHONY: erasures
erasures: ## Compare what is generated for a set of gates with what is generated from erased text, for 20,000 random sources, and record the outcome.
	$(GO) test ./internal/passes -run '^TestErasure$$' -erasures 20000 -timeout 2h

.PHONY: rule-presence rule-tables
rule-presence: ## Compare which fields rules read with the server's evaluation, for 100,000 random rules and objects, and record it. CHECKOUTS=DIR has repositories, as OWNER+NAME, whose rules are recorded, too.
	$(GO) test ./internal/rules -run '^(TestReadsMatchServer|TestCorpus)$$' -v -count=1 -timeout 1h -pairs 100000 -record $(if $(CHECKOUTS),-checkouts $(abspath $(CHECKOUTS)))

rule-tables: ## Compare tables of rules with the server's evaluation, for 100,000 random objects, and 10,000 markers and 10,000 modes with their rules, and record it. CHECKOUTS=DIR has repositories, as OWNER+NAME, whose sets of rules are recorded, too.
	$(GO) test ./internal/rules -run '^(TestTableMatchesServer$$|TestMeaning(Of|Answers)|TestSets$$)' -v -count=1 -timeout 1h -pairs 100000 -record $(if $(CHECKOUTS),-checkouts $(abspath $(CHECKOUTS)))

.PHONY: replaced
replaced: ## Replace hand-written rules by markers in six public modules, and record what changes in bench/replaced.txt.
	hack/replaced.sh >bench/replaced.txt

.PHONY: field
field: ## Run both tools on public repositories; compare files and findings with bench/field.txt.
	$(GO) run -C bench . field

.PHONY: search
search: ## Search the modules of bench for rbac and webhook markers without effect; compare with what is reported and with bench/search.txt.
	$(GO) run -C bench . search

.PHONY: conventions
conventions: ## Compare findings about API conventions with those of kube-api-linter on ten public repositories, and with bench/conventions.txt.
	$(GO) run -C bench . conventions

.PHONY: peers
peers: ## Give the test cases of Gateway API, apiextensions-apiserver, kube-api-linter and validation-gen to schemagen, and compare the verdicts with bench/peers.txt.
	$(GO) run -C bench . peers

.PHONY: conversion-cases
conversion-cases: ## Compile and run the conversions, and the tests of their laws, of all cases; make test takes every third.
	$(GO) test -vet=off -timeout 60m ./internal/conversions ./internal/conversions/laws -run '^(TestRun|TestCases)$$' -count=1 -all

.PHONY: laws
laws: ## Test the hand-written conversions of public modules, and compare the violations with bench/laws.txt.
	$(GO) run -C bench . laws

.PHONY: oracles
oracles: ## Generate conversions for copies of public modules, and compare them with the hand-written ones and with bench/oracles.txt.
	$(GO) run -C bench . oracles

.PHONY: conversion-speed
conversion-speed: ## Measure generated conversions of objects of 10 kB beside those that cluster-api wrote by hand, and record the result.
	$(GO) run -C bench . speed -record

.PHONY: versions
versions: ## Run each release of controller-gen since v0.14 on real projects, to see what changed.
	$(GO) run -C bench . versions -o $(BIN)/versions

.PHONY: migrate-real
migrate-real: ## Run migrate on projects made by Kubebuilder and on public repositories, and record the verdicts.
	$(GO) test ./internal/migrate -run '^Test(RealProjects|Kubebuilder|KubebuilderPlugin|Scaffolds)$$' -count=1 -timeout 60m -real -update

.PHONY: channels
channels: ## Measure what channels cost, and write bench/channels.txt.
	$(GO) run -C bench . channels -n 11 -record

.PHONY: lsp-edits
lsp-edits: ## Compare what schemagen lsp publishes after 10,000 random edits with runs of crd, and record the outcome.
	$(GO) test ./cmd/schemagen -run '^TestLSPRandom$$' -edits 10000 -editseed 24 -recordedits -timeout 120m

.PHONY: lsp
lsp: ## Measure an editor's session in the largest definitions, and write bench/lsp.txt.
	$(GO) run -C bench . lsp -record

.PHONY: review-speed
review-speed: ## Measure reviews of 25 CRDs, and write bench/review.txt.
	$(GO) run -C bench . review -record

.PHONY: bounds
bounds: ## Measure the CPU of every command by the size of its input and after an interrupt, and write bench/bounds.txt.
	$(GO) run -C bench . bounds -record

.PHONY: dialects
dialects: ## Compare the CRDs that gateway-api and openshift/api publish with ours, and write bench/dialects.txt. OPENSHIFT=DIR is a checkout to compare besides the module, OPCON=DIR one of operator-controller.
	$(GO) run -C bench . dialects -record $(if $(OPENSHIFT),-openshift $(abspath $(OPENSHIFT))) $(if $(OPCON),-opcon $(abspath $(OPCON)))

.PHONY: bench
bench: ## Time schemagen and controller-gen side by side on real API modules, and write the tables of docs/performance.md and docs/dev/performance.md.
	$(GO) run -C bench . time -record

.PHONY: growth
growth: ## Measure generated modules by their sizes, such as up to 1,000 kinds, and draw docs/growth*-*.svg and docs/growth.png.
	$(GO) run -C bench . growth -o $(CURDIR)/docs/growth.csv
	$(GO) run -C bench/plot . $(CURDIR)/docs/growth.csv kinds $(CURDIR)/docs/growth-light.svg $(CURDIR)/docs/growth-dark.svg $(CURDIR)/docs/growth.png
	$(GO) run -C bench/plot . $(CURDIR)/docs/growth.csv 'small kinds,rules,versions,properties,depth' $(CURDIR)/docs/growth-modules-light.svg $(CURDIR)/docs/growth-modules-dark.svg

.PHONY: e2e
e2e: ## Test against a real etcd and kube-apiserver (K8S=v1.35.4: another version, KUBECTLS=all: also older kubectls).
	E2E_K8S=$(K8S) E2E_KUBECTLS=$(KUBECTLS) $(GO) test -C e2e -count=1 -timeout 0 $(GOTESTFLAGS) .

.PHONY: e2e-break
e2e-break: ## Break a copy of the sources in twelve ways, each of which the e2e tests must detect.
	E2E_BREAK=1 $(GO) test -C e2e -count=1 -timeout 0 -v -run '^TestBreakages$$' .

.PHONY: release-snapshot
release-snapshot: ## Build the archives, image and formula of the current commit into bin/release (TARGETS=linux/amd64: fewer systems).
	rm -rf $(BIN)/release
	$(GO) run -C tools/release . -C $(CURDIR) -snapshot $(addprefix -targets=,$(TARGETS)) -o $(BIN)/release

.PHONY: release
release: ## Build the release of the tag of the current commit into bin/release.
	rm -rf $(BIN)/release
	$(GO) run -C tools/release . -C $(CURDIR) -o $(BIN)/release

.PHONY: api-diff
api-diff: ## List the changes of the exported Go API since the last tag (BASE=COMMIT: since another commit).
	./hack/apidiff.sh $(BASE)

.PHONY: release-cut
release-cut: ## Turn "Unreleased" in CHANGELOG.md into VERSION=vX.Y.Z of today, and install that version in README.md and docs/.
	$(GO) run -C tools/release . -C $(CURDIR) cut $(VERSION) $$(date -u +%F)

.PHONY: test-release
test-release: ## Test what makes and publishes releases, with a small program.
	cd tools/release && $(GO) vet . && $(GO) test -vet=off . $(GOTESTFLAGS)

.PHONY: test-action
test-action: ## Test the GitHub action with a local server for the files of release-snapshot.
	$(MAKE) release-snapshot TARGETS=$$($(GO) env GOOS)/$$($(GO) env GOARCH)
	$(GO) test ./cmd/schemagen -run '^TestAction$$' -count=1 -release $(BIN)/release

.PHONY: test-web
test-web: ## Test with a validator, yaml-language-server and a browser; installs missing programs.
	./hack/web.sh -count=1 -timeout 15m $(GOTESTFLAGS)
	cd web && $(GO) vet ./playground/... && $(GO) test -vet=off $(GOTESTFLAGS) ./playground/...

.PHONY: test-editors
test-editors: ## Drive the language server from Neovim and VS Code's library, and build the extension; installs missing programs.
	./hack/editors.sh

.PHONY: test-golangci
test-golangci: ## Test the plugin of golangci-lint, also in a golangci-lint that is built with it.
	cd tools/golangci && $(GO) vet . && $(GO) test -vet=off $(GOTESTFLAGS) .
	cd tools/golangci/lint && $(GO) vet .

.PHONY: pictures
pictures: ## Draw terminals, a review, README and the book into bin/pictures, and what the book shows into docs/pictures.
	mkdir -p $(BIN)/pictures
	./hack/web.sh -count=1 -run '^Test(Book|Review)?Pictures$$' -pictures $(BIN)/pictures
	for file in docs/pictures/*.png; do cp $(BIN)/pictures/$${file##*/} $$file; done

.PHONY: book
book: ## Render docs/ and README.md as a site in bin/book, and check its links; installs npm if it is missing.
	$(GO) -C tools/book tool hugo --cleanDestinationDir --noBuildLock --quiet
	$(GO) -C web run ./playground/build -o $(BIN)/book
	$(GO) -C tools/book vet . && $(GO) -C tools/book test -count=1 . # the site is no input of the test cache

.PHONY: pictures-docs
pictures-docs: ## Take pictures of the documentation page in both themes, wide and on a phone, into bin/pictures-docs.
	mkdir -p $(BIN)/pictures-docs
	./hack/web.sh -count=1 -run '^TestShots$$' -shots $(BIN)/pictures-docs

.PHONY: fuzz
fuzz: ## Run every fuzz target of FUZZPACKAGES for FUZZTIME.
	@for p in $$($(GO) list $(FUZZPACKAGES)); do for f in $$($(GO) test -list '$(FUZZ)' $$p | grep '^Fuzz'); do \
	  $(GO) test $$p -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -fuzzminimizetime $(FUZZMINIMIZETIME) || exit 1; done; done
	@[ '$(FUZZPACKAGES)' != ./... ] || $(GO) -C examples/conversions test . -run '^$$' -fuzz '$(FUZZ)' -fuzztime $(FUZZTIME) -fuzzminimizetime $(FUZZMINIMIZETIME)
