package oracle

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/pkg/schema"
)

// The extent of a random run. A plain test run is short and always the same; `make oracle` goes on.
var (
	checks = flag.Int("checks", tenth(60_000), "instance checks that the random oracle makes")
	span   = flag.Duration("for", 0, "let the random oracle run that long instead")
	seed   = flag.Uint64("seed", 1, "the first random pair")
)

// full makes seeded and corpus-wide properties run in full: make test-full sets it, make test runs a tenth.
var full = os.Getenv("MCPCTL_FULL") != ""

// tenth returns n, and a tenth of it in make test.
func tenth(n int) int {
	if full {
		return n
	}
	return max(n/10, 1)
}

// The values put to a compatible verdict, made from either schema, and those that are read both ways.
const (
	instancesPerPair = 180
	readingsPerPair  = 10
)

// A run counts what the oracle did.
type run struct {
	pairs, checks, skipped, selfUnknown, unconfirmed int
	telling                                          int // checks with a value that the narrow schema accepts
	verdicts                                         map[schema.Verdict]int
	reasons                                          map[string]int
	slowest                                          time.Duration
	slowestPair                                      string
}

// TestOracle lets an independent validator try to disprove the engine's verdicts on random pairs: mutations of the
// schemas in the corpus, and schemas from a grammar over every keyword.
func TestOracle(t *testing.T) {
	real := realSchemas(t)
	c := run{verdicts: map[schema.Verdict]int{}, reasons: map[string]int{}}
	begin := time.Now()
	for i := *seed; ; i++ {
		if *span == 0 && c.checks >= *checks || *span > 0 && time.Since(begin) >= *span || t.Failed() {
			break
		}
		g := newGrammar(i)
		narrow, wide := g.pair(real)
		c.judge(t, g, i, narrow, wide)
	}
	t.Logf("%d pairs, %d instance checks (%d with a random value that narrow accepts) in %v; verdicts %v; %d pairs the validator cannot "+
		"read; %d self-comparisons unknown; %d incompatible without a witness",
		c.pairs, c.checks, c.telling, time.Since(begin).Round(time.Second), c.verdicts, c.skipped, c.selfUnknown, c.unconfirmed)
	if c.verdicts[schema.Unknown]*100 > 3*c.pairs {
		t.Errorf("%d of %d pairs are undecided: more than 3 %%", c.verdicts[schema.Unknown], c.pairs)
	}
	t.Logf("slowest decision %v:\n%s", c.slowest, c.slowestPair)
	t.Logf("reasons of unknown: %v", c.reasons)
}

// realSchemas returns schemas that people wrote, from the corpus. Draft-04 is left out: the engine reads const there,
// as its authors mean it, and the validator does not.
func realSchemas(t *testing.T) []any {
	t.Helper()
	var out []any
	for _, file := range []string{"hand_pairs.json.gz", "mcp_mutations.json.gz", "containment_suite.json.gz"} {
		for i, p := range load(t, file) {
			if i%5 == 0 && len(p.Old) < 6000 && p.Dialect[0] != "draft4" {
				out = append(out, decode(named(p.Old, p.Dialect[0])))
			}
		}
	}
	return out
}

// pair makes a pair: a real schema and a mutation of it, a made one and a mutation of it, two made ones, or a small one
// of one type and the same with one keyword moved a little.
func (g *grammar) pair(real []any) (narrow, wide any) {
	switch g.IntN(9) {
	case 0, 1:
		narrow = choose(g, real...)
		wide = g.mutated(narrow)
	case 2, 3, 4, 5:
		return g.neighbours()
	case 6, 7:
		narrow = g.document()
		wide = g.mutated(narrow)
	default:
		narrow, wide = g.document(), g.document()
	}
	if g.chance(2) {
		narrow, wide = wide, narrow
	}
	return narrow, wide
}

func (c *run) judge(t *testing.T, g *grammar, number uint64, narrow, wide any) {
	t.Helper()
	c.pairs++
	r, took, err := contains(narrow, wide, schema.Strict)
	if took > c.slowest {
		c.slowest, c.slowestPair = took, fmt.Sprintf("pair %d\nnarrow %s\nwide   %s", number, encode(narrow), encode(wide))
	}
	n, err1 := newJudge(narrow, "schema")
	w, err2 := newJudge(wide, "schema")
	if err != nil || err1 != nil || err2 != nil {
		c.skipped++
		return
	}
	c.verdicts[r.Verdict]++
	c.checkSelf(t, number, narrow)
	c.checkDeclared(t, number, narrow, wide, r.Verdict)
	switch r.Verdict {
	case schema.Incompatible:
		if r.Witness == nil {
			c.unconfirmed++
		} else if c.checks++; disproved(n, w, decode(r.Witness)) != yes {
			c.fail(t, number, narrow, wide, "the witness is not confirmed", r.Witness)
		}
	case schema.Unknown:
		c.reasons[r.Reason]++
	case schema.Compatible:
		c.checkReading(t, g, number, narrow, n)
		if v := c.attack(g, narrow, wide, n, w); v != nil {
			c.fail(t, number, narrow, wide, "compatible, but a value shows otherwise", v)
		}
	}
}

func (c *run) checkSelf(t *testing.T, number uint64, s any) {
	t.Helper()
	switch self, _, err := contains(s, s, schema.Strict); {
	case err == nil && self.Verdict == schema.Incompatible:
		c.fail(t, number, s, s, "not compatible with itself", self.Witness)
	case err == nil && self.Verdict == schema.Unknown:
		c.selfUnknown++
	}
}

// checkReading holds the package's own reading of values against the validator's. Drafts in which the validator
// reads what stands beside a reference are left out.
func (c *run) checkReading(t *testing.T, g *grammar, number uint64, s any, n *Judge) {
	t.Helper()
	if o, ok := s.(map[string]any); ok && o["$schema"] != nil {
		return
	}
	parsed := mustParse(t, string(encode(s)))
	for range readingsPerPair {
		v := g.disturbed(g.instance(s, s, 5), 0)
		by, err := n.Valid(v)
		if accepted, sure := parsed.Accepts(v); err == nil && sure && accepted != by {
			t.Errorf("pair %d: read as accepting: %v, the validator says %v, of %s\n%s", number, accepted, by,
				encode(v), encode(s))
		}
	}
}

// checkDeclared checks that fewer values to consider cannot break what holds for all of them, and that the witness is
// one under strict semantics too.
func (c *run) checkDeclared(t *testing.T, number uint64, narrow, wide any, strict schema.Verdict) {
	t.Helper()
	r, _, err := contains(narrow, wide, schema.Declared)
	if err != nil || r.Verdict != schema.Incompatible {
		return
	}
	if strict == schema.Compatible {
		c.fail(t, number, narrow, wide, "compatible, but not for declared properties", r.Witness)
	}
	if r.Witness == nil {
		return
	}
	c.checks++
	if err := confirms(encode(narrow), encode(wide), r.Witness); err != nil {
		c.fail(t, number, narrow, wide, "the witness for declared properties is not confirmed", r.Witness)
	}
}

func contains(narrow, wide any, semantics schema.Semantics) (schema.Result, time.Duration, error) {
	n, err := schema.Parse(encode(narrow))
	if err != nil {
		return schema.Result{}, 0, err
	}
	w, err := schema.Parse(encode(wide))
	if err != nil {
		return schema.Result{}, 0, err
	}
	begin := time.Now()
	r := schema.Contains(context.Background(), w, n, schema.Budget{Semantics: semantics})
	return r, time.Since(begin), nil
}

// attack looks for a value that disproves a compatible verdict.
func (c *run) attack(g *grammar, narrow, wide any, n, w *Judge) json.RawMessage {
	g.words = dictionary{}
	g.words.read(narrow, "")
	g.words.read(wide, "")
	for i := range instancesPerPair {
		from := narrow
		if i%3 == 2 {
			from = wide
		}
		v := g.instance(from, from, 5)
		if i%2 == 1 {
			v = g.disturbed(v, 0)
		}
		c.checks++
		if accepted, err := n.Valid(v); err != nil || !accepted {
			continue
		}
		c.telling++
		if disproved(n, w, v) == yes {
			return encode(v)
		}
	}
	return nil
}

type answer int

const (
	unsure answer = iota
	yes
	no
)

// disproved reports whether the validator accepts a value by narrow and rejects it by wide.
func disproved(n, w *Judge, v any) answer {
	accepted, err := n.Valid(v)
	if err != nil {
		return unsure
	}
	if !accepted {
		return no
	}
	accepted, err = w.Valid(v)
	switch {
	case err != nil:
		return unsure
	case accepted:
		return no
	}
	return yes
}

// fail writes the pair, made as small as it gets, to testdata/failures and fails the test.
func (c *run) fail(t *testing.T, number uint64, narrow, wide any, what string, value json.RawMessage) {
	t.Helper()
	narrow, wide, value = minimised(narrow, wide, value)
	f := failure{What: what, Narrow: encode(narrow), Wide: encode(wide), Value: value}
	raw, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join("testdata", "failures", fmt.Sprintf("pair-%d.json", number))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, append(raw, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Errorf("pair %d: %s, see %s\nvalue  %s\nnarrow %s\nwide   %s", number, what, name, value, f.Narrow, f.Wide)
}

// A failure is a pair on which an engine was wrong once, this one or another.
type failure struct {
	What   string          `json:"what"`
	Narrow json.RawMessage `json:"narrow"`
	Wide   json.RawMessage `json:"wide"`
	Value  json.RawMessage `json:"value"` // accepted by narrow and rejected by wide, or a witness that is not confirmed
}

// TestPastFailures judges the pairs again on which an engine was wrong once. All are incompatible, and their value
// shows it.
func TestPastFailures(t *testing.T) {
	files, err := filepath.Glob("testdata/failures/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no past failures: %v", err)
	}
	slices.Sort(files)
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var f failure
		if err := json.Unmarshal(raw, &f); err != nil {
			t.Fatal(err)
		}
		if wrong(decode(f.Narrow), decode(f.Wide), f.Value) {
			t.Errorf("%s: %s", name, f.What)
		}
		if err := confirms(f.Narrow, f.Wide, f.Value); err != nil {
			t.Errorf("%s: the value does not show it: %v", name, err)
		}
	}
}

// wrong reports whether the engine's verdict on a pair is disproved, by the value or by its own witness.
func wrong(narrow, wide any, value json.RawMessage) bool {
	r, _, err := contains(narrow, wide, schema.Strict)
	n, err1 := newJudge(narrow, "schema")
	w, err2 := newJudge(wide, "schema")
	if err != nil || err1 != nil || err2 != nil {
		return false
	}
	switch r.Verdict {
	case schema.Compatible:
		return value != nil && disproved(n, w, decode(value)) == yes
	case schema.Incompatible:
		return r.Witness != nil && disproved(n, w, decode(r.Witness)) != yes
	}
	return false
}
