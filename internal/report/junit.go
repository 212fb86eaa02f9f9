package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

// writeJUnit writes a suite per server: a test for each finding, which fails if the finding fails the run, an
// error where a server could not be asked, and one test that passes where nothing was found. Waived findings are skipped
// tests.
func writeJUnit(w io.Writer, r *Report, _ Options) error {
	all := junit.Testsuites{Name: "mcpctl " + string(visible(r.Command))}
	for _, s := range r.Servers {
		all.AddSuite(serverSuite(r, s, len(all.Suites)))
	}
	if rest := restSuite(r, len(all.Suites)); rest.Tests > 0 {
		all.AddSuite(rest)
	}
	all.Skipped = 0 // an attribute that the readers' schemas have on a suite alone
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	return all.WriteXML(w)
}

func serverSuite(r *Report, s Server, id int) junit.Testsuite {
	suite := junit.Testsuite{Name: string(visible(s.Name)), ID: id, Time: fmt.Sprintf("%.3f", float64(s.ElapsedMs)/1000)}
	for _, f := range s.failures() {
		suite.AddTestcase(failureCase(s, f))
	}
	if s.Unsaved {
		suite.AddTestcase(junit.Testcase{Classname: suite.Name, Name: "saved snapshot", Time: "0",
			Error: &junit.Result{Message: "no saved snapshot", Data: "save one: mcpctl snapshot " + string(visible(quoted(s.Name)))}})
	}
	for _, f := range of(s.Name, r.Findings) {
		suite.AddTestcase(r.findingCase(f))
	}
	if suite.Tests == 0 {
		test := junit.Testcase{Classname: suite.Name, Name: "mcpctl " + string(visible(r.Command)), Time: "0"}
		if s.State == Disabled {
			test.Skipped = &junit.Result{Message: "disabled in the configuration"}
		}
		suite.AddTestcase(test)
	}
	return suite
}

// restSuite holds the findings of no server, and the problems of the run.
func restSuite(r *Report, id int) junit.Testsuite {
	suite := junit.Testsuite{Name: "mcpctl", ID: id, Time: "0"}
	for _, problem := range r.Problems {
		suite.AddTestcase(junit.Testcase{Classname: "mcpctl", Name: "problem", Time: "0", Error: &junit.Result{Message: string(oneLine(problem)), Data: paragraphs(problem)}})
	}
	for _, f := range strays(r) {
		suite.AddTestcase(r.findingCase(f))
	}
	return suite
}

// findingCase is a finding as a test. Its name holds the fingerprint, so that a reader can follow it from run to run.
func (r *Report) findingCase(f finding.Finding) junit.Testcase {
	test := junit.Testcase{Classname: "mcpctl " + string(visible(r.Command)), Time: "0",
		Name: fmt.Sprintf("%s %s (%s)", itemTitle(f.Item), visible(f.Rule), f.Fingerprint())}
	if f.Server != "" {
		test.Classname = string(visible(f.Server))
	}
	switch says := plainText(f); {
	case r.fails(f):
		test.Failure = &junit.Result{Message: string(oneLine(f.Message)), Type: string(visible(f.Rule)), Data: says}
	case f.Waiver != nil:
		test.Skipped = &junit.Result{Message: "waived: " + string(oneLine(f.Waiver.Reason)), Data: says}
	default:
		test.SystemOut = &junit.Output{Data: levelWord(f) + "\n" + says}
	}
	return test
}

// failureCase is a server that could not be asked; one that is tolerated is a skipped test.
func failureCase(s Server, f Failure) junit.Testcase {
	test := junit.Testcase{Classname: string(visible(s.Name)), Name: string(oneLine(f.Stage)), Time: "0"}
	result := &junit.Result{Message: string(oneLine(f.Message)), Type: string(visible(string(s.State))), Data: troubleText(s, f)}
	if s.Tolerated != nil {
		test.Skipped = result
	} else {
		test.Error = result
	}
	if f.Stderr != "" {
		test.SystemErr = &junit.Output{Data: paragraphs(f.Stderr)}
	}
	return test
}

// paragraphs is a text of several lines with everything that cannot be seen spelled out.
func paragraphs(s string) string {
	var all []string
	for _, line := range lines(s) {
		all = append(all, string(line))
	}
	return strings.Join(all, "\n")
}
