package diff_test

import (
	"encoding/json"
	"flag"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

var releases = flag.String("releases", "", "a folder of listings NAME@VERSION.json, of which each two of a name are compared")

// TestEachReleaseWithEachOther compares all releases of the servers in a folder that is named, in both
// directions.
func TestEachReleaseWithEachOther(t *testing.T) {
	if *releases == "" {
		t.Skip("no folder is named with -releases")
	}
	files, err := filepath.Glob(filepath.Join(*releases, "*@*.json"))
	if err != nil || len(files) < 2 {
		t.Fatalf("%d listings, %v", len(files), err)
	}
	pairs, total := 0, map[string]int{}
	for _, old := range files {
		for _, new := range files {
			name, _, _ := strings.Cut(filepath.Base(old), "@")
			if old == new || !strings.HasPrefix(filepath.Base(new), name+"@") {
				continue
			}
			pairs++
			before, after := parse(t, read(t, old)), parse(t, read(t, new))
			for what, n := range isolated(t, before, after, compared(t, before, after, diff.Options{})) {
				total[what] += n
			}
			if t.Failed() {
				t.Fatalf("%s → %s", filepath.Base(old), filepath.Base(new))
			}
		}
	}
	t.Logf("%d pairs: %v", pairs, total)
}

// isolated checks by an independent validator that each witness was right before and is wrong now, and that
// the change which it shows makes it wrong alone, or that it is right once that change is undone. It counts
// what it saw.
func isolated(t *testing.T, old, new *snapshot.Snapshot, findings []finding.Finding) map[string]int {
	t.Helper()
	seen := map[string]int{}
	for _, f := range findings {
		keyword := strings.Split(f.Path+"//", "/")[1]
		isSchema := keyword == "inputSchema" || keyword == "outputSchema"
		if f.Level == finding.Breaking && isSchema && f.Witness == nil && f.Hint == "" && !strings.Contains(f.Rule, "invalid") {
			t.Errorf("%s %s%s breaks, and has neither a witness nor a reason why not", f.Rule, f.Item, f.Pointer())
		}
		if f.Witness == nil || !isSchema {
			continue
		}
		seen["witnesses"]++
		was, is := schemaOf(t, old, f.Item, keyword), schemaOf(t, new, f.Item, keyword)
		before, after := fits(t, compile(t, encode(t, was)), f.Witness), fits(t, compile(t, encode(t, is)), f.Witness)
		if want := keyword == "inputSchema"; before != want || after == want {
			t.Errorf("%s %s%s: the witness %s is right before: %v, now: %v", f.Rule, f.Item, f.Pointer(), f.Witness, before, after)
		}
		alone, could := carried(t, was, is, f, true)
		undone, can := carried(t, is, was, f, false)
		if !could || !can {
			seen["in a shared or wrapped place"]++
			continue
		}
		if keyword == "outputSchema" {
			alone, undone = undone, alone
		}
		switch {
		case fits(t, compile(t, encode(t, undone)), f.Witness):
			seen["right once undone"]++
		case !fits(t, compile(t, encode(t, alone)), f.Witness):
			seen["refused by this change alone"]++
		case strings.Contains(f.Message, "unknown arguments are now rejected"):
			seen["refused by a closed object"]++
		default:
			t.Errorf("%s %s%s: the witness %s is right with this change alone, and wrong still with it undone", f.Rule, f.Item, f.Pointer(), f.Witness)
		}
	}
	return seen
}

// carried is a schema with the one change that a finding reports taken over from the other side.
func carried(t *testing.T, into, from map[string]any, f finding.Finding, forward bool) (map[string]any, bool) {
	t.Helper()
	into = decode(t, string(encode(t, into)))
	definitions, _ := from["$defs"].(map[string]any)
	for name, definition := range definitions { // what is carried may refer to
		mine := member(into, "$defs")
		if _, there := mine[name]; !there {
			mine[name] = definition
		} else if !reflect.DeepEqual(mine[name], definition) && strings.Contains(string(f.Old)+string(f.New), "/"+name+`"`) {
			return nil, false
		}
	}
	steps := rawjson.Split(f.Path)[1:]
	if _, property, _ := strings.Cut(f.Rule, "-"); strings.Contains(property, "property-") && f.Member == "" && len(steps) > 1 {
		names := []string{steps[len(steps)-1]}
		if successor, ok := rawjson.Text(f.New); ok && strings.HasSuffix(f.Rule, "-renamed") {
			names = append(names, successor)
		}
		object, ok := inside(into, steps[:len(steps)-2])
		other, there := inside(from, steps[:len(steps)-2])
		if !ok || !there || object["properties"] == nil || other["properties"] == nil {
			return nil, false
		}
		for _, name := range names {
			if !strings.Contains(f.Rule, "became") {
				carry(member(object, "properties"), member(other, "properties"), name)
			}
			release(object, name)
			if isRequired(other, name) {
				require(object, name)
			}
		}
		return into, true
	}
	object, ok := inside(into, steps)
	other, there := inside(from, steps)
	if !ok || !there {
		return nil, false
	}
	if object["$ref"] != nil || other["$ref"] != nil {
		return nil, false // the definition is shared, or goes by another name on the other side
	}
	if f.Member == "anyOf" || f.Member == "oneOf" {
		return into, alternative(t, object, f, forward)
	}
	if strings.Contains(f.Rule, "-null-") && (object["anyOf"] != nil || other["anyOf"] != nil) {
		null := finding.Finding{Member: "anyOf", Old: json.RawMessage(`{"type":"null"}`)}
		return into, alternative(t, object, null, strings.HasSuffix(f.Rule, "removed") == forward)
	}
	written := false
	for _, keyword := range keywordsOf(t, f) {
		_, mine := object[keyword]
		_, others := other[keyword]
		written = written || mine || others
		if strings.Contains(f.Rule, "enum-value-") {
			if object["enum"] == nil || other["enum"] == nil {
				return nil, false // the choice stands in a part of a union
			}
			object["enum"] = choice(object, other, strings.HasSuffix(f.Rule, "removed") == forward)
			continue
		}
		carry(object, other, keyword)
	}
	return into, written && !strings.Contains(f.Rule, "-union-member-") // members of unions have no names
}

// alternative takes the alternative of a union that a finding reports of away, or offers it beside all that
// there is.
func alternative(t *testing.T, object map[string]any, f finding.Finding, forward bool) bool {
	one, away := f.Old, forward
	if one == nil {
		one, away = f.New, !forward
	}
	gone := decode(t, string(one))
	if !away {
		all := maps.Clone(object)
		clear(object)
		object["anyOf"] = []any{all, gone}
		return true
	}
	union, _ := object[f.Member].([]any)
	object[f.Member] = slices.DeleteFunc(union, func(other any) bool { return reflect.DeepEqual(other, any(gone)) })
	return f.Old == nil || f.New == nil
}

// choice is a list of values without those that the other side does not have, or with those that only it has.
func choice(object, other map[string]any, fewer bool) []any {
	mine, _ := object["enum"].([]any)
	others, _ := other["enum"].([]any)
	lacks := func(list []any) func(any) bool {
		return func(v any) bool {
			return !slices.ContainsFunc(list, func(w any) bool { return reflect.DeepEqual(v, w) })
		}
	}
	if fewer {
		return slices.DeleteFunc(slices.Clone(mine), lacks(others))
	}
	return append(slices.Clone(mine), slices.DeleteFunc(slices.Clone(others), func(v any) bool { return !lacks(mine)(v) })...)
}

// keywordsOf are the keywords that a finding is about.
func keywordsOf(t *testing.T, f finding.Finding) []string {
	if f.Member != "" {
		return []string{f.Member}
	}
	var keywords []string
	for _, raw := range []json.RawMessage{f.Old, f.New} {
		if len(raw) > 0 && raw[0] == '{' {
			for keyword := range decode(t, string(raw)) {
				keywords = append(keywords, keyword)
			}
		}
	}
	return keywords
}

func carry(into, from map[string]any, key string) {
	delete(into, key)
	if value, there := from[key]; there {
		into[key] = value
	}
}

// member is a member that is an object, made where there is none.
func member(object map[string]any, key string) map[string]any {
	if _, there := object[key].(map[string]any); !there {
		object[key] = map[string]any{}
	}
	return object[key].(map[string]any)
}

// inside is the object at a place as it is written; there is none behind a reference.
func inside(object map[string]any, steps []string) (map[string]any, bool) {
	for _, step := range steps {
		next, ok := object[step].(map[string]any)
		if !ok {
			return nil, false
		}
		object = next
	}
	return object, true
}

func schemaOf(t *testing.T, s *snapshot.Snapshot, item, keyword string) map[string]any {
	t.Helper()
	for _, tool := range s.Tools.Items() {
		if snapshot.Tools.ID(tool.Key) == item {
			return decode(t, string(tool.Field(keyword)))
		}
	}
	t.Fatalf("there is no %s", item)
	return nil
}

func encode(t *testing.T, schema map[string]any) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
