package oracle

import (
	"testing"

	"github.com/mcpctl/mcpctl/pkg/schema"
)

// chains is the number of chains of three schemas whose verdicts are held against one another.
var chains = tenth(800)

// TestTransitive checks that what is compatible in two steps is not incompatible in one.
func TestTransitive(t *testing.T) {
	real := realSchemas(t)
	implied, decided := 0, 0
	for i := range uint64(chains) {
		g := newGrammar(i + 2_000_000)
		a := choose(g, any(g.document()), choose(g, real...))
		b := g.mutated(a)
		c := g.mutated(b)
		for _, chain := range [][3]any{{a, b, c}, {c, b, a}, {b, a, c}} {
			if !compatible(chain[0], chain[1]) || !compatible(chain[1], chain[2]) {
				continue
			}
			implied++
			r, _, err := contains(chain[0], chain[2], schema.Strict)
			if err == nil && r.Verdict == schema.Incompatible {
				t.Errorf("compatible in two steps, incompatible in one: witness %s\n%s\n%s\n%s", r.Witness, encode(chain[0]),
					encode(chain[1]), encode(chain[2]))
			}
			if err == nil && r.Verdict == schema.Compatible {
				decided++
			}
		}
	}
	t.Logf("%d chains, %d of them decided as compatible in one step", implied, decided)
	if decided == 0 {
		t.Error("no chain was decided")
	}
}

func compatible(narrow, wide any) bool {
	r, _, err := contains(narrow, wide, schema.Strict)
	return err == nil && r.Verdict == schema.Compatible
}

// TestOrderDoesNotMatter checks that a schema and the same one with its sets written in reverse are compatible both ways.
func TestOrderDoesNotMatter(t *testing.T) {
	real := realSchemas(t)
	decided := 0
	for i := range uint64(chains) {
		g := newGrammar(i + 3_000_000)
		a := choose(g, any(g.document()), choose(g, real...))
		b := reversed(a, "")
		for _, pair := range [][2]any{{a, b}, {b, a}} {
			r, _, err := contains(pair[0], pair[1], schema.Strict)
			switch {
			case err != nil:
			case r.Verdict == schema.Incompatible:
				t.Errorf("order matters: witness %s\n%s", r.Witness, encode(a))
			case r.Verdict == schema.Compatible:
				decided++
			}
		}
	}
	t.Logf("%d of %d directions decided", decided, 2*chains)
	if decided < chains {
		t.Errorf("only %d of %d directions are decided", decided, 2*chains)
	}
}

// reversed turns around every array whose order means nothing. References into such arrays are the reason that
// combinators keep theirs.
func reversed(v any, keyword string) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, sub := range v {
			if k != "const" && k != "default" && k != "examples" {
				sub = reversed(sub, k)
			}
			out[k] = sub
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, sub := range v {
			switch keyword {
			case "required", "type", "enum":
				out[len(v)-1-i] = sub
			default:
				out[i] = reversed(sub, "")
			}
		}
		return out
	}
	return v
}
