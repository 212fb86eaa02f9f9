package diff_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/diff"
)

// example is one example of docs/compatibility.md.
type example struct {
	kind, old, new string
	gives, strict  []string
}

var exampleBlock = regexp.MustCompile("(?s)```example\n(.*?)```")

// TestTheDefinitionHolds runs every example of the definition, and further ones that the page has no room
// for.
func TestTheDefinitionHolds(t *testing.T) {
	page, err := os.ReadFile("../../docs/compatibility.md")
	if err != nil {
		t.Fatal(err)
	}
	var examples []string
	for _, block := range exampleBlock.FindAllStringSubmatch(string(page), -1) {
		examples = append(examples, strings.Split(block[1], "\n\n")...)
	}
	if len(examples) < 15 {
		t.Fatalf("the page has only %d examples", len(examples))
	}
	examples = append(examples, strings.Split(read(t, "testdata/definition.txt"), "\n\n")...)
	for i, text := range examples {
		e := readExample(text)
		t.Run(fmt.Sprintf("%d %s", i+1, e.kind), func(t *testing.T) {
			check(t, e, diff.Options{}, e.gives)
			if e.strict != nil {
				check(t, e, diff.Options{Strict: true}, e.strict)
			}
		})
	}
}

func check(t *testing.T, e example, options diff.Options, want []string) {
	t.Helper()
	got := []string{}
	for _, f := range compared(t, parse(t, e.surface(e.old)), parse(t, e.surface(e.new)), options) {
		got = append(got, f.Level.String()+" "+f.Rule)
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s\n → %s (-want +got):\n%s", e.old, e.new, diff)
	}
}

// readExample reads the lines of an example: a word and what it says; a line without a word goes on with the
// one before.
func readExample(text string) example {
	var e example
	word := ""
	for line := range strings.Lines(text) {
		rest := strings.TrimSpace(line)
		if !strings.HasPrefix(line, "         ") {
			word, rest, _ = strings.Cut(rest, " ")
			rest = strings.TrimSpace(rest)
		}
		switch word {
		case "→":
			e.new = rest
		case "gives":
			e.gives = append(e.gives, rest)
		case "strict":
			e.strict = append(e.strict, rest)
		default:
			e.kind, e.old = word, rest
		}
	}
	if slices.Equal(e.gives, []string{"nothing"}) {
		e.gives = []string{}
	}
	return e
}

// surface is the snapshot around one side of an example.
func (e example) surface(side string) string {
	const head = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"prompts":{},"resources":{}},`
	switch e.kind {
	case "argument":
		return head + `"tools":[{"name":"t","inputSchema":{"type":"object","properties":{"p":` + side + `}}}]}`
	case "result":
		return head + `"tools":[{"name":"t","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"p":` + side +
			`}}}]}`
	case "input":
		return head + `"tools":[{"name":"t","inputSchema":` + side + `}]}`
	case "output":
		return head + `"tools":[{"name":"t","inputSchema":{"type":"object"},"outputSchema":` + side + `}]}`
	case "tool", "prompt", "resource":
		return head + `"` + e.kind + `s":[` + side + `]}`
	case "template":
		return head + `"resourceTemplates":[` + side + `]}`
	}
	return side
}
