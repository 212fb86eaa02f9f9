package report

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// shownBy returns what show prints of a whole snapshot, as a table and as Markdown.
func shownBy(t testing.TB, s *snapshot.Snapshot) map[string]string {
	t.Helper()
	server := Server{Server: seen.Server{Name: "srv", State: seen.OK, Offer: seen.Offer{ServerInfo: s.Server, Capabilities: s.Capabilities,
		Instructions: s.Instructions, SupportedVersions: s.Supported, Unknown: s.Extra}}}
	server.ProtocolVersion = s.Protocol
	for _, kind := range snapshot.Kinds() {
		items := seen.Items{}
		list := s.List(kind)
		for _, item := range list.Items() {
			items = append(items, item.Raw)
		}
		*server.Items(kind) = items
	}
	r := showOf(server)
	page := strings.NewReplacer("&lt;", "<", "&gt;", ">").Replace(written(t, "markdown", r, Options{}))
	return map[string]string{"table": written(t, "table", r, Options{}), "markdown": page}
}

// squeezed returns a text without white space, escapes, and what formats add.
func squeezed(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \n\t\u00a0\"\\`", r) {
			return -1
		}
		return r
	}, s)
}

// missing returns the names and values of JSON that are not in a text. A name counts as shown if it is a word of the schema
// language that a table has in another form.
func missing(raw json.RawMessage, out string) (lacks []string) {
	translated := kit.Set([]string{"type", "properties", "required", "items", "$ref", "description", "default", "title", "const", "enum",
		"$defs", "definitions", "anyOf", "oneOf", "allOf", "prefixItems", "patternProperties", "additionalProperties", "inputSchema",
		"outputSchema", "arguments", "name", "uri", "uriTemplate", "version", "mimeType", "annotations", "readOnlyHint", "destructiveHint",
		"idempotentHint", "openWorldHint", "resources", "minimum", "maximum", "names", "digest", "instructions", "capabilities",
		"extensions",
		"serverInfo", "websiteUrl", "frontmatter", "protocolVersion", "tools", "prompts", "resourceTemplates", "skills"})
	out = squeezed(out)
	names := strings.ToLower(out)
	repeated := func(title string) bool { // as generators make titles of names
		return title != "" && strings.Contains(names, strings.ReplaceAll(strings.ToLower(title), " ", "_"))
	}
	var walk func(raw json.RawMessage)
	has := func(text string) {
		for _, line := range kit.Lines(text) {
			line = strings.TrimPrefix(line, "* ")                 // Markdown has one sign for lists
			line = strings.TrimLeft(strings.TrimSpace(line), "#") // and no headings in a text
			if part := squeezed(string(printable.Visible(line))); !strings.Contains(out, part) {
				lacks = append(lacks, line)
			}
		}
	}
	types := kit.Set([]string{"object", "string", "array", "null", "integer", "number", "boolean"})
	walk = func(raw json.RawMessage) {
		switch rawjson.TypeName(raw) {
		case "an object":
			for _, m := range rawjson.Children(raw) {
				if !translated[m.Key] {
					has(m.Key)
				}
				text, _ := rawjson.Text(m.Value)
				if !types[text] && (m.Key != "title" || !repeated(text)) { // a shape has types in other words
					walk(m.Value)
				}
			}
		case "an array":
			for _, m := range rawjson.Children(raw) {
				walk(m.Value)
			}
		case "a string":
			text, _ := rawjson.Text(raw)
			if name, local := strings.CutPrefix(text, "#/$defs/"); local {
				text = name
			}
			has(text)
		case "a number":
			if strings.TrimPrefix(string(raw), "-") != "9007199254740991" { // the ends of what JavaScript counts exactly
				has(string(raw))
			}
		}
	}
	if text, _ := rawjson.Text(raw); !types[text] && !repeated(text) {
		walk(raw)
	}
	return lacks
}

// TestShowHasWhatDiffReports compares the sides of every case of a rule of diff: each value that a finding has is in what show
// prints of that side, and the two sides never look the same.
func TestShowHasWhatDiffReports(t *testing.T) {
	// what no single snapshot has: how two listings were read
	unseen := kit.Set([]string{"comparison-scope-differs", "list-incomplete", "list-unavailable", "analysis-incomplete", "text-size-grew"})
	files, _ := filepath.Glob("../../pkg/diff/testdata/rules/*.json")
	if len(files) < 200 {
		t.Fatalf("%d cases", len(files))
	}
	seen := 0
	for _, file := range files {
		old, new, found := caseOfDiff(t, file)
		if old == nil || new == nil {
			continue
		}
		was, is := shownBy(t, old), shownBy(t, new)
		for _, f := range found {
			if unseen[f.Rule] {
				continue
			}
			seen++
			for format := range was {
				if was[format] == is[format] {
					t.Errorf("%s: %s is reported at %s, and %s looks the same before and after:\n%s", file, f.Rule, f.Pointer(), format,
						is[format])
				}
				if lacks := missing(f.Old, was[format]); len(lacks) > 0 {
					t.Errorf("%s: %s: the old side lacks %q in:\n%s", file, f.Rule, lacks, was[format])
				}
				if lacks := missing(f.New, is[format]); len(lacks) > 0 {
					t.Errorf("%s: %s: the new side lacks %q in:\n%s", file, f.Rule, lacks, is[format])
				}
			}
		}
	}
	if seen < 250 {
		t.Errorf("only %d findings", seen)
	}
}

// caseOfDiff returns both sides of a case of a rule of diff, nil where there is none, and what differs.
func caseOfDiff(t *testing.T, file string) (old, new *snapshot.Snapshot, found []finding.Finding) {
	t.Helper()
	id, _, _ := strings.Cut(filepath.Base(file), ".")
	var test struct {
		Options diff.Options
		Fires   struct{ Old, New json.RawMessage }
	}
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &test)
	}
	if err != nil {
		t.Fatal(err)
	}
	if string(test.Fires.Old) == "null" || string(test.Fires.New) == "null" {
		return nil, nil, nil
	}
	all := diff.Rules()
	rule := all[slices.IndexFunc(all, func(r finding.Rule) bool { return r.ID == id })]
	old, new = ruleSide(t, rule, test.Fires.Old), ruleSide(t, rule, test.Fires.New)
	if found, err = diff.Compare(t.Context(), old, new, test.Options); err != nil {
		t.Fatal(err)
	}
	return old, new, found
}

// ruleSide is one side of a case of a rule: a snapshot, or a schema of a tool.
func ruleSide(t *testing.T, rule finding.Rule, side json.RawMessage) *snapshot.Snapshot {
	t.Helper()
	text := string(side)
	switch rule.Direction {
	case finding.Input:
		text = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"tools":[{"name":"search","inputSchema":` + text + `}]}`
	case finding.Output:
		text = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"tools":[{"name":"search","inputSchema":{"type":"object"},` +
			`"outputSchema":` + text + `}]}`
	}
	s, err := snapshot.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return s
}

// TestShowHasPublishedListings checks what real servers declare, member by member.
func TestShowHasPublishedListings(t *testing.T) {
	files, _ := filepath.Glob("../../testdata/*/*.json")
	read := 0
	for i, file := range files {
		if !full && i%12 != 0 {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := snapshot.Parse(data)
		if err != nil {
			continue // of another shape
		}
		read++
		for format, out := range shownBy(t, s) {
			checkShown(t, file+" "+format, s, out)
		}
	}
	if read < 5 {
		t.Errorf("only %d listings of %d files", read, len(files))
	}
}

func checkShown(t testing.TB, name string, s *snapshot.Snapshot, out string) {
	t.Helper()
	parts := []json.RawMessage{s.Server, s.Capabilities, rawjson.Quote(s.Instructions)}
	for _, kind := range snapshot.Kinds() {
		list := s.List(kind)
		for _, item := range list.Items() {
			parts = append(parts, item.Raw)
		}
	}
	for _, raw := range parts {
		if lacks := missing(raw, out); len(lacks) > 0 {
			t.Errorf("%s lacks %q of %s", name, lacks[:min(len(lacks), 5)], kit.Clip(string(raw), 2000))
		}
	}
}

// FuzzShow puts unknown members, and known ones of any shape, anywhere into a server, and looks for each of them in
// what show prints.
func FuzzShow(f *testing.F) {
	for seed := range uint64(60) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		g := &declarer{Rand: rand.New(rand.NewPCG(seed, 1))}
		s := &snapshot.Snapshot{Protocol: "2025-11-25", Server: g.object("name", "version", "title", "description", "icons"),
			Capabilities: g.object("tools", "resources", "extensions", "experimental", "tasks"), Instructions: g.word(),
			Supported: []string{g.word(), g.word()}, Extra: map[string]json.RawMessage{g.word(): g.value(0)}}
		members := map[snapshot.Kind][]string{
			snapshot.Tools:     {"title", "description", "inputSchema", "outputSchema", "annotations", "execution", "_meta", "icons"},
			snapshot.Prompts:   {"title", "description", "arguments", "_meta"},
			snapshot.Resources: {"name", "title", "description", "mimeType", "size", "annotations", "_meta"},
			snapshot.Templates: {"name", "title", "description", "mimeType", "annotations"},
			snapshot.Skills:    {"frontmatter", "resources", "description"}}
		for _, kind := range snapshot.Kinds() {
			items := seen.Items{g.object(append(members[kind], kind.KeyField())...), g.object(append(members[kind], kind.KeyField())...)}
			s.SetList(snapshot.NewList(kind, items))
		}
		for format, out := range shownBy(t, s) {
			checkShown(t, format, s, out)
		}
	})
}

// declarer makes JSON in which every name and value occurs once.
type declarer struct {
	*rand.Rand
	n int
}

func (g *declarer) word() string {
	g.n++
	return "w" + strconv.Itoa(g.n) + strings.Repeat(" z", g.IntN(2))
}

func (g *declarer) value(depth int) json.RawMessage {
	switch kind := g.IntN(8); {
	case kind < 3:
		return rawjson.Quote(g.word())
	case kind == 3:
		g.n++
		return json.RawMessage("7" + strconv.Itoa(g.n))
	case kind == 4 || depth > 6:
		return json.RawMessage([]string{"true", "false", "null", "{}", "[]", `""`}[g.IntN(6)])
	case kind == 5:
		var all []json.RawMessage
		for range g.IntN(4) {
			all = append(all, g.value(depth+1))
		}
		return rawjson.List(all)
	}
	return g.schema(depth + 1)
}

// schema returns an object of words that schemas use, and of others.
func (g *declarer) schema(depth int) json.RawMessage {
	words := []string{"type", "properties", "required", "items", "prefixItems", "anyOf", "oneOf", "allOf", "$defs", "$ref", "enum", "const",
		"default", "description", "title", "additionalProperties", "patternProperties", "not", "if", "minimum", "pattern", "uri", "name",
		"digest"}
	var members []rawjson.Member
	for _, i := range g.Perm(len(words))[:g.IntN(5)] {
		members = append(members, rawjson.Member{Key: words[i], Value: g.value(depth)})
	}
	for range g.IntN(3) {
		members = append(members, rawjson.Member{Key: g.word(), Value: g.value(depth)})
	}
	return rawjson.Build(members...)
}

func (g *declarer) object(known ...string) json.RawMessage {
	members := rawjson.Children(g.schema(1))
	members = slices.DeleteFunc(members, func(m rawjson.Member) bool { return slices.Contains(known, m.Key) })
	for _, key := range known {
		if value := g.value(0); g.IntN(6) > 0 {
			members = append(members, rawjson.Member{Key: key, Value: value})
		}
	}
	return rawjson.Build(members...)
}
