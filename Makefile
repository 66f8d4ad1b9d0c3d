# Everything is installed through Go modules only.
GO      ?= go
BIN     := $(CURDIR)/bin
FUZZTIME ?= 10s
# Go counts minimizing a crasher, up to a minute for each, as fuzzing time.
FUZZMINIMIZETIME ?= 10x
FUZZPACKAGES ?= ./...
FUZZ ?= ^Fuzz
GOTESTFLAGS ?=

.PHONY: all
all: test lint verify

.PHONY: build
build: ## Build schemagen into bin/.
	CGO_ENABLED=0 $(GO) build -o $(BIN)/schemagen ./cmd/schemagen

.PHONY: demo
demo: build ## Generate CRDs of the Gateway API and a small project, and show diagnostics.
	@./hack/demo.sh $(BIN)/schemagen

.PHONY: test
test: ## Run all tests.
	$(GO) test -timeout 30m $(GOTESTFLAGS) ./... # on a loaded machine a package takes minutes

.PHONY: race
race: ## Run concurrent code under the race detector.
	$(GO) test -race ./verify ./internal/inputs
	$(GO) test -race ./cmd/schemagen -run 'TestTry|TestTwoRunsAtOnce|TestWatch|TestServe|TestReload|TestScripts/(crd|verify|try|openapi)$$'
	$(GO) test -race ./generator/internal/build -run 'TestCases|TestSameBytes'

.PHONY: lint
lint: ## Run gofmt -s, go vet and staticcheck, and check that go.mod is tidy.
	@test -z "$$(gofmt -s -l $$(git ls-files '*.go' | grep -v testdata))" || { gofmt -s -d $$(git ls-files '*.go' | grep -v testdata); exit 1; }
	$(GO) vet ./...
	$(GO) tool -modfile=tools/go.mod staticcheck ./...
	$(GO) mod tidy -diff

.PHONY: examples
examples: ## Test the examples that are separate modules.
	cd examples/webhook && $(GO) vet ./... && $(GO) test ./...
	cd examples/operator && $(GO) vet ./...

# Generated files do not name the revision that they were generated with.
generate: export GOFLAGS += -buildvcs=false
.PHONY: generate
generate: build ## Regenerate all generated files.
	$(GO) test ./generator/internal/build -run '^TestReference$$' -update -count=1 # embedded in the packages tested next
	$(GO) test ./generator/internal/build ./generator/internal/configgen ./generator/suggest ./generator/uniongen ./cmd/schemagen ./markers -run 'TestCases|TestUnionCases|TestSuggest|TestTypedPackages|TestScripts|TestCodesPage|TestMarkersPage|TestConfigSchema|TestDeclarativeTags' -update -count=1
	$(GO) generate ./...
	$(GO) test . -run '^TestPicture$$' -update -count=1
	cd examples/webhook && $(BIN)/schemagen unions ./api/... --policy config/policy && $(BIN)/schemagen crd ./api/... -o config/crd --omit-tool-version
	$(MAKE) -C examples/operator generate manifests CONTROLLER_GEN=$(BIN)/schemagen

.PHONY: verify
verify: generate ## Regenerate all generated files; fail if they differ.
	git diff --exit-code
	@test -z "$$(git status --porcelain)" || { git status --short; exit 1; }

.PHONY: cel-costs
cel-costs: ## Record the CEL costs estimated by the libraries of each Kubernetes version, for a test of apiserver.
	rm -f apiserver/testdata/celcosts.tsv
	cd apiserver/testdata/celcosts && for file in 1.*.mod; do $(GO) run -modfile=$$file . $${file%.mod} schema.yaml ../celcosts.tsv || exit; done

.PHONY: parity
parity: ## Compare every CRD of real API modules with controller-gen's, byte for byte.
	$(GO) run -C bench . parity

.PHONY: random-markers
random-markers: ## Compare rbac and webhook with controller-gen's for 20,000 random packages, and record the outcome.
	$(GO) test ./generator/internal/configgen -run '^TestRandom$$' -packages 20000 -timeout 60m

.PHONY: mutations
mutations: ## Compare runs with and without a cache after 10,000 random changes of Go files, and record the outcome.
	$(GO) test ./cmd/schemagen -run '^TestFunctionChangesAreSeen$$' -mutations 10000 -seed 18 -timeout 120m

.PHONY: parity-object
parity-object: ## Compare the methods that object generates with controller-gen's: modules of the module cache, and 20,000 random packages.
	$(GO) test ./generator/deepcopy -run 'TestModules|TestRandom' -modules . -packages 20000 -timeout 3h -update

.PHONY: field
field: ## Run both tools on public repositories; compare files and findings with bench/field.txt.
	$(GO) run -C bench . field

.PHONY: search
search: ## Search the modules of bench for rbac and webhook markers without effect; compare with what is reported and with bench/search.txt.
	$(GO) run -C bench . search

.PHONY: bench
bench: ## Time schemagen and controller-gen side by side on real API modules, and write docs/performance.md.
	$(GO) run -C bench . time -record

.PHONY: growth
growth: ## Measure generated modules of up to 1,000 kinds, and draw docs/growth.svg and docs/growth.png.
	$(GO) run -C bench . growth -o $(CURDIR)/docs/growth.csv
	$(GO) run -C bench/plot . $(CURDIR)/docs/growth.csv $(CURDIR)/docs/growth.svg $(CURDIR)/docs/growth.png

.PHONY: e2e
e2e: ## Test against a real etcd and kube-apiserver (K8S=v1.35.4: another version, KUBECTLS=all: also older kubectls).
	E2E_K8S=$(K8S) E2E_KUBECTLS=$(KUBECTLS) $(GO) test -C e2e -count=1 -timeout 0 $(GOTESTFLAGS) .

.PHONY: e2e-break
e2e-break: ## Break a copy of the sources in twelve ways, each of which the e2e tests must detect.
	E2E_BREAK=1 $(GO) test -C e2e -count=1 -timeout 0 -v -run '^TestBreakages$$' .

.PHONY: test-web
test-web: ## Test with a validator, yaml-language-server and a browser; installs missing programs.
	./hack/web.sh -count=1 -timeout 15m $(GOTESTFLAGS)

.PHONY: pictures
pictures: ## Draw what terminals show into bin/pictures, and those of the book into docs/pictures.
	mkdir -p $(BIN)/pictures
	./hack/web.sh -count=1 -run '^TestPictures$$' -pictures $(BIN)/pictures
	for file in docs/pictures/*.png; do cp $(BIN)/pictures/$${file##*/} $$file; done

.PHONY: fuzz
fuzz: ## Run every fuzz target of FUZZPACKAGES for FUZZTIME.
	@for p in $$($(GO) list $(FUZZPACKAGES)); do for f in $$($(GO) test -list '$(FUZZ)' $$p | grep '^Fuzz'); do \
	  $(GO) test $$p -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -fuzzminimizetime $(FUZZMINIMIZETIME) || exit 1; done; done
