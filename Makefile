# A newcomer needs make demo and make test; the other targets are for work on mcpctl.
GO ?= go
VERSION ?= $(shell git describe --tags --match 'v*' --always --dirty 2>/dev/null || echo devel)
LDFLAGS := -s -w -X main.buildVersion=$(VERSION)
# All targets build alike, as releases are built: static and reproducible. Go then compiles each package once.
export CGO_ENABLED ?= 0
export GOFLAGS := $(filter-out -trimpath,$(GOFLAGS)) -trimpath

DEADCODE := golang.org/x/tools/cmd/deadcode@v0.49.0
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
ACTIONLINT := github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
GORELEASER := github.com/goreleaser/goreleaser/v2@v2.15.1
ACT := github.com/nektos/act@v0.2.89
CONFORMANCE := 0.2.0-alpha.12 0.1.16
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.8.0

.PHONY: build extras picture demo test test-full race cover lint vuln cross release-check release docs
.PHONY: test-packages test-recipes test-fleet test-kubernetes test-real test-systems test-browser conformance
.PHONY: bench cost scale corpus check-corpus orders oracle composed fuzz soak nightly clean

build:                ## build bin/mcpctl
	$(GO) build -ldflags '$(LDFLAGS)' -o bin/mcpctl ./cmd/mcpctl

extras: build         ## write the manual page and completions of an archive to bin/extras
	mkdir -p bin/extras
	bin/mcpctl man --output bin/extras/mcpctl.1
	bin/mcpctl completion bash >bin/extras/mcpctl.bash
	bin/mcpctl completion zsh >bin/extras/_mcpctl
	bin/mcpctl completion fish >bin/extras/mcpctl.fish

picture: build        ## draw the tasks of docs/first-minute.md, and two releases of a real package
	$(GO) build -o bin/tickets ./examples/tickets
	sh scripts/picture.sh bin docs/pictures

demo: build           ## list, save and compare the example server
	$(GO) build -ldflags '-s -w' -o bin/tickets ./examples/tickets
	PATH="$(CURDIR)/bin:$$PATH" sh examples/demo.sh

test:                 ## run the hermetic tests, or those of PACKAGES
	sh scripts/test.sh -timeout 9m -parallel 5 $(or $(PACKAGES),./...)

test-full:            ## run the same, with seeded and corpus-wide properties in full
	MCPCTL_FULL=1 sh scripts/test.sh -count=1 -timeout 60m -parallel 5 ./...

race: export CGO_ENABLED = 1
race:                 ## run the scripts with the race detector; cover does so with internal/ and pkg/
	sh scripts/test.sh -race -timeout 25m -parallel 4 ./cmd/mcpctl -run '^TestScripts$$'

cover:                ## test pkg/ and internal/ with the race detector and at least 85 % coverage of pkg/
	sh scripts/cover.sh

lint:                 ## check formatting, vet, licences in NOTICE, staticcheck, dead code and workflows
	@unformatted=$$(gofmt -l cmd pkg internal examples *.go); test -z "$$unformatted" || { echo "gofmt: $$unformatted"; exit 1; }
	$(GO) vet ./...
	$(GO) vet -tags bench,browser,conformance,fleet,packages,real,recipes,scale,soak . ./cmd/mcpctl ./internal/...
	$(GO) mod verify
	@for system in linux darwin windows; do GOOS=$$system $(GO) list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}' ./cmd/mcpctl; done | \
		sort -u | { missing=; while read -r module; do grep -q "^  $$module " NOTICE || missing="$$missing $$module"; done; test -z "$$missing" || { echo "NOTICE lacks$$missing"; exit 1; }; }
	$(GO) run $(STATICCHECK) -checks all,-ST1005 ./...
	@dead=$$($(GO) run $(DEADCODE) -test ./...) || exit 1; test -z "$$dead" || { echo "$$dead"; exit 1; }
	$(GO) run $(ACTIONLINT)

vuln:                 ## find known vulnerabilities
	sh scripts/vuln.sh $(GOVULNCHECK)

cross:                ## compile for every released system
	sh scripts/cross.sh

release-check:        ## validate .goreleaser.yaml and build a release of PROCESSORS without publishing it
	sh scripts/release-check.sh $(GORELEASER) $(or $(PROCESSORS),amd64 arm64)

release:              ## publish the checked-out tag (run by .github/workflows/release.yml)
	$(GO) run $(GORELEASER) release --clean

test-packages:        ## fetch, lock, pack and install packages with the real npm, pip and Go, from this machine
	$(GO) test -tags packages -timeout 10m -parallel 4 -v -run '^(TestPackages|TestNPMPublish|TestInstalledVersion)$$' ./cmd/mcpctl

test-fleet:           ## check 1,000 servers in shards of a Slurm array, one of them killed, and merge the reports
	$(GO) test -tags fleet -count=1 -timeout 10m -v -run '^TestFleet' ./cmd/mcpctl

test-kubernetes:      ## run examples/fleet/kubernetes on a cluster of one node, built once (MCPCTL_KUBERNETES=DIR)
	$(GO) test -tags fleet -count=1 -timeout 60m -v -run '^TestOnKubernetes$$' ./cmd/mcpctl

test-real:            ## run pinned servers from npm and Go; SERVERS=all adds those that take minutes to build
	sh scripts/test-real.sh $(SERVERS)

conformance:          ## run the pinned conformance suites from npm and compare with cmd/mcpctl/testdata/conformance.md
	CONFORMANCE="$(CONFORMANCE)" sh scripts/conformance.sh $(UPDATE)

test-systems:         ## run arm64 under qemu, Windows under Wine, the action under act, the hook under pre-commit
	sh scripts/test-systems.sh $(ACT)

test-browser:         ## check the HTML report in Chromium; MCPCTL_SCREENSHOTS=DIR keeps pictures
	sh scripts/test-browser.sh

test-recipes:         ## follow the recipes of .github/CONTRIBUTING.md in a copy of the tree
	$(GO) test -tags recipes -count=1 -timeout 30m -v -run '^TestRecipes$$' .

docs:                 ## generate docs/rules.md and the list of applications in docs/config.md
	$(GO) test -count=1 ./cmd/mcpctl -run Documented -update

bench: build          ## run Go benchmarks and whole-process comparisons (docs/performance.md)
	sh scripts/bench.sh

cost:                 ## measure hostile lists of COST bytes; a megabyte needs an idle machine
	$(GO) test -count=1 -timeout 30m ./cmd/mcpctl -run '^(TestCost|TestCostGrowsWithTheBytes|TestReportsFitTheLists)$$' -cost=$(or $(COST),250000) -v

scale:                ## measure fleets: SCALE="SERVERS… / SAVED SNAPSHOTS…"
	MCPCTL_SCALE="$(or $(SCALE),100 1000 10000 / 1000 10000 100000)" $(GO) test -count=1 -timeout 0 -tags scale -v -run '^TestScale$$' ./cmd/mcpctl

corpus:               ## check labelled pairs, and each tool of the releases alone
	$(GO) test -count=1 ./pkg/schema/internal/oracle -run 'Corpus|RealEvolution' -v
	$(GO) test -count=1 ./pkg/diff -run 'Surface|Everyday|Real|Alone' -v -args -every-tool

check-corpus:         ## count findings of each rule of check in LISTINGS
	$(GO) test ./pkg/check -count=1 -run TestRealListings -v -listings "$(or $(LISTINGS),../../testdata/listings/.)"

orders:               ## learn internal/wording/orders.txt from its texts, and try it on texts that it does not know
	$(GO) test -count=1 ./internal/wording -run '^TestOrder' -v -args -update

oracle:               ## compare random schemas with an independent validator: FOR=1h SEED=N
	$(GO) test -count=1 -timeout 0 ./pkg/schema/internal/oracle -run '^TestOracle$$' -v \
		-args -for $(or $(FOR),1h) -seed $(or $(SEED),$(shell date +%s))

composed:             ## compare N compositions of changes with an independent validator: SEED=N
	$(GO) test -count=1 -timeout 0 ./pkg/diff -run '^TestComposed' -v -args -compositions $(or $(N),20000) -seed $(or $(SEED),$(shell date +%s))

fuzz:                 ## run every fuzz test: FOR=30s
	sh scripts/fuzz.sh $(or $(FOR),30s)

nightly:              ## run what takes too long for CI: fleets, other systems, soak, fuzzing, cost
	bash .ci/nightly

soak:                 ## watch many servers that change at random: SOAK="SERVERS DURATION" (Linux)
	MCPCTL_SOAK="$(or $(SOAK),1000 5m)" $(GO) test -count=1 -timeout 0 -tags soak ./cmd/mcpctl -run '^TestSoak' -v

clean:
	rm -rf bin dist coverage
