package check_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// TestUnfinished: a server that takes longer than it may is named, and nothing is reported about it.
func TestUnfinished(t *testing.T) {
	s, err := snapshot.Parse([]byte(`{"protocolVersion":"2025-11-25","tools":[{"name":"t","inputSchema":{"type":"object"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	found, err := check.Run(t.Context(), []check.Subject{{Name: "s", Snapshot: s}}, check.Options{Timeout: time.Nanosecond})
	var cut *check.UnfinishedError
	if len(found) != 0 || !errors.As(err, &cut) || !slices.Equal(cut.Servers, []string{"s"}) {
		t.Errorf("%v, %d findings", err, len(found))
	}
}

// TestDeepTextsTakeWhatTheyWeigh: a text at each of very many levels took the square of their number, of time and of memory.
// Their paths have 128 KiB, those of some hundred findings.
func TestDeepTextsTakeWhatTheyWeigh(t *testing.T) {
	const levels = 9000
	deep := strings.Repeat(`{"description":"a\u200bb","a":`, levels) + "1" + strings.Repeat("}", levels)
	s, err := snapshot.Parse([]byte(`{"tools":[{"name":"t","inputSchema":{"type":"object"},"x":` + deep + `}]}`))
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	found, err := check.Run(t.Context(), []check.Subject{{Name: "s", Snapshot: s}}, check.Options{})
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; err != nil || len(found) < 100 || taken > 1<<30 {
		t.Errorf("%v, %d findings, %d MiB", err, len(found), taken>>20)
	}
}

// TestNamesOfSchemas holds what a reference by a name leads to.
func TestNamesOfSchemas(t *testing.T) {
	for target, known := range map[string]bool{
		"#a": true, "#b": true, "#c": true, "#d": false, "x.json": true, "b/x.json": true, "https://e.example/b/x.json": true,
		"y.json": false, ".json": false, "x.json#a": true,
	} {
		s, err := snapshot.Parse([]byte(`{"tools":[{"name":"t","inputSchema":{"type":"object","properties":{"p":{"$ref":"` + target + `"}},
			"$defs":{"a":{"$anchor":"a"},"b":{"$dynamicAnchor":"b"},"c":{"$id":"#c"},"d":{"$id":"https://e.example/b/x.json"},` +
			`"e":{"$id":"z.json"}}}}]}`))
		if err != nil {
			t.Fatal(err)
		}
		found, err := check.Run(t.Context(), []check.Subject{{Name: "s", Snapshot: s}}, check.Options{})
		told := slices.ContainsFunc(found, func(f finding.Finding) bool {
			return f.Rule == "reference-unresolved" || f.Rule == "reference-remote"
		})
		if err != nil || told == known {
			t.Errorf("%s: %v, told %v", target, err, told)
		}
	}
}

// TestReferencesToThemselves reports the references that lead back to their own place through references alone.
func TestReferencesToThemselves(t *testing.T) {
	for properties, want := range map[string]int{
		`"f":{"$ref":"#/properties/f"}`:                               1,
		`"f":{"$ref":"#/properties/g"},"g":{"$ref":"#/properties/f"}`: 2,
		`"f":{"$ref":"#/properties/g"},"g":{"$ref":"#/properties/g"}`: 1,
		`"f":{"$ref":"#/properties/%66","type":"object"}`:             1,
		`"f":{"allOf":[{"$ref":"#/properties/f/allOf/0"}]}`:           1,
		`"f":{"$ref":"#"}`: 0,
		`"f":{"properties":{"next":{"$ref":"#/properties/f"}}}`:                                              0,
		`"f":{"$ref":"#/properties/g"},"g":{"type":"string"}`:                                                0,
		`"f":{"properties":{"$ref":{"type":"string"}},"$ref":"#/properties/f/properties"},"$ref":{"type":1}`: 0,
	} {
		s, err := snapshot.Parse([]byte(`{"tools":[{"name":"t","inputSchema":{"type":"object","properties":{` + properties + `}}}]}`))
		if err != nil {
			t.Fatal(err)
		}
		found, err := check.Run(t.Context(), []check.Subject{{Name: "s", Snapshot: s}}, check.Options{})
		got := 0
		for _, f := range found {
			if f.Rule == "reference-unresolved" && strings.Contains(f.Message, "leads only to itself") {
				got++
			}
		}
		if err != nil || got != want {
			t.Errorf("%s: %d references, want %d, %v", properties, got, want, err)
		}
	}
}

// TestManyMissingItems guesses for the first hundred names of a file alone which one is meant: each guess looks at all that there are.
func TestManyMissingItems(t *testing.T) {
	s, err := snapshot.Parse([]byte(`{"tools":[{"name":"tickets_list"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	items := make([]check.DeclaredItem, 150)
	for i := range items {
		items[i].Name = check.DeclaredText{Text: fmt.Sprintf("tickets_list%d", i), Line: i + 1}
	}
	file := check.Declared{File: "manifest.json", Items: map[snapshot.Kind][]check.DeclaredItem{snapshot.Tools: items}}
	found, err := check.Run(t.Context(), []check.Subject{{Name: "s", Snapshot: s, Declared: []check.Declared{file}}}, check.Options{})
	missing, guessed := 0, 0
	for _, f := range found {
		if f.Rule == "declared-item-missing" {
			missing++
			if strings.Contains(f.Message, "did you mean") {
				guessed++
			}
		}
	}
	if err != nil || missing != 150 || guessed != 100 {
		t.Errorf("%d are missing, and %d guesses: %v", missing, guessed, err)
	}
}
