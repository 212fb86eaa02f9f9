package report

import (
	"cmp"
	"io"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

const (
	homepage    = "https://github.com/mcpctl/mcpctl"
	sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

// The types below are the written part of SARIF 2.1.0. Libraries bring a validator along, and write members
// that Microsoft's validator objects to.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Automation  sarifAutomation   `json:"automationDetails"`
		Bases       map[string]any    `json:"originalUriBaseIds"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
		ColumnKind  string            `json:"columnKind"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        text        `json:"version,omitempty"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifAutomation struct {
		ID text `json:"id"`
	}
	sarifRule struct {
		ID         text           `json:"id"`
		Name       text           `json:"name"`
		Short      sarifText      `json:"shortDescription"`
		Full       sarifText      `json:"fullDescription"`
		Help       sarifText      `json:"help"`
		HelpURI    string         `json:"helpUri"`
		Config     sarifConfig    `json:"defaultConfiguration"`
		Properties map[string]any `json:"properties"`
	}
	sarifConfig struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text multiline `json:"text"`
	}
	sarifResult struct {
		RuleID              text               `json:"ruleId"`
		RuleIndex           int                `json:"ruleIndex"`
		Level               string             `json:"level"`
		Message             sarifText          `json:"message"`
		Locations           []sarifLocation    `json:"locations"`
		PartialFingerprints map[string]string  `json:"partialFingerprints"`
		Suppressions        []sarifSuppression `json:"suppressions,omitempty"`
		Properties          map[string]text    `json:"properties"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI    string `json:"uri"`
		BaseID string `json:"uriBaseId,omitempty"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
	sarifLogical struct {
		Name text   `json:"fullyQualifiedName"`
		Kind string `json:"kind"`
	}
	sarifSuppression struct {
		Kind          string    `json:"kind"`
		Status        string    `json:"status"`
		Justification multiline `json:"justification"`
	}
	sarifInvocation struct {
		Successful    bool        `json:"executionSuccessful"`
		ExitCode      int         `json:"exitCode"`
		Notifications []sarifNote `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNote struct {
		Level   string    `json:"level"`
		Message sarifText `json:"message"`
	}
)

func writeSARIF(w io.Writer, r *Report, o Options) error {
	run := sarifRun{
		Tool: sarifTool{sarifDriver{Name: "mcpctl", Version: text(numericVersion(o.Version)),
			InformationURI: homepage, Rules: []sarifRule{}}},
		Automation: sarifAutomation{text("mcpctl/" + r.Command + "/")},
		Bases: map[string]any{rootBase: map[string]any{
			"description": sarifText{"The directory in which mcpctl ran."}}},
		Invocations: []sarifInvocation{sarifInvocationOf(r)},
		Results:     []sarifResult{},
		ColumnKind:  "utf16CodeUnits",
	}
	named := map[string]int{}
	for _, f := range r.Findings {
		named[f.Rule] = 0
	}
	for i, id := range kit.SortedKeys(named) {
		named[id] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRuleOf(o.ruleOf(id)))
	}
	servers := r.roster()
	for _, f := range r.Findings {
		run.Results = append(run.Results, sarifResultOf(f, named[f.Rule], servers.place(f)))
	}
	return writeIndentedJSON(w, sarifLog{sarifSchema, "2.1.0", []sarifRun{run}})
}

// numericVersion is a version that begins with a number, as readers compare it.
func numericVersion(version string) string {
	version = strings.TrimPrefix(version, "v")
	if version != "" && (version[0] < '0' || version[0] > '9') {
		version = "0-" + version
	}
	return version
}

func (o Options) ruleOf(id string) finding.Rule {
	if o.Rules != nil {
		known := o.Rules()
		if at := slices.IndexFunc(known, func(k finding.Rule) bool { return k.ID == id }); at >= 0 {
			return known[at]
		}
	}
	return finding.Rule{ID: id, Title: id}
}

func sarifRuleOf(rule finding.Rule) sarifRule {
	full := cmp.Or(rule.Doc, rule.Title)
	help := full
	for _, part := range [][2]string{{"Example: ", rule.Example}, {"Instead: ", rule.Instead}} {
		if part[1] != "" {
			help += "\n\n" + part[0] + part[1]
		}
	}
	properties := map[string]any{"tags": sarifTags(rule)}
	if severity := sarifSeverity(rule); severity != "" {
		properties["security-severity"] = severity
	}
	return sarifRule{
		ID: text(rule.ID), Name: text(pascal(rule.ID)), Short: sarifSays(rule.Title), Full: sarifSays(full),
		Help:    sarifSays(help),
		HelpURI: homepage + "/blob/main/docs/rules.md#" + url.PathEscape(rule.ID),
		Config:  sarifConfig{sarifLevel(rule.Level)}, Properties: properties,
	}
}

// pascal is a rule's id as one word, which SARIF calls its friendly name.
func pascal(id string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(id, "-") {
		b.WriteString(strings.ToUpper(word[:min(1, len(word))]) + word[min(1, len(word)):])
	}
	return b.String()
}

func sarifLevel(l finding.Level) string {
	return map[finding.Level]string{finding.Breaking: "error", finding.Warning: "warning",
		finding.Info: "note", finding.Off: "none"}[l]
}

func sarifResultOf(f finding.Finding, rule int, at finding.Location) sarifResult {
	result := sarifResult{
		RuleID: text(f.Rule), RuleIndex: rule, Level: sarifLevel(f.Level),
		Message:   sarifSays(text(subject(f)).String() + ": " + plainText(f)),
		Locations: []sarifLocation{sarifLocationOf(f, at)},
		// GitHub tells results of two runs apart by primaryLocationLineHash alone; other readers take any
		// key.
		PartialFingerprints: map[string]string{"mcpctl/v1": f.Fingerprint(),
			"primaryLocationLineHash": f.Fingerprint()},
		Properties: map[string]text{},
	}
	for _, p := range [][2]string{{"server", f.Server}, {"item", f.Item}, {"path", f.Pointer()},
		{"verdict", string(f.Verdict)}} {
		if p[1] != "" {
			result.Properties[p[0]] = text(p[1])
		}
	}
	if w := f.Waiver; w != nil {
		result.Suppressions = []sarifSuppression{{"external", "accepted", sarifSays(oneLine(w.Reason)).Text}}
	}
	return result
}

// rootBase stands for the folder of the run, which a reader puts in its place.
const rootBase = "%SRCROOT%"

func sarifLocationOf(f finding.Finding, at finding.Location) sarifLocation {
	location := sarifLocation{Logical: []sarifLogical{{text(path.Join(f.Server, f.Item) + f.Pointer()),
		"resource"}}}
	if at.File == "" {
		return location
	}
	file := sarifArtifact{URI: fileURI(at.File), BaseID: rootBase}
	if filepath.IsAbs(at.File) {
		file.BaseID = ""
	}
	location.Physical = &sarifPhysical{file, sarifRegion{max(at.Line, 1)}}
	return location
}

// fileURI is a file as a URI, relative to the folder of the run unless the name is absolute.
func fileURI(file string) string {
	u := url.URL{Path: filepath.ToSlash(file)}
	if filepath.IsAbs(file) {
		u.Scheme = "file"
	}
	return u.String()
}

// sarifInvocationOf tells whether the run could find out everything, and what kept it from that.
func sarifInvocationOf(r *Report) sarifInvocation {
	run := sarifInvocation{Successful: r.Verdict == Pass || r.Verdict == Fail, ExitCode: r.Status}
	note := func(level, says string) {
		run.Notifications = append(run.Notifications, sarifNote{level, sarifSays(says)})
	}
	for _, s := range r.Servers {
		level := "error"
		if s.Tolerated != nil {
			level = "warning"
		}
		for _, f := range s.failures() {
			note(level, text(s.Name+": "+f.Stage).String()+": "+troubleText(s, f))
		}
		if s.Unsaved {
			note(level, text(s.Name).String()+": no saved snapshot")
		}
	}
	for _, problem := range r.Problems {
		note("error", problem)
	}
	return run
}

// sarifSays is a text in which SARIF finds neither links nor placeholders (§3.11.5, §3.11.6): a space takes
// them apart.
func sarifSays(s string) sarifText {
	var b strings.Builder
	for i := range len(s) {
		b.WriteByte(s[i])
		if next := s[i+1:]; next != "" &&
			(s[i] == ']' && next[0] == '(' || s[i] == '{' && next[0] >= '0' && next[0] <= '9') {
			b.WriteByte(' ')
		}
	}
	return sarifText{multiline(b.String())}
}

// sarifTags are what readers filter rules by: the field, what the rule looks at, and security where that is
// its subject.
func sarifTags(rule finding.Rule) []text {
	subject, _, _ := strings.Cut(rule.ID, "-")
	tags := []text{"mcp", text(subject)}
	if rule.Security {
		tags = append(tags, "security")
	}
	return tags
}

// sarifSeverity is the score by which GitHub ranks alerts of security: high, medium or low. Other rules have
// none.
func sarifSeverity(rule finding.Rule) string {
	if !rule.Security {
		return ""
	}
	return map[finding.Level]string{finding.Breaking: "8.0", finding.Warning: "5.0",
		finding.Info: "2.0"}[rule.Level]
}
