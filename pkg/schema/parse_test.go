package schema

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseRefusesWhatIsNoSchema(t *testing.T) {
	for _, raw := range []string{``, `{`, `[]`, `"string"`, `null`, `1`, `{} {}`, `{"a":}`} {
		if _, err := Parse(json.RawMessage(raw)); err == nil || !strings.HasPrefix(err.Error(), "reading schema: ") {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

func TestProblemsNameWhatHasNoMeaning(t *testing.T) {
	s := mustParse(t, `{
		"$schema": "https://example.com/dialect",
		"required": "a",
		"properties": {"a/b": {"type": "strnig"}, "c": 3, "d": {"$ref": "#/$defs/gone"}, "e": {"$ref": "other.json"}},
		"items": [{"minLength": -1}],
		"enum": [1]
	}`)
	want := []Problem{
		{"/$schema", "the dialect is not known; read as 2020-12"},
		{"/items/0/minLength", "is not a count"},
		{"/properties/a~1b/type", "names a type that does not exist"},
		{"/properties/c", "is not a schema: an object or a boolean is"},
		{"/properties/d/$ref", "names nothing in this document"},
		{"/properties/e/$ref", "names nothing in this document"},
		{"/required", "is not an array of names"},
	}
	if diff := cmp.Diff(want, s.Problems()); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if s := mustParse(t, `{"type":["string","null"],"x-unknown":7,"nullable":true}`); s.Problems() != nil {
		t.Errorf("problems where there are none: %v", s.Problems())
	}
}

func TestBudgetIsCountedInSteps(t *testing.T) {
	wide, narrow := mustParse(t, colouring(12)), mustParse(t, colouring(11))
	enough := Contains(t.Context(), wide, narrow, Budget{Semantics: Strict})
	if enough.Verdict == Unknown {
		t.Fatalf("unknown with the whole budget: %s", enough.Reason)
	}
	if r := Contains(t.Context(), wide, narrow, Budget{Semantics: Strict, Steps: 5}); r.Verdict == Compatible {
		t.Errorf("compatible within five steps; %d are needed", enough.Steps)
	}
	for depth, want := range map[int]Verdict{maxInside: Compatible, maxInside + 1: Unknown} {
		deep := nest(`{"type":"array","minItems":1,"items":%s}`, depth, `{"type":"integer"}`)
		text := nest(`{"type":"array","items":%s}`, depth, `{"type":"number"}`)
		if r := Contains(t.Context(), mustParse(t, text), mustParse(t, deep), Budget{}); r.Verdict != want {
			t.Errorf("%v with values nested %d deep (%s)", r.Verdict, depth, r.Reason)
		}
	}
}

func TestSchemasAreSafeForConcurrentUse(t *testing.T) {
	narrow, wide := mustParse(t, branches("oneOf", 6, "")), mustParse(t, branches("oneOf", 6, `,"b":{"type":"integer"}`))
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if r := Contains(t.Context(), wide, narrow, Budget{Semantics: Strict}); r.Witness == nil {
				t.Errorf("%v without a witness", r.Verdict)
			}
			if j := Compare(t.Context(), narrow, wide, Budget{}).Judge(t.Context(), Output, Budget{}); len(j.Changes) == 0 {
				t.Error("no changes")
			}
		})
	}
	group.Wait()
}

// TestLoopsAreMarkedForEachReading: what is declared is a graph of its own, whose loops a reader must not
// follow.
func TestLoopsAreMarkedForEachReading(t *testing.T) {
	s := mustParse(t, `{"properties":{"a":{"type":"string"}},"anyOf":[{"$ref":"#"},{"type":"object"}]}`)
	e := soonMeter(maxEvaluation)
	e.left = 10_000
	e.accepts(yes(s.declared()), map[string]any{"a": "x"})
	if e.left < 9_000 {
		t.Errorf("%d units were spent on one small value: the reader went in circles", 10_000-e.left)
	}
}

// TestBracketsInTextsAreNotNesting: a text may hold as many brackets and quotes as it likes.
func TestBracketsInTextsAreNotNesting(t *testing.T) {
	text, _ := json.Marshal(strings.Repeat(`"[{\`, maxNesting))
	s := mustParse(t, `{"type":"string","description":`+string(text)+`}`)
	if found, sure := s.Faults("", "a", nil); !sure || len(found) > 0 {
		t.Errorf("sure %v, %v", sure, found)
	}
}

func mustParse(t testing.TB, raw string) *Schema {
	t.Helper()
	s, err := Parse(json.RawMessage(raw))
	if err != nil {
		t.Fatalf("%v\n%s", err, raw)
	}
	return s
}
