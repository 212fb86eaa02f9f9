# make demo and make test are all that a newcomer needs; the other targets are for work on mcpctl.
GO ?= go
VERSION ?= $(shell git describe --tags --match 'v*' --always --dirty 2>/dev/null || echo devel)
LDFLAGS := -s -w -X main.buildVersion=$(VERSION)
# A build as it is released: static, and without the manual pages of urfave/cli, which cost each start half a millisecond.
RELEASED := CGO_ENABLED=0 $(GO) build -trimpath

DEADCODE := golang.org/x/tools/cmd/deadcode@v0.49.0
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
ACTIONLINT := github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
GORELEASER := github.com/goreleaser/goreleaser/v2@v2.15.1
ACT := github.com/nektos/act@v0.2.89
CONFORMANCE := 0.2.0-alpha.12 0.1.16
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.8.0

.PHONY: build extras picture demo test race cover lint vuln cross release-check release docs
.PHONY: test-packages test-fleet test-kubernetes test-real test-systems test-browser conformance
.PHONY: bench cost scale corpus check-corpus oracle composed fuzz soak nightly clean

build:                ## build bin/mcpctl
	$(RELEASED) -ldflags '$(LDFLAGS)' -o bin/mcpctl ./cmd/mcpctl

extras: build         ## bin/extras: the manual page and the completions, for archives
	mkdir -p bin/extras
	bin/mcpctl man --output bin/extras/mcpctl.1
	bin/mcpctl completion bash >bin/extras/mcpctl.bash
	bin/mcpctl completion zsh >bin/extras/_mcpctl
	bin/mcpctl completion fish >bin/extras/mcpctl.fish

picture: build        ## docs/pictures: the tasks of docs/first-minute.md, and two releases of a real package
	$(RELEASED) -o bin/tickets ./examples/tickets
	sh scripts/picture.sh bin docs/pictures

demo: build           ## the main job on the example server: list, show, snapshot, diff
	$(RELEASED) -ldflags '-s -w' -o bin/tickets ./examples/tickets
	PATH="$(CURDIR)/bin:$$PATH" sh examples/demo.sh

test:                 ## every hermetic test, or those of PACKAGES; scripts wait more than they work, so ten at once
	$(GO) test -timeout 25m -parallel 10 $(or $(PACKAGES),./...)

race:                 ## the same with the race detector
	$(GO) test -race -timeout 25m -parallel 4 ./...

cover:                ## statement coverage by the tests of PACKAGES, at least 85 % in pkg/; RACE=-race finds races, too
	sh scripts/cover.sh $(RACE)

lint:                 ## formatting, vet with every build tag, staticcheck, dead code, workflows
	@unformatted=$$(gofmt -l cmd pkg internal examples *.go); test -z "$$unformatted" || { echo "gofmt: $$unformatted"; exit 1; }
	$(GO) vet ./...
	$(GO) vet -tags bench,browser,conformance,fleet,packages,real,scale,soak ./cmd/mcpctl ./internal/...
	$(GO) mod verify
	$(GO) run $(STATICCHECK) -checks all,-ST1005 ./...
	@dead=$$($(GO) run $(DEADCODE) -test ./...) || exit 1; test -z "$$dead" || { echo "$$dead"; exit 1; }
	$(GO) run $(ACTIONLINT)

vuln:                 ## known vulnerabilities in what we call
	sh scripts/vuln.sh $(GOVULNCHECK)

cross:                ## every system and processor we ship for compiles
	sh scripts/cross.sh

release-check:        ## .goreleaser.yaml is valid, and a whole release can be built of what is here; publishes nothing
	sh scripts/release-check.sh $(GORELEASER)

release:              ## publish the tag that is checked out; .github/workflows/release.yml does it
	$(GO) run $(GORELEASER) release --clean

test-packages:        ## packages fetched, locked and packed with the real npm and pip, from registries on this machine
	$(GO) test -tags packages -timeout 25m -parallel 4 -v -run '^(TestPackages|TestNPMPublish)$$' ./cmd/mcpctl

test-fleet:           ## 1,000 servers in the parts of a real Slurm array, one of them killed, merged; says what it skips
	$(GO) test -tags fleet -count=1 -timeout 10m -v -run '^TestFleet' ./cmd/mcpctl

test-kubernetes:      ## examples/fleet/kubernetes on a real cluster of one node, which is built once and kept (MCPCTL_KUBERNETES=FOLDER); says what it skips
	$(GO) test -tags fleet -count=1 -timeout 60m -v -run '^TestOnKubernetes$$' ./cmd/mcpctl

test-real:            ## pinned real servers from npm and Go modules, over each transport they have
	sh scripts/test-real.sh

conformance:          ## the official conformance suites from npm, pinned, against mcpctl, held to cmd/mcpctl/testdata/conformance.md; UPDATE=-update renews it
	CONFORMANCE="$(CONFORMANCE)" sh scripts/conformance.sh $(UPDATE)

test-systems:         ## mcpctl for arm64 under qemu-user, for Windows under Wine, the action and the fleet of GitHub under act, the hook under pre-commit
	sh scripts/test-systems.sh $(ACT)

test-browser:         ## the HTML report in a real browser: layout, contrast, filters; MCPCTL_SCREENSHOTS=FOLDER keeps pictures
	sh scripts/test-browser.sh

docs:                 ## write docs/rules.md and the table of docs/discovery.md anew, from the code
	$(GO) test -count=1 ./cmd/mcpctl -run Documented -update

bench: build          ## Go benchmarks, and whole-process comparisons as ratios (docs/performance.md)
	sh scripts/bench.sh

cost:                 ## what hostile lists of COST bytes cost: each at most two seconds of processor time, which for a megabyte wants an idle machine
	$(GO) test -count=1 ./cmd/mcpctl -run '^(TestCost|TestCostGrowsWithTheBytes)$$' -cost=$(or $(COST),250000) -v

scale:                ## what fleets cost, as the table of docs/scale.md: SCALE="SERVERS… / SAVED SNAPSHOTS…"
	MCPCTL_SCALE="$(or $(SCALE),100 1000 10000 / 1000 10000 100000)" $(GO) test -count=1 -timeout 0 -tags scale -v -run '^TestScale$$' ./cmd/mcpctl

corpus:               ## the schema engine judged by pairs that others labelled, and the rules by exact cases
	$(GO) test -count=1 ./pkg/schema/internal/oracle -run 'Corpus|RealEvolution' -v
	$(GO) test -count=1 ./pkg/diff -run 'Surface|Everyday|Real' -v

check-corpus:         ## how often each rule of check speaks of the listings in LISTINGS, as a table
	$(GO) test ./pkg/check -count=1 -run TestRealListings -v -listings "$(or $(LISTINGS),../../testdata/listings/.)"

oracle:               ## random schemas against an independent validator, for as long as FOR says, and values against 10,000 pairs of schemas
	$(GO) test -count=1 -timeout 0 ./pkg/schema/internal/oracle -run '^(TestOracle|TestVerdictsHoldForEveryValueTried)$$' -v \
		-args -oracle.pairs 10000 -for $(or $(FOR),1h) -seed $(or $(SEED),$(shell date +%s))

composed:             ## changes of real tools, several at once, by an independent validator: N compositions by SEED
	$(GO) test -count=1 -timeout 0 ./pkg/diff -run '^TestComposed' -v -args -compositions $(or $(N),20000) -seed $(or $(SEED),$(shell date +%s))

fuzz:                 ## every fuzz test for as long as FOR says (30s)
	sh scripts/fuzz.sh $(or $(FOR),30s)

nightly:              ## what takes too long for CI: Slurm, Kubernetes, other systems, soak, fuzzing, cost; says what it skips
	bash .ci/nightly

soak:                 ## watch many servers that change at random: SOAK="SERVERS DURATION"; needs /proc
	MCPCTL_SOAK="$(or $(SOAK),1000 5m)" $(GO) test -count=1 -timeout 0 -tags soak ./cmd/mcpctl -run '^TestSoak$$' -v

clean:
	rm -rf bin dist coverage coverage.out
