package diff_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// causes are the findings as a story opens: a line for each cause.
func causes(findings []finding.Finding) string {
	var b strings.Builder
	for _, g := range finding.Groups(findings) {
		b.WriteString(g.Level.String() + strings.Repeat(" ", 10-len(g.Level.String())) + g.Title + "\n")
	}
	return b.String()
}

// TestOneDecisionIsOneCause holds which findings of a tool are reported together: those of which the author
// changed one thing, and no others, since who accepts a cause accepts all of it.
func TestOneDecisionIsOneCause(t *testing.T) {
	page := func(properties, required string) string {
		return `{"mcpctl":1,"serverInfo":{"name":"s","version":"` + either(required == "", "1.0.0", "1.1.0") +
			`"},"tools":[{"name":"t","inputSchema":{"type":"object",` +
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
