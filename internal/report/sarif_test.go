package report

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// publishedSchema is the schema that OASIS publishes; see testdata/schemas/README.md.
func publishedSchema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	schema, err := compiler.Compile("testdata/schemas/sarif-schema-2.1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func checkSARIF(t testing.TB, schema *jsonschema.Schema, out string) {
	t.Helper()
	checkVisible(t, out)
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(out))
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := schema.Validate(value); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestSARIFFollowsTheSchema holds every case against the published schema, and makes sure that it can say no.
func TestSARIFFollowsTheSchema(t *testing.T) {
	schema := publishedSchema(t)
	for _, one := range cases(t) {
		checkSARIF(t, schema, written(t, "sarif", &one.Report, told(one.Options)))
	}
	good := written(t, "sarif", diffOf(0, seen.Findings{{Rule: "x", Level: finding.Info, Message: "m"}}), Options{})
	for _, change := range [][2]string{{`"2.1.0"`, `"2.2"`}, {`"note"`, `"information"`}, {`"message": {`, `"massage": {`}} {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(strings.Replace(good, change[0], change[1], 1)))
		if err != nil || schema.Validate(value) == nil {
			t.Errorf("%s passes the schema (%v)", change[1], err)
		}
	}
}

// liveText are the two things that a SARIF message can hold besides text: a link and a placeholder (§3.11.5, §3.11.6).
var liveText = regexp.MustCompile(`\]\(|\{[0-9]`)

// messages are all texts of a log that readers show.
func messages(t testing.TB, out string) []string {
	t.Helper()
	var log struct {
		Runs []struct {
			Results []struct {
				Message struct{ Text string }
			}
			Invocations []struct {
				ToolExecutionNotifications []struct {
					Message struct{ Text string }
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &log); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, result := range log.Runs[0].Results {
		all = append(all, result.Message.Text)
	}
	for _, note := range log.Runs[0].Invocations[0].ToolExecutionNotifications {
		all = append(all, note.Message.Text)
	}
	if len(all) == 0 {
		t.Fatal("no messages")
	}
	return all
}

func TestFileURI(t *testing.T) {
	for file, want := range map[string]string{
		"mcp-snapshots/a.json": "mcp-snapshots/a.json", "a b/ü.json": "a%20b/%C3%BC.json", "a:b.json": "./a:b.json",
		"/abs/x.json": "file:///abs/x.json", "a\u202eb.json": "a%E2%80%AEb.json", "%20.json": "%2520.json",
	} {
		if got := fileURI(file); got != want {
			t.Errorf("fileURI(%q) = %q, want %q", file, got, want)
		}
	}
}

// TestSARIFFingerprintsStay rewords a finding and changes its line: readers must take it for the same one.
func TestSARIFFingerprintsStay(t *testing.T) {
	prints := func(f finding.Finding) sarifObject {
		return sarifResult(f, 0, finding.Location{})["partialFingerprints"].(sarifObject)
	}
	a := finding.Finding{Rule: "r", Server: "s", Item: "tool/t", Message: "one"}
	b := a
	b.Message, b.Hint, b.Level, b.Location = "other", "words", finding.Info, &finding.Location{File: "x", Line: 3}
	if diff := cmp.Diff(prints(a), prints(b)); diff != "" || len(prints(a)) != 2 {
		t.Errorf("-one +other:\n%s", diff)
	}
}
