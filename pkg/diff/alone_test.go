package diff_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"hash/crc32"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

var everyTool = flag.Bool("every-tool", full, "compare each tool of the releases alone, not only a tenth")

// TestAloneAndInItsListing compares each changed tool of the releases once alone and once in its listing: what is said of its
// schemas does not depend on what else changed.
func TestAloneAndInItsListing(t *testing.T) {
	asked := 0
	for _, pair := range releases(t) {
		if !*everyTool && crc32.ChecksumIEEE([]byte(pair[0]))%5 != 0 {
			continue
		}
		old, new := read(t, pair[0]), read(t, pair[1])
		before, after := parse(t, old), parse(t, new)
		told := linesOfTools(t, before, after)
		earlier, later := before.List(snapshot.Tools).ByKey(), after.List(snapshot.Tools).ByKey()
		for _, name := range slices.Sorted(maps.Keys(later)) {
			chosen := *everyTool || crc32.ChecksumIEEE([]byte(pair[0]+name))%2 == 0
			if len(earlier[name]) != 1 || len(later[name]) != 1 || !chosen || rawjson.Equal(earlier[name][0], later[name][0]) {
				continue
			}
			asked++
			alone := linesOfTools(t, only(t, before, name), only(t, after, name))
			if difference := cmp.Diff(alone["tool/"+name], told["tool/"+name]); difference != "" {
				t.Errorf("%s of %s → %s (-alone +in its listing):\n%s", name, pair[0], pair[1], difference)
			}
		}
	}
	if t.Logf("%d tools", asked); asked < 40 {
		t.Errorf("only %d tools", asked)
	}
}

// releases are the pairs of neighbouring versions in the test data, in both directions.
func releases(t *testing.T) (pairs [][2]string) {
	t.Helper()
	folders, err := filepath.Glob("testdata/real/*/old.json")
	if err != nil || len(folders) < 5 {
		t.Fatalf("%d pairs, %v", len(folders), err)
	}
	for _, file := range folders {
		pairs = append(pairs, [2]string{file, filepath.Join(filepath.Dir(file), "new.json")})
	}
	const folder = "../../testdata/python"
	var index []struct{ Alias, File string }
	if err := json.Unmarshal([]byte(read(t, filepath.Join(folder, "index.json"))), &index); err != nil {
		t.Fatal(err)
	}
	versions := map[string][]string{}
	for _, entry := range index {
		versions[entry.Alias] = append(versions[entry.Alias], filepath.Join(folder, entry.File))
	}
	for _, alias := range slices.Sorted(maps.Keys(versions)) {
		files := slices.Sorted(slices.Values(versions[alias]))
		for i := 1; i < len(files); i++ {
			pairs = append(pairs, [2]string{files[i-1], files[i]})
		}
	}
	for _, pair := range slices.Clone(pairs) {
		pairs = append(pairs, [2]string{pair[1], pair[0]})
	}
	return pairs
}

// only returns a snapshot with one tool.
func only(t *testing.T, s *snapshot.Snapshot, name string) *snapshot.Snapshot {
	t.Helper()
	alone := *s
	alone.SetList(snapshot.NewList(snapshot.Tools, s.List(snapshot.Tools).ByKey()[name]))
	return &alone
}

// linesOfTools are the findings about schemas by tool: level, rule and place.
func linesOfTools(t *testing.T, old, new *snapshot.Snapshot) map[string][]string {
	t.Helper()
	by := map[string][]string{}
	for _, f := range compared(t, old, new, diff.Options{}) {
		if strings.HasPrefix(f.Rule, "input-") || strings.HasPrefix(f.Rule, "output-") {
			by[f.Item] = append(by[f.Item], fmt.Sprintf("%s %s %s", f.Level, f.Rule, f.Pointer()))
		}
	}
	return by
}

// TestCompanyOfTitles: a change is decided alike if other texts change, here the titles of other tools.
func TestCompanyOfTitles(t *testing.T) {
	changes := map[string][2]string{
		"a longest list":  {`{"type":"array","items":ITEM}`, `{"type":"array","maxItems":2000,"items":ITEM}`},
		"a shortest list": {`{"type":"array","items":ITEM}`, `{"type":"array","minItems":700,"items":ITEM}`},
		"a largest map": {`{"type":"object","additionalProperties":ITEM}`,
			`{"type":"object","maxProperties":1000,"additionalProperties":ITEM}`},
		"a longest text": {`{"type":"string"}`, `{"type":"string","maxLength":200000}`},
	}
	const item = `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"},"c":{"type":"string"},` +
		`"d":{"type":"integer"}},"required":["a","b","c","d"]}`
	side := func(schema, title string, others int) string {
		tools := []string{`{"name":"t","inputSchema":{"type":"object","properties":{"p":` + strings.ReplaceAll(schema, "ITEM", item) +
			`}}}`}
		for i := range others {
			tools = append(tools, fmt.Sprintf(`{"name":"t%d","title":"%s","inputSchema":{"type":"object"}}`, i, title))
		}
		return `{"tools":[` + strings.Join(tools, ",") + `]}`
	}
	for name, pair := range changes {
		for _, others := range []int{0, 10, 20, 40, 100} {
			old, new := parse(t, side(pair[0], "a", others)), parse(t, side(pair[1], "b", others))
			if got := linesOfTools(t, old, new)["tool/t"]; len(got) != 1 || !strings.HasPrefix(got[0], "breaking ") {
				t.Errorf("%s beside %d titles: %v", name, others, got)
			}
		}
	}
}

// TestAloneAndBesideAnother makes each of some changes of an argument beside each change of another one: what is said of the first
// does not depend on the second.
func TestAloneAndBesideAnother(t *testing.T) {
	const a, b, closed = `{"type":"object","properties":{"a":{"type":"string"}}}`,
		`{"type":"object","properties":{"b":{"type":"integer"}}}`,
		`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`
	const both, demanding = `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}}}`,
		`{"type":"object","properties":{"b":{"type":"integer"}},"required":["b"]}`
	const tagged, other = `{"type":"object","properties":{"k":{"const":"x"},"v":{"type":"string"}},"required":["k"]}`,
		`{"type":"object","properties":{"k":{"const":"y"}},"required":["k"]}`
	forms := []string{
		`{"type":"string"}`, `{"type":["string","null"]}`, `{"oneOf":[{"type":"string"},{"type":"null"}]}`,
		`{"oneOf":[{"type":"string"},{"type":"number"},{"type":"null"}]}`, `{"anyOf":[{"type":"integer"},{"type":"number"}]}`,
		`{"oneOf":[{"type":"integer"},{"type":"number"}]}`, `{"enum":["a",null]}`, `{"const":"a"}`, both, closed,
		`{"allOf":[` + a + `,` + b + `]}`, `{"allOf":[` + a + `,` + demanding + `]}`, `{"allOf":[` + closed + `,` + b + `]}`,
		`{"oneOf":[` + tagged + `,` + other + `]}`, `{"oneOf":[` + tagged + `,{"type":"null"}]}`,
		`{"anyOf":[` + a + `,` + b + `],"unevaluatedProperties":false}`, `{"allOf":[` + a + `],"unevaluatedProperties":false}`,
	}
	tool := func(p, q string) string {
		return `{"tools":[{"name":"t","inputSchema":{"type":"object","properties":{"p":` + p + `,"q":` + q + `}}}]}`
	}
	about := func(old, new string) (lines []string) {
		for _, line := range linesOfTools(t, parse(t, old), parse(t, new))["tool/t"] {
			if strings.Contains(line, "/properties/p") {
				lines = append(lines, line)
			}
		}
		return lines
	}
	step := 9
	if *everyTool {
		step = 1
	}
	for i, from := range forms {
		for j, to := range forms {
			alone := about(tool(from, "true"), tool(to, "true"))
			for n := 0; n < len(forms); n += step {
				x, y := forms[(i+n)%len(forms)], forms[(j+3*n)%len(forms)]
				if difference := cmp.Diff(alone, about(tool(from, x), tool(to, y))); difference != "" {
					t.Errorf("%s → %s beside %s → %s (-alone +beside):\n%s", from, to, x, y, difference)
				}
			}
		}
	}
}
