package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// xsdElement is what an XML Schema says of one element. The grammar is the part that the schema for JUnit uses.
type xsdElement struct {
	Name string `xml:"name,attr"`
	Type *struct {
		Mixed    bool `xml:"mixed,attr"`
		Sequence []struct {
			Ref string `xml:"ref,attr"`
			Min string `xml:"minOccurs,attr"`
			Max string `xml:"maxOccurs,attr"`
		} `xml:"sequence>element"`
		Attributes []struct {
			Name string `xml:"name,attr"`
			Use  string `xml:"use,attr"`
		} `xml:"attribute"`
	} `xml:"complexType"`
}

func junitGrammar(t testing.TB) map[string]xsdElement {
	t.Helper()
	raw, err := os.ReadFile("testdata/schemas/junit-4.xsd")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Elements []xsdElement `xml:"element"`
	}
	if err := xml.Unmarshal(raw, &schema); err != nil {
		t.Fatal(err)
	}
	grammar := map[string]xsdElement{}
	for _, e := range schema.Elements {
		grammar[e.Name] = e
	}
	if grammar["testsuite"].Type == nil || len(grammar["testcase"].Type.Sequence) != 5 {
		t.Fatal("the schema was not understood")
	}
	return grammar
}

// element is any XML element.
type element struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Children []element  `xml:",any"`
	Text     string     `xml:",chardata"`
}

// validate reports where an element breaks the grammar: unknown names, missing attributes, children out of order or too many.
func (e element) validate(grammar map[string]xsdElement) error {
	rule, known := grammar[e.XMLName.Local]
	if !known {
		return fmt.Errorf("<%s> is not in the schema", e.XMLName.Local)
	}
	if rule.Type == nil { // a text
		// Surefire and the schema's later versions let skipped have a message; this version has it as a text alone.
		if len(e.Children) > 0 || len(e.Attrs) > 0 && e.XMLName.Local != "skipped" {
			return fmt.Errorf("<%s> is more than a text", e.XMLName.Local)
		}
		return nil
	}
	required := map[string]bool{}
	allowed := map[string]bool{}
	for _, a := range rule.Type.Attributes {
		allowed[a.Name], required[a.Name] = true, a.Use == "required"
	}
	for _, a := range e.Attrs {
		if !allowed[a.Name.Local] {
			return fmt.Errorf("<%s> has no attribute %s", e.XMLName.Local, a.Name.Local)
		}
		delete(required, a.Name.Local)
	}
	for name, must := range required {
		if must {
			return fmt.Errorf("<%s> lacks %s", e.XMLName.Local, name)
		}
	}
	if !rule.Type.Mixed && strings.TrimSpace(e.Text) != "" {
		return fmt.Errorf("<%s> has the text %q", e.XMLName.Local, e.Text)
	}
	at, seen := 0, 0
	for _, child := range e.Children {
		if err := child.validate(grammar); err != nil {
			return err
		}
		for at < len(rule.Type.Sequence) && rule.Type.Sequence[at].Ref != child.XMLName.Local {
			at, seen = at+1, 0
		}
		if at == len(rule.Type.Sequence) {
			return fmt.Errorf("<%s> is out of place in <%s>", child.XMLName.Local, e.XMLName.Local)
		}
		if seen++; seen > 1 && rule.Type.Sequence[at].Max != "unbounded" {
			return fmt.Errorf("<%s> is repeated in <%s>", child.XMLName.Local, e.XMLName.Local)
		}
	}
	return nil
}

func checkJUnit(t testing.TB, grammar map[string]xsdElement, out string) element {
	t.Helper()
	checkVisible(t, strings.ReplaceAll(out, "\t", ""))
	decoder := xml.NewDecoder(strings.NewReader(out))
	var root element
	if err := decoder.Decode(&root); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for token, err := decoder.Token(); err != io.EOF; token, err = decoder.Token() {
		if text, ok := token.(xml.CharData); err != nil || !ok || strings.TrimSpace(string(text)) != "" {
			t.Fatalf("%v %v after the end", token, err)
		}
	}
	if err := root.validate(grammar); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return root
}

// TestJUnitFollowsTheSchema holds every case against the schema, and makes sure that it can say no.
func TestJUnitFollowsTheSchema(t *testing.T) {
	grammar := junitGrammar(t)
	for _, one := range cases(t) {
		checkJUnit(t, grammar, written(t, "junit", &one.Report, one.Options))
	}
	for _, bad := range []string{
		`<testsuite name="a"/>`,
		`<testsuites><testsuite name="a" tests="1"><testcase label="x"/></testsuite></testsuites>`,
		`<testsuites><testsuite name="a" tests="1"><testcase name="x" file="y"/></testsuite></testsuites>`,
		`<testsuites><testsuite name="a" tests="1"><testcase name="x"><failed/></testcase></testsuite></testsuites>`,
		`<testsuites><testsuite name="a" tests="1"><testcase name="x"><failure/><skipped/></testcase></testsuite></testsuites>`,
		`<testsuites><testsuite name="a" tests="1"><testcase name="x"><skipped/><skipped/></testcase></testsuite></testsuites>`,
		`<testsuites><testsuite name="a" tests="1"><testcase name="x">text</testcase></testsuite></testsuites>`,
		`<testsuites skipped="1"/>`,
	} {
		var root element
		if err := xml.Unmarshal([]byte(bad), &root); err != nil {
			t.Fatalf("%s: %v", bad, err)
		}
		if root.validate(grammar) == nil {
			t.Errorf("%s passes the schema", bad)
		}
	}
}

// TestJUnitCounts checks the numbers that readers show.
func TestJUnitCounts(t *testing.T) {
	r := diffOf(0, seen.Findings{
		{Rule: "x", Level: finding.Breaking, Server: "a"}, {Rule: "y", Level: finding.Warning, Server: "a"},
		{Rule: "z", Level: finding.Breaking, Server: "a", Waiver: &finding.Waiver{Reason: "agreed"}},
	},
		DiffServer{Server: seen.Server{Name: "a", State: seen.OK}},
		DiffServer{Server: seen.Server{Name: "b", State: seen.Failed, Error: &seen.Failure{Stage: "starting", Message: "no"}}},
		DiffServer{Server: seen.Server{Name: "c", State: seen.Failed, Error: &seen.Failure{Stage: "starting", Message: "no"},
			Tolerated: &finding.Tolerance{Reason: "moves"}}},
		DiffServer{Server: seen.Server{Name: "d", State: seen.OK}})
	root := checkJUnit(t, junitGrammar(t), written(t, "junit", r, Options{}))
	var got []string
	for _, suite := range append([]element{root}, root.Children...) {
		var row []string
		for _, name := range []string{"name", "tests", "failures", "errors", "skipped"} {
			for _, a := range suite.Attrs {
				if a.Name.Local == name {
					row = append(row, name+" "+a.Value)
				}
			}
		}
		got = append(got, strings.Join(row, ", "))
	}
	want := []string{
		"name mcpctl diff, tests 6, failures 1, errors 1",
		"name a, tests 3, failures 1, errors 0, skipped 1",
		"name b, tests 1, failures 0, errors 1",
		"name c, tests 1, failures 0, errors 0, skipped 1",
		"name d, tests 1, failures 0, errors 0",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestJUnitFailsAsTheRunDoes moves the threshold, of all servers and of one.
func TestJUnitFailsAsTheRunDoes(t *testing.T) {
	for _, test := range []struct {
		all, own finding.Threshold
		failing  int
	}{
		{"", "", 1}, {finding.FailOnWarning, "", 2}, {finding.FailOnAny, "", 3}, {finding.FailOnNever, "", 0},
		{finding.FailOnNever, finding.FailOnWarning, 2}, {finding.FailOnAny, finding.FailOnNever, 0},
	} {
		r := &Report{Command: "check", Body: &Check{
			Servers: []CheckServer{{Server: seen.Server{Name: "a"}, FailOn: test.own}},
			Assessed: Assessed{FailOn: test.all, Findings: seen.Findings{
				{Rule: "x", Level: finding.Breaking, Server: "a"}, {Rule: "y", Level: finding.Warning, Server: "a"},
				{Rule: "z", Level: finding.Info, Server: "a"},
				{Rule: "w", Level: finding.Breaking, Server: "a", Waiver: &finding.Waiver{Reason: "agreed"}},
			}}}}
		if got := strings.Count(written(t, "junit", r, Options{}), "<failure "); got != test.failing {
			t.Errorf("%q, and %q of the server: %d tests fail, want %d", test.all, test.own, got, test.failing)
		}
	}
}
