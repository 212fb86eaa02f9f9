package diff_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// TestHostileSchemasEnd compares schemas that would take hours if each change were followed to its end.
func TestHostileSchemasEnd(t *testing.T) {
	for name, schema := range map[string]func(kind string) string{
		"many alternatives that overlap": overlapping,
		"references in circles":          circular,
		"many properties that change":    crowded,
		"patterns of exponential size":   func(kind string) string { return costly(len(kind)) },
	} {
		t.Run(name, func(t *testing.T) {
			surface := func(kind string) string {
				return `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"tools":[{"name":"t","inputSchema":` + schema(kind) +
					`}]}`
			}
			findings := compared(t, parse(t, surface("number")), parse(t, surface("integer")), diff.Options{})
			if len(findings) == 0 {
				t.Error("nothing was told")
			}
		})
	}
}

// TestHostileCases compares the pairs in testdata/hostile, which were made or found to cost more than others
// of their size. A case is a file of lines: remarks, "tools: N", then the schema before and after "=>" on a
// line of its own.
func TestHostileCases(t *testing.T) {
	files, err := filepath.Glob("../../testdata/hostile/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no cases (%v)", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			tools, sides, side := 1, [2]string{}, 0
			for line := range strings.Lines(string(text)) {
				number, many := strings.CutPrefix(line, "tools:")
				switch {
				case strings.HasPrefix(line, "#"):
				case many:
					tools, _ = strconv.Atoi(strings.TrimSpace(number))
				case strings.TrimSpace(line) == "=>":
					side = 1
				default:
					sides[side] += writtenOut(strings.TrimSpace(line))
				}
			}
			tools = fewer(tools)
			surface := func(schema string) string {
				list := make([]string, tools)
				for i := range list {
					list[i] = fmt.Sprintf(`{"name":"t%d","inputSchema":%s}`, i, schema)
				}
				return `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"tools":[` + strings.Join(list, ",") + `]}`
			}
			findings := compared(t, parse(t, surface(sides[0])), parse(t, surface(sides[1])), diff.Options{})
			if len(findings) < tools {
				t.Errorf("%d findings for %d tools that changed", len(findings), tools)
			}
		})
	}
}

// writtenOut writes out repetitions: ⟦N|text⟧ is the text N times, ⟦N,|text⟧ with commas between, and # in it
// is the number of the repetition.
func writtenOut(text string) string {
	for {
		end := strings.Index(text, "⟧")
		start := strings.LastIndex(text[:max(end, 0)], "⟦")
		if start < 0 {
			return text
		}
		count, body, _ := strings.Cut(text[start+len("⟦"):end], "|")
		count, comma := strings.CutSuffix(count, ",")
		n, _ := strconv.Atoi(count)
		parts := make([]string, max(n, 0))
		for i := range parts {
			parts[i] = strings.ReplaceAll(body, "#", strconv.Itoa(i))
		}
		between := ""
		if comma {
			between = ","
		}
		text = text[:start] + strings.Join(parts, between) + text[end+len("⟧"):]
	}
}

// TestCostlyToolsLeaveTheOthersAnAnswer: what many intricate schemas take is taken from none of the plain
// ones.
func TestCostlyToolsLeaveTheOthersAnAnswer(t *testing.T) {
	surface := func(n int, kind string) string {
		tools := []string{`{"name":"plain","inputSchema":{"type":"object","properties":{"n":{"type":"` + kind + `"}}}}`}
		for i := range fewer(30) {
			tools = append(tools, fmt.Sprintf(`{"name":"t%d","inputSchema":%s}`, i, costly(n)))
		}
		return `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"tools":[` + strings.Join(tools, ",") + `]}`
	}
	proved := 0
	for _, f := range compared(t, parse(t, surface(1, "number")), parse(t, surface(2, "integer")), diff.Options{}) {
		if f.Item == "tool/plain" && f.Rule == "input-fractions-rejected" && string(f.Witness) == `{"n":0.5}` {
			proved++
		}
	}
	if proved != 1 {
		t.Errorf("the plain change is proved %d times, want once", proved)
	}
}

// TestManyProblemsAreOneFinding: a list of what is not a schema is reported by its first members and the number of
// the rest.
func TestManyProblemsAreOneFinding(t *testing.T) {
	surface := func(member string) string {
		return `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"tools":[{"name":"t","inputSchema":{"type":"object","allOf":[` +
			strings.TrimSuffix(strings.Repeat(member+",", 5000), ",") + `]}}]}`
	}
	var told []string
	for _, f := range compared(t, parse(t, surface("{}")), parse(t, surface(`"a"`)), diff.Options{}) {
		if f.Rule == "input-schema-invalid" {
			told = append(told, f.Message)
		}
	}
	if len(told) != 101 || !slices.Contains(told, "4900 more parts of the schema are invalid.") {
		t.Errorf("%d are told, the first is %q", len(told), told[:min(len(told), 1)])
	}
}

// fewer returns a number of costly tools, and at most 6 in make test: enough to spend what all tools share.
func fewer(tools int) int {
	if full {
		return tools
	}
	return min(tools, 6)
}

// costly is a schema with patterns whose automata are of exponential size.
func costly(n int) string {
	return fmt.Sprintf(
		`{"type":"object","properties":{"a":{"type":"string","pattern":"(a|b)*b(a|b){%d}$"},"b":{"type":"string",`+
			`"pattern":"(a|b)*a(a|b){%d}$"}}}`, 30+n, 30+n)
}

func overlapping(kind string) string {
	var arms []string
	for i := range 30 {
		arms = append(arms, fmt.Sprintf(`{"type":"object","properties":{"a%d":{"type":"%s"},"b%d":{"pattern":"^(a|b)\\1%d"}}}`, i, kind,
			i%7, i))
	}
	return `{"type":"object","properties":{"p":{"oneOf":[` + strings.Join(arms, ",") + `]}}}`
}

func circular(kind string) string {
	var definitions []string
	for i := range 50 {
		definitions = append(definitions, fmt.Sprintf(
			`"D%d":{"type":"object","properties":{"l":{"$ref":"#/$defs/D%d"},"r":{"$ref":"#/$defs/D%d"},"v":{"type":"%s"}}}`, i, (i+1)%50,
			(i+7)%50, kind))
	}
	return `{"type":"object","properties":{"p":{"$ref":"#/$defs/D0"}},"$defs":{` + strings.Join(definitions, ",") + `}}`
}

func crowded(kind string) string {
	var properties []string
	for i := range 150 {
		properties = append(properties,
			fmt.Sprintf(`"p%d":{"anyOf":[{"type":"string"},{"type":"object","properties":{"x":{"type":"%s"}}}]}`, i, kind))
	}
	return `{"type":"object","properties":{` + strings.Join(properties, ",") + `}}`
}

// TestManyOfOneNameAreOneFinding holds what is reported of items that all have one name, or none: the first of
// them, and that the others were not compared.
func TestManyOfOneNameAreOneFinding(t *testing.T) {
	for name, item := range map[string]string{"of one name": `{"name":"t","x":%d}`, "that are no objects": `%d`} {
		list := func(from, count int) *snapshot.Snapshot {
			var items []string
			for i := range count {
				items = append(items, fmt.Sprintf(item, from+i))
			}
			return parse(t, `{"tools":[`+strings.Join(items, ",")+`]}`)
		}
		old, new := list(1000, 300), list(5000, 250)
		findings := compared(t, old, new, diff.Options{})
		i := slices.IndexFunc(findings, func(f finding.Finding) bool { return f.Verdict == finding.Unproven })
		if i < 0 || findings[i].Level != finding.Warning || !strings.Contains(findings[i].Message, "299 more items") || len(findings) > 4 {
			t.Fatalf("%s: %d findings, the one for the others is the %dth: %v", name, len(findings), i, lines(findings))
		}
		other := compared(t, old, list(5001, 250), diff.Options{})
		if at := slices.IndexFunc(other, func(f finding.Finding) bool { return f.Verdict == finding.Unproven }); other[at].Fingerprint() ==
			findings[i].Fingerprint() {
			t.Errorf("%s: other items have the same fingerprint", name)
		}
		if same := compared(t, old, list(1000, 300), diff.Options{}); len(same) > 0 {
			t.Errorf("%s: the same items differ: %v", name, lines(same))
		}
	}
}

// TestManyOptionsAreOneFinding holds what is reported of a capability with very many options, below a name that is
// long.
func TestManyOptionsAreOneFinding(t *testing.T) {
	options := func(count int) *snapshot.Snapshot {
		var all []string
		for i := range count {
			all = append(all, fmt.Sprintf(`"o%d":true`, i))
		}
		return parse(t, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"`+strings.Repeat("k", 10_000)+`":{`+strings.Join(all,
			",")+`}}},"tools":[]}`)
	}
	findings := compared(t, options(1000), options(0), diff.Options{})
	if len(findings) != 1 || findings[0].Rule != "capability-option-removed" || !strings.HasPrefix(findings[0].Message, "1000 options") {
		t.Errorf("%v", lines(findings))
	}
}

// TestManyHeadersAreNotCompared holds what is reported of a tool that asks for very many headers, below a name
// that is long.
func TestManyHeadersAreNotCompared(t *testing.T) {
	headers := func(name string) *snapshot.Snapshot {
		var all []string
		for i := range 500 {
			all = append(all, fmt.Sprintf(`"p%d":{"type":"string","x-mcp-header":"%s%d"}`, i, name, i))
		}
		return parse(t,
			`{"protocolVersion":"2026-07-28","capabilities":{"tools":{}},"tools":[{"name":"t","inputSchema":{"type":"object",`+
				`"properties":{"`+
				strings.Repeat("k", 10_000)+`":{"type":"object","properties":{`+strings.Join(all, ",")+`}}}}}]}`)
	}
	findings := slices.DeleteFunc(compared(t, headers("a"), headers("b"), diff.Options{}),
		func(f finding.Finding) bool { return f.Rule != "tool-header-mapping-changed" })
	if len(findings) != 1 || findings[0].Verdict != finding.Unproven {
		t.Errorf("%d findings", len(findings))
	}
}

// TestManyMembersAreOneFinding: of very many members that changed by one rule one finding says how many they
// are, with all of both sides; a hundred are reported one by one.
func TestManyMembersAreOneFinding(t *testing.T) {
	const around = `{"protocolVersion":"2026-07-28","supportedVersions":[VERSIONS],"serverInfo":{"name":"s",INFO},` +
		`"instructions":"LONG",` + // so that there is room for many findings
		`"capabilities":{"tools":{},CAPABILITIES,
		"extensions":{"io.modelcontextprotocol/skills":{},EXTENSIONS}},"tools":[{"name":"t","inputSchema":{"type":"object"},` +
		`"annotations":{ANNOTATIONS},OTHERS}],
		"skills":[{"uri":"skill://s","frontmatter":{"name":"s",FRONT},"resources":[FILES]}]}`
	side := func(members, versions, files string) *snapshot.Snapshot {
		pairs := []string{"VERSIONS", versions, "FILES", files, "LONG", strings.Repeat("a", 100_000)}
		for _, place := range []string{"INFO", "CAPABILITIES", "EXTENSIONS", "ANNOTATIONS", "OTHERS", "FRONT"} {
			pairs = append(pairs, place, members)
		}
		return parse(t, strings.NewReplacer(pairs...).Replace(around))
	}
	many := func(n int, member string) string {
		var all []string
		for i := range n {
			all = append(all, strings.ReplaceAll(member, "%d", strconv.Itoa(i)))
		}
		return strings.Join(all, ",")
	}
	told := func(n int, before, after string) map[string][]finding.Finding {
		old := side(many(n, `"`+before+`%d":1`), many(n, `"`+before+`%d"`), many(n, `{"uri":"`+before+`%d","digest":"1"}`))
		new := side(many(n, `"`+after+`%d":2`), many(n, `"`+after+`%d"`), many(n, `{"uri":"`+after+`%d","digest":"2"}`))
		by := map[string][]finding.Finding{}
		for _, f := range compared(t, old, new, diff.Options{}) {
			by[f.Rule] = append(by[f.Rule], f)
		}
		return by
	}
	few, others := told(100, "a", "b"), told(300, "a", "b")
	for rule, each := range map[string]int{"protocol-version-removed": 1, "protocol-version-added": 1, "server-metadata-changed": 2,
		"capability-added": 1, "capability-removed": 1,
		"extension-added": 1, "extension-removed": 1, "tool-annotation-changed": 2, "item-changed": 2, "skill-frontmatter-changed": 2,
		"skill-file-added": 1, "skill-file-removed": 1} {
		if found := others[rule]; len(found) != 1 || !strings.HasSuffix(found[0].Message, fmt.Sprintf("101` and %d more.", each*300-5)) ||
			each == 1 && (found[0].Old == nil) == (found[0].New == nil) || len(found[0].Old)+len(found[0].New) < 300*each*len(`"a1":1,`) {
			t.Errorf("%s: %v", rule, lines(found))
		}
		if found := few[rule]; each == 1 && len(found) != 100 || each == 2 && len(found) != 1 {
			t.Errorf("%s: %d of a hundred", rule, len(found))
		}
	}
	if both := told(300, "a", "a")["skill-file-changed"]; len(both) != 1 {
		t.Errorf("of files that changed %d are told", len(both))
	}
}
