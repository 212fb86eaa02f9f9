package wording

import (
	"os"
	"strings"
	"testing"
)

func TestDefaults(t *testing.T) {
	for text, want := range map[string]Default{
		"Results (default: 5)":          {Word: "5", Number: true},
		`The format. Defaults to "png"`: {Word: "png"},
		"How long, default 30 seconds":  {Word: "30", Number: true, Unit: " seconds"},
		"Default is false.":             {Word: "false"},
		"Defaults to the home folder":   {Word: "the", Bare: true},
	} {
		if all := Defaults(text); len(all) != 1 || all[0] != want {
			t.Errorf("%q says %+v, want %+v", text, all, want)
		}
	}
	if all := Defaults("It faults."); all != nil {
		t.Errorf("a text without a default says %+v", all)
	}
}

// TestEleven: the docs and the rule say how many languages are read beside English.
func TestEleven(t *testing.T) {
	for _, file := range []string{"../../docs/check.md", "../../pkg/check/rules.json"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if said := strings.Contains(strings.ToLower(string(text)), "eleven other languages"); !said || len(languages) != 11 {
			t.Errorf("%s: %v, and there are %d", file, said, len(languages))
		}
	}
}
