package oracle

import (
	"encoding/json"
	"flag"
	"testing"

	"github.com/mcpctl/mcpctl/pkg/schema"
)

// The oracle: verdicts on random schemas are held against the independent validator's judgement of random values.
var (
	oraclePairs = flag.Int("oracle.pairs", 100, "random pairs of schemas to decide")
	oracleSeed  = flag.Uint64("oracle.seed", 0, "where the random pairs begin")
)

const oracleValues = 30

func TestVerdictsHoldForEveryValueTried(t *testing.T) {
	checks, unknown := 0, 0
	for i := range *oraclePairs {
		seed := *oracleSeed + uint64(i)
		g := newGenerator(seed)
		a, b := randomPair(t, g)
		strict := schema.Contains(t.Context(), b, a, schema.Budget{Semantics: schema.Strict})
		declared := schema.Contains(t.Context(), b, a, schema.Budget{})
		if strict.Verdict == schema.Unknown {
			unknown++
		}
		if strict.Verdict == schema.Compatible && declared.Verdict == schema.Incompatible {
			t.Errorf("seed %d: declared callers send fewer values, and yet %s breaks\n%s\n%s", seed, declared.Witness, a.Raw(), b.Raw())
		}
		for range oracleValues {
			v := g.value(3)
			inA, inB := judged(a, v, false), judged(b, v, false)
			checks += 2
			agrees(t, seed, a, v, inA)
			agrees(t, seed, b, v, inB)
			if inB != no {
				continue
			}
			if strict.Verdict == schema.Compatible && inA == yes {
				t.Errorf("seed %d: called compatible, but %s shows otherwise\n%s\n%s", seed, encode(v), a.Raw(), b.Raw())
			}
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d pairs, %d checks of values, %d unknown", *oraclePairs, checks, unknown)
	if unknown*50 > *oraclePairs {
		t.Errorf("%d of %d pairs are unknown: more than 2 %%", unknown, *oraclePairs)
	}
}

// randomPair is two random schemas, or one with an edit.
func randomPair(t *testing.T, g *generator) (a, b *schema.Schema) {
	t.Helper()
	first, second := g.document(), g.document()
	if g.IntN(2) == 0 {
		var o map[string]any
		if err := json.Unmarshal(first, &o); err != nil {
			t.Fatal(err)
		}
		g.keyword(o, 2)
		second, _ = json.Marshal(o)
	}
	return mustParse(t, string(first)), mustParse(t, string(second))
}

// agrees holds the package's own reading of a schema against the validator's.
func agrees(t *testing.T, seed uint64, s *schema.Schema, v any, by answer) {
	t.Helper()
	own := read(s, v)
	if own != unsure && by != unsure && own != by {
		t.Errorf("seed %d: read as accepting: %v, the validator says %v, of %s\n%s", seed, own == yes, by == yes, encode(v), s.Raw())
	}
}
