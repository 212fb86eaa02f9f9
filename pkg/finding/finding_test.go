package finding_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

func TestLevelWords(t *testing.T) {
	for _, word := range []string{"off", "info", "warning", "breaking"} {
		level, err := finding.ParseLevel(word)
		if err != nil || level.String() != word {
			t.Errorf("ParseLevel(%q) = %v, %v", word, level, err)
		}
		var read finding.Level
		text, _ := json.Marshal(level)
		if err := json.Unmarshal(text, &read); err != nil || read != level {
			t.Errorf("%s read back as %v, %v", text, read, err)
		}
	}
	if _, err := finding.ParseLevel("fatal"); err == nil {
		t.Error("an unknown level was read")
	}
	if got := finding.Level(9).String(); got != "level(9)" {
		t.Errorf("a level that does not exist is %q", got)
	}
}

// TestOffIn names the tools only where the finding is about several.
func TestOffIn(t *testing.T) {
	for want, off := range map[string]finding.OffIn{
		"off in Codex CLI":           {Application: "Codex CLI"},
		"off in Codex CLI: `a`":      {Application: "Codex CLI", Tools: []string{"`a`"}},
		"off in Codex CLI: `a`, `b`": {Application: "Codex CLI", Tools: []string{"`a`", "`b`"}},
	} {
		if got := off.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestThresholds(t *testing.T) {
	levels := []finding.Level{finding.Off, finding.Info, finding.Warning, finding.Breaking}
	for word, want := range map[string][]bool{
		"breaking": {false, false, false, true},
		"warning":  {false, false, true, true},
		"info":     {false, true, true, true},
		"any":      {false, true, true, true},
		"never":    {false, false, false, false},
	} {
		threshold, err := finding.ParseThreshold(word)
		if err != nil {
			t.Fatal(err)
		}
		for i, level := range levels {
			if got := threshold.Fails(level); got != want[i] {
				t.Errorf("%s fails on %s: %v, want %v", word, level, got, want[i])
			}
		}
	}
	if _, err := finding.ParseThreshold("sometimes"); err == nil {
		t.Error("an unknown threshold was read")
	}
}

// base is a finding whose fingerprint a waiver in a user's repository may name.
func base() finding.Finding {
	return finding.Finding{
		Rule: "input-type-narrowed", Level: finding.Breaking, Server: "github", Item: "tool/create_issue",
		Path: "/inputSchema/properties/limit/type", Message: "limit no longer accepts fractions",
		Old: json.RawMessage(`"number"`), New: json.RawMessage(`"integer"`),
	}
}

func TestFingerprintStaysForGood(t *testing.T) {
	if got := base().Fingerprint(); got != "3d77be1564be" {
		t.Errorf("the fingerprint moved to %s: every waiver in the world breaks", got)
	}
}

// TestFingerprintLeavesOut changes what no fingerprint depends on: words, levels, and the spelling of values.
func TestFingerprintLeavesOut(t *testing.T) {
	changed := base()
	changed.Message, changed.Hint, changed.Level = "other words", "a hint", finding.Info
	changed.Verdict, changed.Witness = finding.Proved, json.RawMessage(`{"limit":0.5}`)
	changed.Waiver = &finding.Waiver{Reason: "known"}
	if got, want := changed.Fingerprint(), base().Fingerprint(); got != want {
		t.Errorf("wording changed the fingerprint from %s to %s", want, got)
	}
	a, b := base(), base()
	a.Old, b.Old = json.RawMessage(`{"a":1.0,"b":[2]}`), json.RawMessage("{ \"b\": [2],\n\"a\": 1.0 }")
	if a.Fingerprint() != b.Fingerprint() {
		t.Error("white space or key order changed the fingerprint")
	}
}

func TestPointerJoinsPathAndMember(t *testing.T) {
	f := base()
	f.Path, f.Member = "/inputSchema/properties/limit", "type"
	if f.Pointer() != base().Path || f.Fingerprint() != base().Fingerprint() {
		t.Errorf("%s is another place than %s", f.Pointer(), base().Path)
	}
	f.Member = "a/b~c"
	if got, want := f.Pointer(), "/inputSchema/properties/limit/a~1b~0c"; got != want {
		t.Errorf("pointer %s, want %s", got, want)
	}
}

func TestFingerprintsOfChangesDiffer(t *testing.T) {
	seen := map[string]string{base().Fingerprint(): "base"}
	for name, edit := range map[string]func(*finding.Finding){
		"rule":    func(f *finding.Finding) { f.Rule = "output-type-narrowed" },
		"server":  func(f *finding.Finding) { f.Server = "gitlab" },
		"item":    func(f *finding.Finding) { f.Item = "tool/list_issues" },
		"path":    func(f *finding.Finding) { f.Path = "/inputSchema/properties/page/type" },
		"old":     func(f *finding.Finding) { f.Old = json.RawMessage(`"string"`) },
		"new":     func(f *finding.Finding) { f.New = json.RawMessage(`"boolean"`) },
		"no new":  func(f *finding.Finding) { f.New = nil },
		"swapped": func(f *finding.Finding) { f.Old, f.New = f.New, f.Old },
		"no JSON": func(f *finding.Finding) { f.New = json.RawMessage(`{`) },
		"number":  func(f *finding.Finding) { f.New = json.RawMessage(`12345678901234567890`) },
		"nearby":  func(f *finding.Finding) { f.New = json.RawMessage(`12345678901234567891`) },
	} {
		f := base()
		edit(&f)
		if other, taken := seen[f.Fingerprint()]; taken {
			t.Errorf("%s and %s have the same fingerprint", name, other)
		}
		seen[f.Fingerprint()] = name
	}
}

func TestSortIsTheReportedOrder(t *testing.T) {
	findings := []finding.Finding{
		{Server: "b", Item: "tool/a"},
		{Server: "a", Item: "tool/b", Path: "/x", Rule: "r2"},
		{Server: "a", Item: "tool/b", Path: "/x", Rule: "r1"},
		{Server: "a", Item: "tool/b"},
		{Server: "a"},
		{Server: "a", Item: "prompt/z", Path: "/y"},
	}
	finding.Sort(findings)
	var got []string
	for _, f := range findings {
		got = append(got, f.Server+" "+f.Item+" "+f.Path+" "+f.Rule)
	}
	want := []string{"a   ", "a prompt/z /y ", "a tool/b  ", "a tool/b /x r1", "a tool/b /x r2", "b tool/a  "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

func TestPlace(t *testing.T) {
	for want, f := range map[string]finding.Finding{
		"":                    {Path: "/capabilities/tools"},
		"find":                {Item: "tool/find"},
		"search":              {Item: "tool/search", Path: "/description"},
		"search(q)":           {Item: "tool/search", Path: "/inputSchema/properties/q/default"},
		"search(q.a)":         {Item: "tool/search", Path: "/inputSchema/properties/q/items/properties/a", Member: "type"},
		"search(properties)":  {Item: "tool/search", Path: "/inputSchema/properties/properties"},
		"search(a, b)":        {Item: "tool/search", Path: "/inputSchema/properties", New: json.RawMessage(`["a","b"]`)},
		"search().rows":       {Item: "tool/search", Path: "/outputSchema/properties/rows"},
		"review(lang)":        {Item: "prompt/review", Path: "/arguments/0", New: json.RawMessage(`"lang"`)},
		"file:///a/b":         {Item: "resource/file:///a/b", Path: "/mimeType"},
		"search(q, with two)": {Item: "tool/search", Path: "/inputSchema/properties", New: json.RawMessage(`["q","with two"]`)},
	} {
		if got := f.Place(); got != want {
			t.Errorf("%s at %s: %q, want %q", f.Item, f.Pointer(), got, want)
		}
	}
}
