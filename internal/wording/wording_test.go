package wording

import "testing"

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
