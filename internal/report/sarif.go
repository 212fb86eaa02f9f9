package report

import (
	"io"
	"maps"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

const (
	homepage    = "https://github.com/mcpctl/mcpctl"
	sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

// sarifLog is the outermost object. The library's own would bring a second validator of JSON Schema into the program.
type sarifLog struct {
	Schema  string       `json:"$schema"`
	Version string       `json:"version"`
	Runs    []*sarif.Run `json:"runs"`
}

// writeSARIF writes the Static Analysis Results Interchange Format 2.1.0.
func writeSARIF(w io.Writer, r *Report, o Options) error {
	run := sarif.NewRunWithInformationURI("mcpctl", homepage)
	if o.Version != "" {
		run.Tool.Driver.WithVersion(o.Version)
	}
	ids := sarifRules(run, r.Findings, o.Rules)
	for _, f := range r.Findings {
		run.AddResult(sarifResult(f, ids[f.Rule], place(f, r.Servers)))
	}
	run.AddInvocation(sarifInvocation(r))
	raw, err := encode(sarifLog{sarifSchema, "2.1.0", []*sarif.Run{run}})
	if err != nil {
		return err
	}
	_, err = w.Write(append(layout{indent: "  "}.append(nil, raw), '\n'))
	return err
}

// sarifRules adds each rule that findings name, and gives the index of each.
func sarifRules(run *sarif.Run, findings []finding.Finding, known []finding.Rule) map[string]int {
	index := map[string]int{}
	for _, f := range findings {
		index[f.Rule] = 0
	}
	for i, id := range slices.Sorted(maps.Keys(index)) {
		index[id] = i
		rule := finding.Rule{ID: id, Title: id}
		if at := slices.IndexFunc(known, func(k finding.Rule) bool { return k.ID == id }); at >= 0 {
			rule = known[at]
		}
		run.Tool.Driver.AddRule(sarifRule(rule))
	}
	return index
}

func sarifRule(rule finding.Rule) *sarif.ReportingDescriptor {
	help := rule.Doc
	for _, part := range [][2]string{{"Example: ", rule.Example}, {"Instead: ", rule.Instead}} {
		if part[1] != "" {
			help += "\n\n" + part[0] + part[1]
		}
	}
	says := func(s string) *sarif.MultiformatMessageString {
		return sarif.NewMultiformatMessageString().WithText(inert(s))
	}
	d := sarif.NewReportingDescriptor().WithID(string(visible(rule.ID))).WithShortDescription(says(string(visible(rule.Title))))
	if rule.Doc != "" {
		d.WithFullDescription(says(rule.Doc)).WithHelp(says(help)).WithHelpURI(homepage + "/blob/main/docs/compatibility.md")
		d.WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(sarifLevel(rule.Level)))
	}
	return d
}

func sarifLevel(l finding.Level) string {
	return map[finding.Level]string{
		finding.Breaking: sarif.LevelError, finding.Warning: sarif.LevelWarning, finding.Info: sarif.LevelNote, finding.Off: sarif.LevelNone,
	}[l]
}

func sarifResult(f finding.Finding, rule int, at finding.Location) *sarif.Result {
	properties := sarif.NewPropertyBag()
	for _, p := range [][2]string{{"server", f.Server}, {"item", f.Item}, {"path", f.Pointer()}, {"verdict", string(f.Verdict)}} {
		if p[1] != "" {
			properties.Add(p[0], string(visible(p[1])))
		}
	}
	result := sarif.NewRuleResult(string(visible(f.Rule))).WithRuleIndex(rule).WithLevel(sarifLevel(f.Level)).
		WithMessage(sarif.NewMessage().WithText(inert(string(subject(f)) + ": " + plainText(f)))).
		AddLocation(sarifLocation(f, at)).WithProperties(properties)
	// GitHub tells results of two runs apart by primaryLocationLineHash alone; other readers take any key.
	result.WithPartialFingerprints(map[string]string{"mcpctl/v1": f.Fingerprint(), "primaryLocationLineHash": f.Fingerprint()})
	if w := f.Waiver; w != nil {
		result.AddSuppression(sarif.NewSuppression().WithKind("external").WithStatus("accepted").WithJustification(inert(string(oneLine(w.Reason)))))
	}
	return result
}

func sarifLocation(f finding.Finding, at finding.Location) *sarif.Location {
	name := string(visible(path.Join(f.Server, f.Item) + f.Pointer()))
	location := sarif.NewLocation().AddLogicalLocation(sarif.NewLogicalLocation().WithFullyQualifiedName(name).WithKind("resource"))
	if at.File == "" {
		return location
	}
	file := sarif.NewArtifactLocation().WithURI(fileURI(at.File))
	if !filepath.IsAbs(at.File) {
		file.WithURIBaseID("%SRCROOT%")
	}
	return location.WithPhysicalLocation(sarif.NewPhysicalLocation().WithArtifactLocation(file).
		WithRegion(sarif.NewRegion().WithStartLine(max(at.Line, 1))))
}

// fileURI is a file as a URI, relative to the folder of the run unless the name is absolute.
func fileURI(file string) string {
	u := url.URL{Path: filepath.ToSlash(file)}
	if filepath.IsAbs(file) {
		u.Scheme = "file"
	}
	return u.String()
}

// sarifInvocation tells whether the run could find out everything, and what kept it from that.
func sarifInvocation(r *Report) *sarif.Invocation {
	run := sarif.NewInvocation().WithExitCode(r.Status).WithExecutionSuccessful(r.Verdict == Pass || r.Verdict == Fail)
	note := func(level, text string) {
		run.AddToolExecutionNotification(sarif.NewNotification().WithLevel(level).WithMessage(sarif.NewMessage().WithText(inert(text))))
	}
	for _, s := range r.Servers {
		level := sarif.LevelError
		if s.Tolerated != nil {
			level = sarif.LevelWarning
		}
		for _, f := range s.failures() {
			note(level, string(visible(s.Name+": "+f.Stage))+": "+troubleText(s, f))
		}
		if s.Unsaved {
			note(level, string(visible(s.Name))+": no saved snapshot")
		}
	}
	for _, problem := range r.Problems {
		note(sarif.LevelError, string(visible(problem)))
	}
	return run
}

// live are the two things that a SARIF message can hold besides text: a link and a placeholder (§3.11.5, §3.11.6).
var live = regexp.MustCompile(`\]\(|\{[0-9]`)

// inert is a text in which a reader of SARIF finds neither links nor placeholders: a space takes them apart.
func inert(s string) string {
	return live.ReplaceAllStringFunc(s, func(m string) string { return m[:1] + " " + m[1:] })
}
