package diff_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/diff"
)

// TestSentencesNameWhatTheySpeakOf holds sentences about a part of an item to its name.
func TestSentencesNameWhatTheySpeakOf(t *testing.T) {
	for _, test := range []struct {
		old, new string
		want     []string
	}{
		{
			`"prompts":[{"name":"p","arguments":[{"name":"city","title":"City","description":"Where."},{"name":"day","required":true}]}]`,
			`"prompts":[{"name":"p","arguments":[{"name":"city","title":"Town","description":"Which.","required":true},{"name":"day"}]}]`,
			[]string{
				"The description of `city` changed.", "The title of `city` changed from \"City\" to \"Town\".",
				"`city` is now required.", "`day` is now optional.",
			},
		},
		{
			`"prompts":[{"name":"p","arguments":[{"name":"city","required":false}]}]`,
			`"prompts":[{"name":"p","arguments":[{"name":"city","required":"true"}]}]`,
			[]string{"An undefined member changed."},
		},
		{
			`"tools":[{"name":"t","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]`,
			`"tools":[{"name":"t","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":"true"}}]`,
			[]string{"The tool no longer says that it only reads."},
		},
	} {
		side := func(list string) string {
			return `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"prompts":{}},` + list + `}`
		}
		var said []string
		for _, f := range compared(t, parse(t, side(test.old)), parse(t, side(test.new)), diff.Options{}) {
			said = append(said, f.Message)
		}
		slices.Sort(said)
		if diff := cmp.Diff(test.want, said); diff != "" {
			t.Errorf("%s\n→ %s (-want +got):\n%s", test.old, test.new, diff)
		}
	}
}

// TestAStepIsShownByASmallNumber: of an argument without bounds no value counts beyond ±(2^53−1), which is no
// place to look for one.
func TestAStepIsShownByASmallNumber(t *testing.T) {
	side := func(schema string) string {
		return `{"tools":[{"name":"t","inputSchema":{"type":"object","properties":{"a":` + schema + `}}}]}`
	}
	for step, want := range map[string]string{"5": `{"a":1}`, "0.1": `{"a":0.05}`, "0.01": `{"a":0.005}`, "0.001": `{"a":0.0005}`} {
		found := compared(t, parse(t, side(`{"type":"number"}`)), parse(t, side(`{"type":"number","multipleOf":`+step+`}`)), diff.Options{})
		if len(found) != 1 || string(found[0].Witness) != want {
			t.Errorf("a step of %s is shown by %v, want %s", step, found, want)
		}
	}
}
