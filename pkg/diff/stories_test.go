package diff_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

var storyBlock = regexp.MustCompile("(?s)```text\n(.*?)```")

// TestRealDiffs holds the stories of testdata/real/README.md, one for each pair of releases; -update
// rewrites them.
func TestRealDiffs(t *testing.T) {
	const page = "testdata/real/README.md"
	text := read(t, page)
	files, err := filepath.Glob("testdata/real/*/old.json")
	if err != nil {
		t.Fatal(err)
	}
	held := 0
	for _, file := range files {
		folder := filepath.Dir(file)
		heading := "\n## " + filepath.Base(folder) + ": "
		_, rest, found := strings.Cut(text, heading)
		if !found {
			continue // a page that is read does not report every pair
		}
		held++
		findings := compared(t, parse(t, read(t, file)), parse(t, read(t, filepath.Join(folder, "new.json"))), diff.Options{})
		told := opening(findings)
		row := strings.Split(text, "\n| ")[3+strings.Count(text[:len(text)-len(rest)-len(heading)], "\n## ")-1]
		if counts := countsOf(findings); !strings.HasSuffix(strings.SplitN(row, "\n", 2)[0], counts) {
			t.Errorf("%s: the table says %s, want the row to end with%s", filepath.Base(folder), row, counts)
		}
		if was := storyBlock.FindStringSubmatch(rest)[1]; was != told {
			if *update {
				text = strings.Replace(text, was, told, 1)
			} else {
				t.Errorf("%s: the page says\n%s\nand the comparison\n%s", filepath.Base(folder), was, told)
			}
		}
	}
	if stories := len(storyBlock.FindAllString(text, -1)); held != stories || held < 6 {
		t.Errorf("%d of the page's %d stories belong to a pair of releases", held, stories)
	}
	if *update {
		if err := os.WriteFile(page, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// countsOf ends a row of the page's table: findings, causes, what breaks, and in how many tools.
func countsOf(findings []finding.Finding) string {
	breaks, tools := 0, map[string]bool{}
	for _, f := range findings {
		if f.Level == finding.Breaking {
			breaks++
			tools[f.Item] = tools[f.Item] || strings.HasPrefix(f.Item, "tool/")
		}
	}
	delete(tools, "")
	return fmt.Sprintf("| %d | %d | %d | %d |", len(findings), len(finding.Groups(findings)), breaks, len(tools))
}

// causes are the findings as a story opens: a line for each cause.
func causes(findings []finding.Finding) string {
	var b strings.Builder
	for _, g := range finding.Groups(findings) {
		b.WriteString(g.Level.String() + strings.Repeat(" ", 10-len(g.Level.String())) + g.Title + "\n")
	}
	return b.String()
}

// opening is what needs a reader: a line for each cause that breaks, and one for those of every other level.
func opening(findings []finding.Finding) string {
	var b strings.Builder
	quiet := map[finding.Level]int{}
	for _, line := range strings.SplitAfter(causes(findings), "\n") {
		if strings.HasPrefix(line, "breaking ") {
			b.WriteString(line)
		}
	}
	for _, g := range finding.Groups(findings) {
		quiet[g.Level]++
	}
	fmt.Fprintf(&b, "warning   %d more\ninfo      %d more\n", quiet[finding.Warning], quiet[finding.Info])
	return b.String()
}

// TestOneDecisionIsOneCause holds which findings of a tool are reported together: those of which the author
// changed one thing, and no others, since who accepts a cause accepts all of it.
func TestOneDecisionIsOneCause(t *testing.T) {
	page := func(properties, required string) string {
		return `{"mcpctl":1,"serverInfo":{"name":"s","version":"` + either(required == "", "1.0.0", "1.1.0") + `"},"tools":[{"name":"t","inputSchema":{"type":"object",` +
			required + `"properties":{` + properties + `}}}]}`
	}
	const bumped = "\ninfo      Breaking changes call for a new major version (\"1.0.0\" → \"1.1.0\")\n"
	for _, c := range []struct{ was, is, want string }{
		{`"w":{"type":"number"},"h":{"type":"number"}`, `"w":{"type":"integer","minimum":1},"h":{"type":"integer","minimum":1}`,
			"breaking  Arguments accept integers only in `t`\nbreaking  Arguments have a lower bound of 0 or 1 in `t`" + bumped},
		{`"w":{"type":"number"},"h":{"type":"number"}`, `"w":{"type":"integer"},"h":{"type":"integer","minimum":1}`,
			"breaking  Arguments accept integers only in `t`\nbreaking  `h` now has a lower bound (no limit → at least 1) in `t`" + bumped},
		{`"a":{"enum":["x","y"]},"b":{"enum":["p","q"]}`, `"a":{"enum":["x"]},"b":{"enum":["p"]}`,
			"breaking  `a` no longer accepts \"y\" in `t`\nbreaking  `b` no longer accepts \"q\" in `t`" + bumped},
		{`"a":{"type":"string"},"b":{"enum":["p"]}`, `"a":{"type":["string","null"]},"b":{"enum":["p","q"]}`,
			"info      Arguments accept more in `t`\ninfo      The server's version changed from \"1.0.0\" to \"1.1.0\"\n"},
	} {
		old, now := page(c.was, ""), page(c.is, `"required":[],`)
		if diff := cmp.Diff(c.want, causes(compared(t, parse(t, old), parse(t, now), diff.Options{}))); diff != "" {
			t.Errorf("%s → %s (-want +got):\n%s", c.was, c.is, diff)
		}
	}
}

// TestManyFindingsAreFewCauses: two real releases with 131 findings between them.
func TestManyFindingsAreFewCauses(t *testing.T) {
	const folder = "testdata/real/chrome-devtools-1.6/"
	findings := compared(t, parse(t, read(t, folder+"old.json")), parse(t, read(t, folder+"new.json")), diff.Options{})
	if groups := finding.Groups(findings); len(findings) < 131 || len(groups) > 13 {
		t.Errorf("%d findings in %d groups:\n%s", len(findings), len(groups), causes(findings))
	}
}

func either(condition bool, yes, no string) string {
	if condition {
		return yes
	}
	return no
}
