package oracle

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/schema"
)

const corpusFolder = "../../../../testdata/corpus/"

// A pair is two schemas with what is known about them; see testdata/corpus/README.md.
type pair struct {
	ID, Source, Name, Op, Class, Direction string
	Exclude                                string
	Dialect                                dialects
	Old, New                               json.RawMessage
	Forward                                *bool           `json:"truth_old_sub_new"`
	Backward                               *bool           `json:"truth_new_sub_old"`
	DeclaredForward                        *bool           `json:"truth_declared_old_sub_new"`
	DeclaredBackward                       *bool           `json:"truth_declared_new_sub_old"`
	CounterForward                         json.RawMessage `json:"counterexample_old_not_new"`
	CounterBackward                        json.RawMessage `json:"counterexample_new_not_old"`
}

// Dialects are the names of the drafts of both schemas; some files write one name for both.
type dialects [2]string

func (d *dialects) UnmarshalJSON(raw []byte) error {
	if json.Unmarshal(raw, &d[0]) == nil {
		d[1] = d[0]
		return nil
	}
	return json.Unmarshal(raw, (*[2]string)(d))
}

func draft(name string) schema.Draft {
	drafts := map[string]schema.Draft{"draft4": schema.Draft04, "draft6": schema.Draft06, "draft7": schema.Draft07,
		"draft2019-09": schema.Draft201909, "2019-09": schema.Draft201909}
	if d, ok := drafts[name]; ok {
		return d
	}
	return schema.Draft202012
}

func load(t testing.TB, name string) []pair {
	t.Helper()
	raw, err := os.ReadFile(corpusFolder + name)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(name, ".gz") {
		z, err := gzip.NewReader(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		if raw, err = io.ReadAll(z); err != nil {
			t.Fatal(err)
		}
	}
	var file struct{ Pairs []pair }
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Pairs) == 0 {
		t.Fatalf("%s holds no pairs", name)
	}
	return file.Pairs
}

// A direction of a pair: does the second schema accept all that the first one accepts?
type direction struct {
	id           string
	narrow, wide *schema.Schema
	// The same schemas with their dialect named inside, for the validator.
	narrowText, wideText json.RawMessage
	semantics            schema.Semantics
	truth                bool
}

// directions lists the labelled directions of a pair under one semantics.
func (p pair) directions(t testing.TB, semantics schema.Semantics) []direction {
	t.Helper()
	forward, backward := p.Forward, p.Backward
	if semantics == schema.Declared {
		forward, backward = p.DeclaredForward, p.DeclaredBackward
	}
	x, y := named(p.Old, p.Dialect[0]), named(p.New, p.Dialect[1])
	before, after := mustParse(t, string(x)), mustParse(t, string(y))
	var out []direction
	if forward != nil {
		out = append(out, direction{p.ID + " forward", before, after, x, y, semantics, *forward})
	}
	if backward != nil {
		out = append(out, direction{p.ID + " backward", after, before, y, x, semantics, *backward})
	}
	return out
}

// named writes the dialect into a schema that does not name it itself.
func named(raw json.RawMessage, dialect string) json.RawMessage {
	o, ok := decode(raw).(map[string]any)
	if _, has := o["$schema"]; !ok || has || dialect == "" {
		return raw
	}
	o["$schema"] = schema.Meta(draft(dialect)).At("/$schema")
	return encode(o)
}

// A tally counts the verdicts on one source.
type tally struct {
	name                                             string
	rightTrue, rightFalse, unknownTrue, unknownFalse int
	wrong, excused                                   int
}

func (c *tally) add(truth bool, r schema.Result) (wrong bool) {
	switch {
	case r.Verdict == schema.Unknown && truth:
		c.unknownTrue++
	case r.Verdict == schema.Unknown:
		c.unknownFalse++
	case (r.Verdict == schema.Compatible) != truth:
		c.wrong++
		return true
	case truth:
		c.rightTrue++
	default:
		c.rightFalse++
	}
	return false
}

func share(part, rest int) float64 {
	if part+rest == 0 {
		return 100
	}
	return 100 * float64(part) / float64(part+rest)
}

const tableHead = `# How the engine judges labelled pairs

Written by ` + "`go test ./pkg/schema/internal/oracle -run TestCorpus -update`" +
	`; a test compares. A direction asks whether one schema of a pair accepts all that
the other accepts. Labels that the engine contradicts with reason are counted apart and listed in disagreements.json.

| source | yes: right | unknown | no: right | unknown | wrong | label at fault |
|---|--:|--:|--:|--:|--:|--:|
`

func (c *tally) row() string {
	return fmt.Sprintf("| %s | %d | %d | %d | %d | %d | %d |\n", c.name, c.rightTrue, c.unknownTrue, c.rightFalse, c.unknownFalse,
		c.wrong, c.excused)
}

// A source is a set of labelled pairs with the share of its directions that must be decided, in percent.
type source struct {
	name, file            string
	semantics             schema.Semantics
	group                 func(pair) string
	skip                  func(pair) bool
	floorTrue, floorFalse float64
}

func sources() []source {
	none := func(pair) bool { return false }
	suite := func(p pair) string { return "suite " + strings.SplitN(p.Name, "/", 2)[0] }
	return []source{
		{name: "hand", file: "hand_pairs.json.gz", semantics: schema.Strict, skip: none, floorTrue: 99.5, floorFalse: 99.5,
			group: func(p pair) string { return p.Source }},
		{name: "hand, declared", file: "hand_pairs.json.gz", semantics: schema.Declared, skip: none, floorTrue: 99.5, floorFalse: 99.5,
			group: func(pair) string { return "" }},
		{name: "MCP mutations", file: "mcp_mutations.json.gz", semantics: schema.Strict, skip: none, floorTrue: 100, floorFalse: 100,
			group: func(p pair) string { return "mcp " + p.Class + " " + p.Direction }},
		{name: "MCP mutations, declared", file: "mcp_mutations.json.gz", semantics: schema.Declared, skip: closesTrue, floorTrue: 100,
			floorFalse: 100,
			group:      func(pair) string { return "" }},
		{name: "containment suite", file: "containment_suite.json.gz", semantics: schema.Strict, skip: assertsFormat, group: suite,
			floorTrue: 97, floorFalse: 97}, // docs/compatibility.md, section 7, names what is not decided
	}
}

// closesTrue leaves out the pair whose label takes "additionalProperties": true for a declaration of every name. Under the
// declared semantics it declares none; that closing such an object breaks is a rule about the edit.
func closesTrue(p pair) bool { return p.ID == "mcp-mut/0547" }

// assertsFormat leaves out the suite's pairs whose labels take "format" for an assertion.
func assertsFormat(p pair) bool { return strings.Contains(p.Name, "optional/format") }

var update = flag.Bool("update", false, "write the corpus table again")

func TestCorpus(t *testing.T) {
	excuses := loadDisagreements(t)
	var table strings.Builder
	table.WriteString(tableHead)
	for _, src := range sources() {
		total := &tally{name: "**" + src.name + "**"}
		groups := map[string]*tally{}
		for _, p := range load(t, src.file) {
			if p.Exclude != "" || src.skip(p) {
				continue
			}
			name := src.group(p)
			if groups[name] == nil {
				groups[name] = &tally{name: name}
			}
			for _, d := range p.directions(t, src.semantics) {
				judgePair(t, d, excuses, groups[name], total)
			}
		}
		report(t, &table, src, total, groups)
	}
	excuses.checkAllUsed(t)
	compareTable(t, table.String())
}

func judgePair(t *testing.T, d direction, excuses disagreements, group, total *tally) {
	t.Helper()
	r := schema.Contains(context.Background(), d.wide, d.narrow, schema.Budget{Semantics: d.semantics})
	if excuses.cover(t, d, r) {
		group.excused++
		total.excused++
		return
	}
	group.add(d.truth, r)
	if total.add(d.truth, r) {
		t.Errorf("%s: truth %v, verdict %v\nwitness %s\nnarrow %s\nwide   %s", d.id, d.truth, r.Verdict, r.Witness, d.narrow.Raw(),
			d.wide.Raw())
	}
	if r.Verdict == schema.Unknown && testing.Verbose() {
		t.Logf("undecided: %s (%v): %s", d.id, d.truth, r.Reason)
	}
	checkWitness(t, d, r)
}

// report adds the rows of a source and holds its totals against its floors.
func report(t *testing.T, table *strings.Builder, src source, total *tally, groups map[string]*tally) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		if name != "" {
			table.WriteString(groups[name].row())
		}
	}
	table.WriteString(total.row())
	if got := share(total.rightTrue, total.unknownTrue); got < src.floorTrue {
		t.Errorf("%s: %.1f %% of the true directions are decided, want %.1f %%", src.name, got, src.floorTrue)
	}
	if got := share(total.rightFalse, total.unknownFalse); got < src.floorFalse {
		t.Errorf("%s: %.1f %% of the false directions are decided, want %.1f %%", src.name, got, src.floorFalse)
	}
}

func compareTable(t *testing.T, got string) {
	t.Helper()
	const file = corpusFolder + "RESULTS.md"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + got)
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the corpus table changed; run with -update, read the difference, and commit it (-want +got):\n%s", diff)
	}
}

// checkWitness asks the validator about the witness of an incompatible verdict.
func checkWitness(t testing.TB, d direction, r schema.Result) {
	t.Helper()
	if r.Witness == nil {
		if strings.HasPrefix(d.id, "mcp-mut/") && r.Verdict == schema.Incompatible {
			t.Errorf("%s: incompatible without a witness", d.id)
		}
		return
	}
	if err := confirms(d.narrowText, d.wideText, r.Witness); err != nil && !strings.Contains(err.Error(), "reading a schema") {
		t.Errorf("%s: witness %s: %v", d.id, r.Witness, err)
	}
}

// confirms checks that narrow accepts the witness and wide does not.
func confirms(narrow, wide, witness json.RawMessage) error {
	v := decode(witness)
	for _, side := range []struct {
		raw  json.RawMessage
		want bool
	}{{narrow, true}, {wide, false}} {
		got, err := valid(decode(side.raw), v)
		if err != nil {
			return err
		}
		if got != side.want {
			return fmt.Errorf("accepted is %v by %s", got, side.raw)
		}
	}
	return nil
}

func encode(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // only for values that this package made or read before
	}
	return raw
}

func decode(raw []byte) any {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		panic(err) // only for text that this package made or read before
	}
	return v
}

// valid asks the validator.
func valid(schema, instance any) (bool, error) {
	j, err := newJudge(schema, "schema")
	if err != nil {
		return false, err
	}
	return j.Valid(instance)
}
