package diff_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// TestNothingIsHidden changes one place of a real listing at random, and checks that something is reported at
// that place or around it. Rules that are off speak here too, so that a rewrite that means the same is heard
// of.
func TestNothingIsHidden(t *testing.T) {
	files, err := filepath.Glob("testdata/real/*/*.json")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d listings, %v", len(files), err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	told := 0
	for _, file := range files {
		text := read(t, file)
		for range tenth(40) {
			listing := decode(t, text)
			what := mutate(random, listing)
			after, err := json.Marshal(listing)
			if err != nil {
				t.Fatal(err)
			}
			found := compared(t, parse(t, text), parse(t, string(after)), diff.Options{Enable: silent()})
			if len(found) == 0 && !meansNothing(what) {
				t.Errorf("%s: nothing is told of %s", file, what)
			}
			told += len(found)
		}
	}
	t.Logf("%d findings", told)
}

// meansNothing reports the changes that docs/compatibility.md calls none: hints of writers on a tool that only
// reads, and defaults that are not written out any more.
func meansNothing(what string) bool {
	return slices.ContainsFunc([]string{
		"/annotations/idempotentHint: ", "/annotations/destructiveHint: ", "/execution: removed", ": nothing to change",
	}, func(excuse string) bool { return strings.Contains(what, excuse) })
}

// silent are the rules that are off by default.
func silent() []string {
	var ids []string
	for _, rule := range diff.Rules() {
		if rule.Level == finding.Off {
			ids = append(ids, rule.ID)
		}
	}
	return ids
}

func decode(t *testing.T, text string) map[string]any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.UseNumber()
	var value map[string]any
	if err := decoder.Decode(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

// mutate changes one place inside one tool, and says which and how.
func mutate(random *rand.Rand, listing map[string]any) string {
	tools := listing["tools"].([]any)
	tool := tools[random.IntN(len(tools))].(map[string]any)
	path := []string{fmt.Sprint(tool["name"])}
	var value any = tool
	for {
		object, ok := value.(map[string]any)
		if !ok || len(object) == 0 {
			return strings.Join(path, "/") + ": " + "nothing to change"
		}
		key := slices.Sorted(maps.Keys(object))[random.IntN(len(object))]
		path = append(path, key)
		if inner, deeper := object[key].(map[string]any); deeper && len(inner) > 0 && random.IntN(5) > 0 {
			value = inner
			continue
		}
		return strings.Join(path, "/") + ": " + change(random, object, key)
	}
}

// change replaces, removes or adds a member so that it means something else.
func change(random *rand.Rand, object map[string]any, key string) string {
	switch old := object[key].(type) {
	case string:
		object[key] = old + " changed"
		return "another text"
	case bool:
		object[key] = !old
		return "the other truth"
	case json.Number:
		object[key] = json.Number(old.String() + "7")
		return "another number"
	case []any:
		object[key] = append(slices.Clone(old), "new")
		return "one more element"
	}
	if random.IntN(2) == 0 {
		delete(object, key)
		return "removed"
	}
	object["x-"+key] = true
	return "a member more"
}

// TestPlacesAreShort: the place of a text is that of a value around it rather than longer than 1,024 bytes.
func TestPlacesAreShort(t *testing.T) {
	fits, long := strings.Repeat("k", 1023), strings.Repeat("k", 1024)
	for _, test := range []struct {
		steps []string
		want  string
	}{
		{[]string{"a", "b"}, "/a/b"}, {[]string{fits}, "/" + fits}, {[]string{long, "a"}, "/a"}, {[]string{fits, "a"}, "/" + fits},
		{[]string{strings.Repeat("/", 512)}, ""},
	} {
		if got := diff.Extended("", test.steps); got != test.want {
			t.Errorf("a place of %d bytes, want %d", len(got), len(test.want))
		}
	}
}
