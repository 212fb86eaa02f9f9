package compare

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

func comparing(t *testing.T) comparer {
	return func(old, new *snapshot.Snapshot) []finding.Finding { return compareSides(t, old, new) }
}

func compareSides(t *testing.T, old, new *snapshot.Snapshot) []finding.Finding {
	t.Helper()
	found, err := diff.Compare(t.Context(), old, new, diff.Options{Server: "s"})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// changedSides is an old and a new snapshot.
type changedSides struct{ old, new *snapshot.Snapshot }

// changes are the pairs that show what each rule of a comparison finds, the real releases beside them, and all the
// everyday changes as one.
func changes(t testing.TB) map[string]changedSides {
	t.Helper()
	all := map[string]changedSides{"everyday": everyday(t), "very many": veryMany(t)}
	for _, file := range matchingFiles(t, "../../pkg/diff/testdata/rules/*.json") {
		var pair struct {
			Fires struct{ Old, New json.RawMessage }
		}
		if err := json.Unmarshal(read(t, file), &pair); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		all[name] = changedSides{surface(t, name, pair.Fires.Old), surface(t, name, pair.Fires.New)}
	}
	for _, file := range matchingFiles(t, "../../pkg/diff/testdata/real/*/old.json") {
		folder := filepath.Dir(file)
		all[filepath.Base(folder)] = changedSides{parse(t, read(t, file)),
			parse(t, read(t, filepath.Join(folder, "new.json")))}
	}
	return all
}

// surface is a snapshot as it stands, or with one tool when a rule about schemas is shown by schemas alone.
func surface(t testing.TB, rule string, raw json.RawMessage) *snapshot.Snapshot {
	if s, err := snapshot.Parse(raw); err == nil {
		return s
	}
	tool := map[string]any{"name": "t", "inputSchema": json.RawMessage(`{"type":"object"}`)}
	direction, _, _ := strings.Cut(rule, "-")
	tool[direction+"Schema"] = raw
	encoded, err := json.Marshal(map[string]any{"capabilities": map[string]any{"tools": map[string]any{}},
		"tools": []any{tool}})
	if err != nil {
		t.Fatalf("%s: %v", rule, err)
	}
	return parse(t, encoded)
}

// veryMany is a change of so many members of all kinds that those of a kind are reported as one.
func veryMany(t testing.TB) changedSides {
	side := func(name string) *snapshot.Snapshot {
		var members, versions []string
		for i := range 150 {
			members, versions = append(members, fmt.Sprintf(`"%s%d":{"x":1}`, name, i)),
				append(versions, fmt.Sprintf(`"%s%d"`, name, i))
		}
		all := strings.Join(members, ",")
		return parse(t, []byte(`{"protocolVersion":"2026-07-28","supportedVersions":[`+strings.Join(versions, ",")+
			`],"serverInfo":{"name":"s",`+all+`},
			"capabilities":{"tools":{},`+all+`,"extensions":{`+all+
			`}},"tools":[{"name":"t","inputSchema":{"type":"object"},"annotations":{`+all+`},`+all+`}]}`))
	}
	return changedSides{side("a"), side("b")}
}

func everyday(t testing.TB) changedSides {
	var edits []struct{ Old, New map[string]any }
	if err := json.Unmarshal(read(t, "../../pkg/diff/testdata/everyday.json"), &edits); err != nil {
		t.Fatal(err)
	}
	list := func(pick func(i int) map[string]any) *snapshot.Snapshot {
		var tools []json.RawMessage
		for i := range edits {
			tool := pick(i)
			tool["name"] = "tool" + strings.Repeat("i", i)
			raw, err := json.Marshal(tool)
			if err != nil {
				t.Fatal(err)
			}
			tools = append(tools, raw)
		}
		return &snapshot.Snapshot{Protocol: "2025-11-25", Capabilities: json.RawMessage(`{"tools":{}}`),
			Tools: snapshot.NewList(snapshot.Tools, tools)}
	}
	return changedSides{list(func(i int) map[string]any { return edits[i].Old }),
		list(func(i int) map[string]any { return edits[i].New })}
}

func matchingFiles(t testing.TB, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) == 0 {
		t.Fatalf("nothing matches %s: %v", pattern, err)
	}
	return found
}

func read(t testing.TB, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func parse(t testing.TB, data []byte) *snapshot.Snapshot {
	t.Helper()
	s, err := snapshot.Parse(data)
	if err != nil {
		t.Fatalf("%.200s: %v", data, err)
	}
	return s
}

func prints(findings []finding.Finding) []string {
	var ids []string
	for _, f := range findings {
		ids = append(ids, f.Fingerprint())
	}
	return ids
}

// named returns whether a finding has one of these fingerprints.
func named(fingerprints ...string) func(finding.Finding) bool {
	return func(f finding.Finding) bool { return slices.Contains(fingerprints, f.Fingerprint()) }
}

// aboutComparison are the rules that speak of the comparison: nothing that is saved can end what they say.
func aboutComparison(f finding.Finding) bool {
	return slices.Contains([]string{"list-unavailable", "list-incomplete", "comparison-scope-differs"},
		f.Rule)
}

// many is the number of findings from which a test takes several at once, to end in seconds.
const many = 20

// TestOneByOne accepts one finding after the other, in any order, until none is left.
func TestOneByOne(t *testing.T) {
	for name, c := range changes(t) {
		t.Run(name, func(t *testing.T) {
			found := compareSides(t, c.old, c.new)
			orders := uint64(3)
			if len(found) > many/2 {
				orders = 1
			}
			for seed := range orders {
				exhaust(t, c, found, rand.New(rand.NewPCG(seed, 0)))
			}
		})
	}
}

// exhaust accepts findings in a random order until none is left.
func exhaust(t *testing.T, c changedSides, found []finding.Finding, random *rand.Rand) {
	now, left := c.old, slices.DeleteFunc(slices.Clone(found), aboutComparison)
	for steps := 2*len(left) + 10; len(left) > 0; steps-- {
		if steps == 0 {
			t.Fatalf("no end: %d findings are left, the first is %s %s %s", len(left), left[0].Rule,
				left[0].Item, left[0].Pointer())
		}
		random.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
		chosen := prints(left[:1+len(left)/many*15])
		moved, err := moveItems(now, c.new, found, named(chosen...), comparing(t))
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range prints(moved.left) {
			if slices.Contains(chosen, id) {
				t.Fatalf("%s is still there", id)
			}
		}
		now, found = reread(t, moved.snapshot), moved.left
		left = slices.DeleteFunc(slices.Clone(moved.left), aboutComparison)
	}
}

// reread is a snapshot as the file that is saved holds it.
func reread(t *testing.T, s *snapshot.Snapshot) *snapshot.Snapshot {
	data, err := s.EncodeKnown()
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, data)
}

// TestByItem accepts each finding alone: it goes, and with it findings of its item or those that follow from it, and
// every finding of another item stays as it was.
func TestByItem(t *testing.T) {
	total := 0
	for name, c := range changes(t) {
		before := compareSides(t, c.old, c.new)
		for i, f := range before {
			if aboutComparison(f) || len(before) > many && i%150 != 0 {
				continue
			}
			moved, err := moveItems(c.old, c.new, before, named(f.Fingerprint()), comparing(t))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			total++
			for _, g := range moved.taken {
				if g.Item != f.Item && f.Item != "" && g.Item != "" && !renames(f, g) {
					t.Errorf("%s: %s %s takes %s %s", name, f.Rule, f.Item, g.Rule, g.Item)
				}
			}
			sameLevels(t, name+": "+f.Rule+" "+f.Item+f.Pointer(), before, moved.left)
		}
	}
	if total < 100 {
		t.Errorf("only %d findings were accepted", total)
	}
}

// renames reports whether one of two findings names the item of the other as the new name of its own.
func renames(f, g finding.Finding) bool {
	return strings.Contains(g.Item+g.Message, strings.Trim(string(f.New), `"`)) && f.New != nil ||
		strings.Contains(f.Item+f.Message, strings.Trim(string(g.New), `"`)) && g.New != nil
}

// sameLevels reports findings that are left with another level than before.
func sameLevels(t *testing.T, accepted string, before, left []finding.Finding) {
	t.Helper()
	for _, f := range left {
		i := slices.IndexFunc(before, func(g finding.Finding) bool { return g.Fingerprint() == f.Fingerprint() })
		if i >= 0 && before[i].Level != f.Level {
			t.Errorf("with %s accepted, %s %s%s is %s and was %s",
				accepted, f.Rule, f.Item, f.Pointer(), f.Level, before[i].Level)
		}
	}
}

func encoded(t *testing.T, s *snapshot.Snapshot) string {
	data, err := s.EncodeKnown()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestMoveRefuses(t *testing.T) {
	old := parse(t, []byte(`{"mcpctl":1,"capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"},"tools":[{"name":"a"}]}`))
	new := parse(t, []byte(`{"mcpctl":1,"capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`))
	new.SetList(snapshot.NewPart(snapshot.Tools, nil, "no answer"))
	found := compareSides(t, old, new)
	if len(found) != 1 || found[0].Rule != "list-unavailable" {
		t.Fatalf("found %v", found)
	}
	if moved, err := moveItems(old, new, found, named(prints(found)...), comparing(t)); err == nil {
		t.Errorf("what is not known of a list was accepted: %s", encoded(t, moved.snapshot))
	}
}
