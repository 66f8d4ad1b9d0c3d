# Everything is installed through Go modules only.
GO      ?= go
BIN     := $(CURDIR)/bin
FUZZTIME ?= 10s
# Go counts the shrinking of what it finds as part of the time, up to a minute for each.
FUZZMINIMIZETIME ?= 10x
FUZZPACKAGES ?= ./...
FUZZ ?= ^Fuzz
GOTESTFLAGS ?=

.PHONY: all
all: test lint verify

.PHONY: build
build: ## Build schemagen into bin/.
	$(GO) build -o $(BIN)/schemagen ./cmd/schemagen

.PHONY: demo
demo: build ## Generate the CRD of examples/quickstart and show what a mistake looks like.
	@./hack/demo.sh $(BIN)/schemagen

.PHONY: test
test: ## Run all tests.
	$(GO) test -timeout 30m $(GOTESTFLAGS) ./... # a package takes minutes on a loaded machine

.PHONY: race
race: ## Run what works side by side under the race detector.
	$(GO) test -race ./verify ./internal/inputs
	$(GO) test -race ./cmd/schemagen -run 'TestTry|TestTwoRunsAtOnce|TestWatch|TestServe|TestReload|TestScripts/(crd|verify|try|openapi)$$'
	$(GO) test -race ./generator/internal/build -run 'TestCases|TestSameBytes'

.PHONY: lint
lint: ## gofmt -s, go vet, staticcheck, and go.mod tidiness.
	@test -z "$$(gofmt -s -l $$(git ls-files '*.go' | grep -v testdata))" || { gofmt -s -d $$(git ls-files '*.go' | grep -v testdata); exit 1; }
	$(GO) vet ./...
	$(GO) tool -modfile=tools/go.mod staticcheck ./...
	$(GO) mod tidy -diff

.PHONY: examples
examples: ## Test the examples that are modules of their own.
	cd examples/webhook && $(GO) vet ./... && $(GO) test ./...
	cd examples/operator && $(GO) vet ./...

.PHONY: generate
generate: build ## Rewrite everything that is generated and checked in.
	$(GO) test ./generator/internal/build -run '^TestReference$$' -update -count=1 # is built into what the next line runs
	$(GO) test ./generator/internal/build ./generator/suggest ./generator/uniongen ./cmd/schemagen ./markers -run 'TestCases|TestUnionCases|TestSuggest|TestTypedPackages|TestScripts|TestCodesPage|TestMarkersPage|TestConfigSchema|TestDeclarativeTags' -update -count=1
	$(GO) generate ./...
	$(GO) test . -run '^TestPicture$$' -update -count=1
	cd examples/webhook && $(BIN)/schemagen unions ./api/... --policy config/policy && $(BIN)/schemagen crd ./api/... -o config/crd --omit-tool-version
	$(MAKE) -C examples/operator generate manifests CONTROLLER_GEN=$(BIN)/schemagen

.PHONY: verify
verify: generate ## Regenerate; fail on a difference.
	git diff --exit-code
	@test -z "$$(git status --porcelain)" || { git status --short; exit 1; }

.PHONY: cel-costs
cel-costs: ## Ask the libraries of each version of Kubernetes what CEL rules cost; a test of apiserver compares.
	rm -f apiserver/testdata/celcosts.tsv
	cd apiserver/testdata/celcosts && for file in 1.*.mod; do $(GO) run -modfile=$$file . $${file%.mod} schema.yaml ../celcosts.tsv || exit; done

.PHONY: parity
parity: ## Compare every CRD of real API modules with controller-gen's, byte for byte.
	$(GO) run -C bench . parity

.PHONY: field
field: ## Run both tools over public repositories; hold files and findings against bench/field.txt.
	$(GO) run -C bench . field

.PHONY: bench
bench: ## Time schemagen and controller-gen side by side on real API modules.
	$(GO) run -C bench . time

.PHONY: growth
growth: ## Measure generated modules of up to 1,000 kinds, and draw docs/growth.svg and docs/growth.png.
	$(GO) run -C bench . growth -o $(CURDIR)/docs/growth.csv
	$(GO) run -C bench/plot . $(CURDIR)/docs/growth.csv $(CURDIR)/docs/growth.svg $(CURDIR)/docs/growth.png

.PHONY: e2e
e2e: ## Ask a real etcd and kube-apiserver; K8S=v1.35.4 is another version, KUBECTLS=all takes older versions of kubectl, too.
	E2E_K8S=$(K8S) E2E_KUBECTLS=$(KUBECTLS) $(GO) test -C e2e -count=1 -timeout 0 $(GOTESTFLAGS) .

.PHONY: e2e-break
e2e-break: ## Break a copy of the sources in twelve ways; the tests of e2e must see each.
	E2E_BREAK=1 $(GO) test -C e2e -count=1 -timeout 0 -v -run '^TestBreakages$$' .

.PHONY: test-web
test-web: ## Ask a validator, yaml-language-server and a browser; installs what is missing.
	./hack/web.sh -count=1 -timeout 15m $(GOTESTFLAGS)

.PHONY: fuzz
fuzz: ## Run every fuzz target of FUZZPACKAGES for FUZZTIME.
	@for p in $$($(GO) list $(FUZZPACKAGES)); do for f in $$($(GO) test -list '$(FUZZ)' $$p | grep '^Fuzz'); do \
	  $(GO) test $$p -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -fuzzminimizetime $(FUZZMINIMIZETIME) || exit 1; done; done
