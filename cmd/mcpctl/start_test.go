package main

import (
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/seen"
)

// slowStarts are the packages whose initialization may take more than a millisecond of each start, with the reason.
var slowStarts = map[string]string{
	"github.com/santhosh-tekuri/jsonschema/v6": "compiles its meta-schemas; the server of mcp-go imports it, and its client the server",
}

// TestStartIsShort names every package whose initialization takes more than a millisecond, in the best of ten starts.
func TestStartIsShort(t *testing.T) {
	line := regexp.MustCompile(`(?m)^init (\S+) @\S+ ms, (\S+) ms clock`)
	best := map[string]time.Duration{}
	for range 10 {
		cmd := exec.Command("mcpctl", "version")
		cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for _, found := range line.FindAllStringSubmatch(string(out), -1) {
			ms, err := strconv.ParseFloat(found[2], 64)
			if err != nil {
				t.Fatal(err)
			}
			took := time.Duration(ms * float64(time.Millisecond))
			if known, ok := best[found[1]]; !ok || took < known {
				best[found[1]] = took
			}
		}
	}
	if _, ok := best["testing"]; ok {
		t.Skip("NOT TESTED: the test binary stands in for mcpctl")
	}
	for name := range slowStarts {
		if _, ok := best[name]; !ok {
			t.Errorf("%s is not part of mcpctl any more", name)
		}
	}
	for name, took := range best {
		if took > time.Millisecond && slowStarts[name] == "" {
			t.Errorf("%s takes %v of each start", name, took)
		}
	}
}

// TestStartDecodesNoRules reads rules.json only where rules are needed. It starts itself again, since rules stay decoded:
// the first look at them is the one that allocates much.
func TestStartDecodesNoRules(t *testing.T) {
	const line = "MCPCTL_START"
	if words, started := os.LookupEnv(line); started {
		run(t.Context(), strings.Fields(words), host.Process{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		seen.AllRules()
		runtime.ReadMemStats(&after)
		t.Logf("%d allocations", after.Mallocs-before.Mallocs)
		if after.Mallocs-before.Mallocs < 1000 {
			t.Error("the rules were there already")
		}
		return
	}
	for words, decodes := range map[string]bool{
		"version": false, "--help": false, "list --help": false, "completion bash": false, "man": false, "rules": true,
		"list --generate-bash-completion": false, "call --generate-bash-completion": false, "rules --generate-bash-completion": true,
		"check --fail-on --generate-bash-completion": false,
	} {
		t.Run(words, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0], "-test.run=^TestStartDecodesNoRules$", "-test.v")
			cmd.Env = append(os.Environ(), line+"="+words, "MCPCTL_BUILT=1", "HOME="+t.TempDir())
			if out, err := cmd.CombinedOutput(); (err != nil) != decodes {
				t.Errorf("decodes %v, want %v\n%s", err != nil, decodes, out)
			}
		})
	}
}
