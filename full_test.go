package mcpctl

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestReducedPropertiesRunInFull: what make test runs in part runs in full at night. There is one switch, MCPCTL_FULL, the
// nightly run sets it for all tests, and no other switch leaves a part out of both.
func TestReducedPropertiesRunInFull(t *testing.T) {
	text := func(file string) string {
		t.Helper()
		read, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(read)
	}
	if !strings.Contains(text(".ci/nightly"), "\nstep make test-full\n") {
		t.Error(".ci/nightly does not run make test-full")
	}
	target := regexp.MustCompile(`(?m)^test-full:.*\n\t(.*)`).FindStringSubmatch(text("Makefile"))
	if target == nil || !strings.HasPrefix(target[1], "MCPCTL_FULL=1 sh scripts/test.sh ") ||
		!strings.HasSuffix(target[1], " ./...") || regexp.MustCompile(` -(run|skip|short)\b`).MatchString(target[1]) {
		t.Errorf("make test-full is %q", target)
	}
	amount := regexp.MustCompile(`flag\.Int\("(?:checks|revisions|compositions)", (\S+),`)
	reduced, amounts := 0, 0
	for _, file := range goFiles(t) {
		if !strings.HasSuffix(file, "_test.go") || file == "full_test.go" {
			continue
		}
		content := text(file)
		if strings.Contains(content, "testing.Short()") {
			t.Errorf("%s is shorter with -short: use MCPCTL_FULL", file)
		}
		if strings.Contains(content, `var full = os.Getenv("MCPCTL_FULL") != ""`) {
			reduced++
		}
		for _, found := range amount.FindAllStringSubmatch(content, -1) {
			if amounts++; !strings.HasPrefix(found[1], "tenth(") {
				t.Errorf("%s: %s is no tenth in make test", file, found[0])
			}
		}
	}
	if reduced < 5 || amounts < 3 {
		t.Errorf("%d packages have a switch, and %d flags an amount", reduced, amounts)
	}
}
