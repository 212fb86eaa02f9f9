package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// writeGitHub writes workflow commands, most important first: GitHub shows ten annotations of a kind for each
// step.
func writeGitHub(w io.Writer, r *Report, o Options) error {
	var ranked [4]strings.Builder
	servers := r.roster()
	for _, f := range o.wanted(r.Findings) {
		ranked[rank(f)].WriteString(annotation(f, servers.place(f)))
	}
	writeTroubles(&ranked[0], &ranked[1], r.Servers)
	for _, problem := range r.Problems {
		ranked[0].WriteString(workflowCommand("error", finding.Location{}, "mcpctl", problem))
	}
	for i := range ranked {
		if _, err := io.WriteString(w, ranked[i].String()); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, workflowText(headline(r))+"\n")
	return err
}

// alert is an annotation of a server that could not be asked.
type alert struct {
	at          finding.Location
	title, says string
}

// writeTroubles writes servers that did not answer, and those that may fail.
func writeTroubles(failed, tolerated *strings.Builder, servers []Server) {
	var errors, warnings []alert
	for _, s := range servers {
		all := kit.Map(s.failures(), func(
			f Failure) alert {
			return alert{s.place(), s.Name + ": " + f.Stage, troubleText(s, f)}
		})
		if s.Tolerated != nil {
			warnings, all = append(warnings, all...), nil
		}
		if errors = append(errors, all...); s.Unsaved {
			errors = append(errors, alert{s.place(), s.Name + ": no saved snapshot", saveHint(s)})
		}
	}
	writeAlerts(failed, "error", errors)
	writeAlerts(tolerated, "warning", warnings)
}

// mostAlerts is half of what GitHub shows of each level for a step.
const mostAlerts = 5

// writeAlerts writes each where they are few; else all in one, which leaves room for others.
func writeAlerts(out *strings.Builder, level string, all []alert) {
	if len(all) > mostAlerts {
		shown := kit.Map(all[:min(len(all), mostServers)],
			func(a alert) string { return a.title + ": " + lines(a.says)[0] })
		if left := len(all) - len(shown); left > 0 {
			shown = append(shown, fmt.Sprintf(
				"… and %d more, which the summary and the other formats have", left))
		}
		all = []alert{{title: quantity(len(all), "failure") + " of servers", says: strings.Join(shown, "\n")}}
	}
	for _, a := range all {
		out.WriteString(workflowCommand(level, a.at, a.title, a.says))
	}
}

// annotationLevels are GitHub's words for the ranks of findings.
var annotationLevels = []string{"error", "warning", "notice", "notice"}

func annotation(f finding.Finding, at finding.Location) string {
	return workflowCommand(annotationLevels[rank(f)], at, levelWord(f)+": "+subject(f),
		plainText(f)+"\n"+f.Rule+" "+f.Fingerprint())
}

// subject returns what a finding is about: the server and the item.
func subject(f finding.Finding) string {
	if f.Server == "" {
		return itemTitle(f.Item)
	}
	return f.Server + ", " + itemTitle(f.Item)
}

// saveHint returns what to do about a server without a snapshot.
func saveHint(s Server) string { return "save one: " + saving(s) }

// saving returns the command that saves a server: one that is in no configuration is named as it was.
func saving(s Server) string {
	switch {
	case published(s.Source):
		return "mcpctl snapshot " + printable.ShellWord(s.Source)
	case s.Source == "argv":
		return "mcpctl snapshot, with the same words"
	}
	return "mcpctl snapshot " + printable.ShellWord(s.Name)
}

// workflowCommand returns one line that the runner of GitHub Actions obeys. No text gets out of its place
// in it, see https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands.
func workflowCommand(level string, at finding.Location, title, message string) string {
	var properties []string
	if at.File != "" {
		properties = append(properties, "file="+workflowProperty(at.File), fmt.Sprint("line=", at.Line))
	}
	properties = append(properties, "title="+workflowProperty(title))
	all := kit.Map(lines(message), workflowText)
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
func writeGitLab(w io.Writer, r *Report, _ Options) error {
	issues := []map[string]any{}
	for _, s := range r.Servers {
		for i, f := range s.failures() {
			if s.Tolerated == nil {
				issues = append(issues, troubleIssue(s, fmt.Sprint(f.Stage, i), troubleText(s, f)))
			}
		}
		if s.Unsaved {
			issues = append(issues, troubleIssue(s, "saved snapshot", "no saved snapshot\n→ "+saveHint(s)))
		}
	}
	for _, problem := range r.Problems {
		issues = append(issues, troubleIssue(Server{Name: "mcpctl"}, problem, problem))
	}
	servers := r.roster()
	for _, f := range r.Findings {
		if f.Waiver == nil {
			issues = append(issues, quality(f, servers.place(f)))
		}
	}
	return writeIndentedJSON(w, issues)
}

func quality(f finding.Finding, at finding.Location) map[string]any {
	return gitlabIssue(text(subject(f)).String()+": "+plainText(f), f.Rule, f.Fingerprint(),
		[]string{"critical", "minor", "info"}[rank(f)], at, f.Server)
}

// troubleIssue returns an issue about a server that did not answer; what distinguishes it from others of the
// server.
func troubleIssue(s Server, what, says string) map[string]any {
	hash := sha256.Sum256([]byte(s.Name + "\x00" + what))
	return gitlabIssue(text(s.Name).String()+": "+says, "not-answered", hex.EncodeToString(hash[:]),
		"blocker", s.place(), s.Name)
}

// gitlabIssue returns an issue; without a file it is shown at the name of its server.
func gitlabIssue(says, check, fingerprint, severity string, at finding.Location,
	server string) map[string]any {
	return map[string]any{
		"description": multiline(says), "check_name": text(check), "fingerprint": fingerprint,
		"severity": severity,
		"location": map[string]any{"path": text(cmp.Or(filepath.ToSlash(at.File), server, "mcpctl")),
			"lines": map[string]int{"begin": max(at.Line, 1)}},
	}
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
		Out     *junitOutput `xml:"system-out"`
		Err     *junitOutput `xml:"system-err"`
	}
	junitResult struct {
		Message text      `xml:"message,attr"`
		Type    text      `xml:"type,attr,omitempty"`
		Text    multiline `xml:",chardata"`
	}
	junitOutput struct {
		Text multiline `xml:",chardata"`
	}
)

// writeJUnit writes a suite per server: a test for each finding, skipped where waived, an error where a
// server could not be asked, one test that passes where nothing was found.
func writeJUnit(w io.Writer, r *Report, _ Options) error {
	all, servers, fails := junitSuites{Name: text("mcpctl " + r.Command)}, r.roster(), r.failing()
	test := func(f finding.Finding) junitCase { return r.findingCase(f, fails(f)) }
	for _, s := range r.Servers {
		cases := kit.Map(servers.found[s.Name], test)
		if r.Command == "replay" {
			cases = replayedCases(s, servers.found[s.Name], test)
		}
		all.add(junitSuite{Name: text(s.Name), Time: fmt.Sprintf("%.3f", float64(s.ElapsedMs)/1000),
			Cases: serverCases(r, s, cases)})
	}
	if rest := restCases(r, kit.Map(servers.strays, test)); len(rest) > 0 {
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

func serverCases(r *Report, s Server, findings []junitCase) []junitCase {
	all := kit.Map(s.failures(), func(f Failure) junitCase { return failureCase(s, f) })
	if s.Unsaved {
		all = append(all, junitCase{Class: text(s.Name), Name: "saved snapshot",
			Error: &junitResult{Message: "no saved snapshot", Text: multiline(saveHint(s))}})
	}
	if all = append(all, findings...); len(all) > 0 {
		return all
	}
	test := junitCase{Class: text(s.Name), Name: text("mcpctl " + r.Command)}
	if s.State == Disabled {
		test.Skipped = &junitResult{Message: "disabled in the configuration"}
	}
	return []junitCase{test}
}

// restCases returns the problems of the run, and the findings of no server.
func restCases(r *Report, strays []junitCase) []junitCase {
	var all []junitCase
	for _, problem := range r.Problems {
		all = append(all, junitCase{Class: "mcpctl", Name: "problem",
			Error: &junitResult{Message: text(oneLine(problem)), Text: multiline(problem)}})
	}
	return append(all, strays...)
}

// findingCase returns a finding as a test. Its name holds the fingerprint, so that a reader can follow it
// from run to run.
func (r *Report) findingCase(f finding.Finding, fails bool) junitCase {
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
		test.Out = &junitOutput{multiline(levelWord(f) + "\n" + says)}
	}
	return test
}

// failureCase returns a failed server as a test; one that is tolerated is skipped.
func failureCase(s Server, f Failure) junitCase {
	test := junitCase{Class: text(s.Name), Name: text(oneLine(f.Stage))}
	result := &junitResult{text(oneLine(f.Message)), text(s.State), multiline(troubleText(s, f))}
	if s.Tolerated != nil {
		test.Skipped = result
	} else {
		test.Error = result
	}
	if f.Stderr != "" {
		test.Err = &junitOutput{multiline(f.Stderr)}
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

func (s Server) place() finding.Location {
	return cmp.Or(finding.LocationOf(s.Base), finding.LocationOf(s.Source))
}

func plainText(f finding.Finding) string {
	return textOf(view{}.body(f))
}

// textOf returns lines as plain text of unlimited width.
func textOf(all []line) string {
	p := &page{}
	p.print(all...)
	return strings.TrimRight(p.String(), "\n")
}

// troubleText returns all that is known of a failure but its stderr.
func troubleText(s Server, f Failure) string {
	p := &page{}
	p.paragraph(0, f.Message, plain)
	p.hint(0, f.Hint)
	writeTolerated(p, s.Tolerated)
	return strings.TrimRight(p.String(), "\n")
}

// rank orders findings by how much they ask for: breaking, warning, info, waived.
func rank(f finding.Finding) int {
	if f.Waiver != nil {
		return 3
	}
	return int(finding.Breaking - f.Level)
}
