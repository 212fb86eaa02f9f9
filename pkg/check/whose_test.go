package check_test

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// TestSentencesNameTheArgument: two arguments with one wrong default, or with one pattern, are two findings that can be distinguished.
func TestSentencesNameTheArgument(t *testing.T) {
	surface, err := snapshot.Parse([]byte(`{"tools":[{"name":"a","inputSchema":{"type":"object","default":[],"properties":{
		"first":{"type":"integer","default":"x","description":"one"},
		"properties":{"type":"object","properties":{"deep":{"type":"integer","default":"x"}}},
		"list":{"type":"array","items":{"type":"string","pattern":"([a-z","examples":[1]}}}}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	said := ""
	for _, f := range run(t, []check.Subject{{Name: "s", Snapshot: surface}}, check.Options{}) {
		said += f.Message + "\n"
	}
	for _, want := range []string{
		"The default [] is invalid", "The default \"x\" of `first` is invalid", "The default \"x\" of `properties.deep` is invalid",
		"The pattern \"([a-z\" of `list` is not valid", "The example 1 of `list` is invalid",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("nothing says %q in:\n%s", want, said)
		}
	}
}
