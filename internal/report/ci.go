package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// alert is what CI shows besides findings: a server that did not answer in full, or a problem of the run.
type alert struct {
	server, title, text string
	at                  finding.Location
	tolerated           bool
	stderr              string
	number              int // among those of its server
}

// String returns the alert as one text.
func (a alert) String() string { return a.heading() + ": " + a.full() }

// full returns the text with the end of what the server or the build wrote to stderr.
func (a alert) full() string { return kit.Join("\n", a.text, strings.TrimRight(a.stderr, "\n")) }

func (a alert) heading() string { return text(a.server + ": " + a.title).String() }

// alerts returns what CI shows of a server besides its findings.
func (s server) alerts(run Repeat) []alert {
	var all []alert
	for i, f := range s.Failures() {
		says := textOf(append(paragraph(f.Message, plain), s.remedy(f)...))
		all = append(all, alert{s.Name, f.Stage, says, s.place(), s.Tolerated != nil, f.Stderr, i})
	}
	if s.savable() {
		all = append(all,
			alert{server: s.Name, title: "no saved snapshot", text: run.SaveHint(s.Server), at: s.place()})
	}
	return all
}

// alerts returns what CI shows of a run besides its findings.
func (r *reported) alerts(run Repeat) []alert {
	var all []alert
	for _, s := range r.Servers {
		all = append(all, s.alerts(run)...)
	}
	return append(all, r.problems()...)
}

func (r *reported) problems() []alert {
	var all []alert
	for i, problem := range r.Problems {
		all = append(all, alert{server: "mcpctl", title: "problem", text: problem, number: i})
	}
	return all
}

// writeGitHub writes workflow commands, most important first: GitHub shows ten annotations of a kind for each
// step.
func writeGitHub(w io.Writer, r *reported, o Options) error {
	var commands [4][]string // by rank
	servers := r.roster()
	for _, f := range o.wanted(r.Findings) {
		command := workflowCommand(annotationLevels[rank(f)], servers.place(f), levelWord(f)+": "+subject(f),
			plainText(f)+"\n"+f.Rule+" "+f.Fingerprint())
		commands[rank(f)] = append(commands[rank(f)], command)
	}
	for _, a := range r.alerts(o.Run) {
		rank := count(a.tolerated)
		command := workflowCommand(annotationLevels[rank], a.at, a.heading(), a.full())
		commands[rank] = append(commands[rank], command)
	}
	all := strings.Join(slices.Concat(commands[:]...), "")
	_, err := io.WriteString(w, all+workflowText(headline(r))+"\n")
	return err
}

// annotationLevels are GitHub's words for the ranks of findings.
var annotationLevels = []string{"error", "warning", "notice", "notice"}

// subject returns what a finding is about: the server and the item.
func subject(f finding.Finding) string {
	return kit.Join(", ", f.Server, itemTitle(f.Item))
}

// workflowCommand returns one line that the runner of GitHub Actions obeys. No text gets out of its place
// in it, see https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands.
func workflowCommand(level string, at finding.Location, title, message string) string {
	var properties []string
	if at.File != "" {
		properties = append(properties, "file="+workflowProperty(at.File), fmt.Sprint("line=", at.Line))
	}
	properties = append(properties, "title="+workflowProperty(title))
	all := kit.Map(kit.Lines(message), workflowText)
	return "::" + level + " " + strings.Join(properties, ",") + "::" + strings.Join(all, "%0A") + "\n"
}

func workflowProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(workflowText(s))
}

// workflowText returns visible text in which the runner finds no escape, and no order behind the command.
func workflowText(s string) string {
	return strings.ReplaceAll(printable.SpelledOut.Without("-" + string(printable.Visible(s)))[1:],
		"%", "%25")
}

// writeGitLab writes an issue for each finding that is not waived, and for each server that could not be
// asked; see https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format.
func writeGitLab(w io.Writer, r *reported, o Options) error {
	issues := []map[string]any{}
	add := func(description, rule, fingerprint, severity string, at finding.Location, server string) {
		place := cmp.Or(filepath.ToSlash(at.File), server, "mcpctl")
		issues = append(issues, map[string]any{
			"description": multiline(description), "check_name": text(rule), "fingerprint": fingerprint,
			"severity": severity,
			"location": map[string]any{"path": text(place),
				"lines": map[string]int{"begin": max(at.Line, 1)}},
		})
	}
	for _, a := range r.alerts(o.Run) {
		if !a.tolerated {
			hash := sha256.Sum256(fmt.Append(nil, a.server, "\x00", a.title, a.number))
			add(a.String(), "not-answered", hex.EncodeToString(hash[:]), "blocker", a.at, a.server)
		}
	}
	servers := r.roster()
	for _, f := range r.Findings {
		if f.Waiver == nil {
			severity := []string{"critical", "minor", "info"}[rank(f)]
			add(text(subject(f)).String()+": "+plainText(f), f.Rule, f.Fingerprint(), severity,
				servers.place(f), f.Server)
		}
	}
	return writeIndentedJSON(w, issues)
}

// The types below are JUnit's XML, as testdata/schemas has its grammar.
type (
	junitSuites struct {
		XMLName xml.Name `xml:"testsuites"`
		Name    text     `xml:"name,attr"`
		junitCounts
		Suites []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name text   `xml:"name,attr"`
		ID   int    `xml:"id,attr"`
		Time string `xml:"time,attr"` // seconds
		junitCounts
		Skipped int         `xml:"skipped,attr,omitempty"` // readers' schemas have it on a suite alone
		Cases   []junitCase `xml:"testcase"`
	}
	junitCounts struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
	}
	junitCase struct {
		Name    text         `xml:"name,attr"`
		Class   text         `xml:"classname,attr"`
		Time    string       `xml:"time,attr"`
		Skipped *junitResult `xml:"skipped"`
		Error   *junitResult `xml:"error"`
		Failure *junitResult `xml:"failure"`
		Out     *junitResult `xml:"system-out"`
		Err     *junitResult `xml:"system-err"`
	}
	junitResult struct {
		Message text      `xml:"message,attr,omitempty"`
		Type    text      `xml:"type,attr,omitempty"`
		Text    multiline `xml:",chardata"`
	}
)

// writeJUnit writes a suite per server: a test for each finding, skipped where waived, an error where a
// server could not be asked, one test that passes where nothing was found.
func writeJUnit(w io.Writer, r *reported, o Options) error {
	all, servers, fails := junitSuites{Name: text("mcpctl " + r.Command)}, r.roster(), r.failing()
	test := func(f finding.Finding) junitCase { return r.findingCase(f, fails(f)) }
	replay, _ := r.Body.(*Replay)
	for i, s := range r.Servers {
		cases := kit.Map(servers.found[s.Name], test)
		if replay != nil {
			cases = replayedCases(replay.Servers[i], servers.found[s.Name], test)
		}
		cases = append(kit.Map(s.alerts(o.Run), alert.junit), cases...)
		if len(cases) == 0 {
			passed := junitCase{Class: text(s.Name), Name: text("mcpctl " + r.Command)}
			if s.State == seen.Disabled {
				passed.Skipped = &junitResult{Message: "disabled in the configuration"}
			}
			cases = append(cases, passed)
		}
		all.add(junitSuite{Name: text(s.Name), Time: fmt.Sprintf("%.3f", float64(s.ElapsedMs)/1000),
			Cases: cases})
	}
	if rest := append(kit.Map(r.problems(), alert.junit), kit.Map(servers.strays, test)...); len(rest) > 0 {
		all.add(junitSuite{Name: "mcpctl", Time: "0", Cases: rest})
	}
	raw, err := xml.MarshalIndent(all, "", "\t")
	if err != nil {
		return err
	}
	// The encoder writes line breaks of texts as references, which only attributes need, and those have none.
	_, err = io.WriteString(w, xml.Header+strings.ReplaceAll(string(raw), "&#xA;", "\n")+"\n")
	return err
}

// add appends a suite, numbers it, and counts its cases here and in the totals. Every case has the time 0.
func (all *junitSuites) add(s junitSuite) {
	s.ID, s.Tests = len(all.Suites), len(s.Cases)
	for i := range s.Cases {
		one := &s.Cases[i]
		one.Time = "0"
		s.Skipped += count(one.Skipped != nil)
		s.Errors += count(one.Error != nil)
		s.Failures += count(one.Failure != nil)
	}
	all.Tests, all.Failures, all.Errors = all.Tests+s.Tests, all.Failures+s.Failures, all.Errors+s.Errors
	all.Suites = append(all.Suites, s)
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// junit returns an alert as a test that has an error, or is skipped if it is tolerated.
func (a alert) junit() junitCase {
	test := junitCase{Class: text(a.server), Name: text(oneLine(a.title))}
	result := &junitResult{Message: text(firstLine(a.text)), Text: multiline(a.text)}
	if a.tolerated {
		test.Skipped = result
	} else {
		test.Error = result
	}
	if a.stderr != "" {
		test.Err = &junitResult{Text: multiline(a.stderr)}
	}
	return test
}

// findingCase returns a finding as a test. Its name holds the fingerprint, so that a reader can follow it
// from run to run.
func (r *reported) findingCase(f finding.Finding, fails bool) junitCase {
	test := junitCase{
		Class: text(cmp.Or(f.Server, "mcpctl "+r.Command)),
		Name:  text(fmt.Sprintf("%s %s (%s)", itemTitle(f.Item), f.Rule, f.Fingerprint())),
	}
	switch says := plainText(f); {
	case fails:
		test.Failure = &junitResult{text(oneLine(f.Message)), text(f.Rule), multiline(says)}
	case f.Waiver != nil:
		test.Skipped = &junitResult{Message: text("waived: " + oneLine(f.Waiver.Reason)),
			Text: multiline(says)}
	default:
		test.Out = &junitResult{Text: multiline(levelWord(f) + "\n" + says)}
	}
	return test
}

// place returns the file and line that a finding is shown at: where the old value stands, else the file
// that its server was compared with, else where the server is configured. An empty file: none of these is
// known.
func (all roster) place(f finding.Finding) finding.Location {
	if f.Location != nil {
		return *f.Location
	}
	return all.named(f.Server).place()
}

func (s server) place() finding.Location {
	return cmp.Or(finding.LocationOf(s.Base), finding.LocationOf(s.Source))
}

func plainText(f finding.Finding) string { return textOf(view{}.body(f)) }

// textOf returns lines as plain text of unlimited width.
func textOf(all []line) string {
	p := &page{}
	p.print(all...)
	return strings.TrimRight(p.String(), "\n")
}

// remedy returns what can be done about a failure, and why it is tolerated.
func (s server) remedy(f seen.Failure) []line {
	all := advice("hint: ", f.Hint)
	if t := s.Tolerated; t != nil {
		says := "tolerated" + until(t.Expires) + ": " + firstLine(t.Reason)
		all = append(all, line{indent: 2, hang: 2, spans: []span{{says, yellow}}})
	}
	return all
}

// rank orders findings by how much they ask for: breaking, warning, info, waived.
func rank(f finding.Finding) int {
	if f.Waiver != nil {
		return 3
	}
	return int(finding.Breaking - f.Level)
}
