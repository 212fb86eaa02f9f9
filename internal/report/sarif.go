package report

import (
	"cmp"
	"io"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

const (
	homepage    = "https://github.com/mcpctl/mcpctl"
	sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

// sarifObject is an object of SARIF 2.1.0. Libraries for it bring a validator along, and write members that
// Microsoft's validator objects to.
type sarifObject = map[string]any

// writeSARIF writes the report as one SARIF run. It describes only the rules that have findings, sorted, and
// results refer to them by index.
func writeSARIF(w io.Writer, r *reported, o Options) error {
	index := map[string]int{}
	for _, f := range r.Findings {
		index[f.Rule] = 0
	}
	rules, results := []sarifObject{}, []sarifObject{}
	for i, id := range kit.SortedKeys(index) {
		index[id] = i
		rules = append(rules, sarifRule(ruleNamed(id)))
	}
	servers := r.roster()
	for _, f := range r.Findings {
		results = append(results, sarifResult(f, index[f.Rule], servers.place(f)))
	}
	// how the run ended: whether it found out everything, and what prevented that
	invocation := sarifObject{"executionSuccessful": r.Verdict == exit.Pass || r.Verdict == exit.Fail,
		"exitCode": r.Status}
	var notes []sarifObject
	for _, a := range r.alerts(o.Run) {
		level := []string{"error", "warning"}[count(a.tolerated)]
		notes = append(notes, sarifObject{"level": level, "message": sarifText(a.String())})
	}
	if notes != nil {
		invocation["toolExecutionNotifications"] = notes
	}
	driver := sarifObject{"name": "mcpctl", "informationUri": homepage, "rules": rules}
	if o.Version != "" {
		driver["version"] = text(strings.TrimPrefix(o.Version, "v"))
	}
	run := sarifObject{
		"tool":              sarifObject{"driver": driver},
		"automationDetails": sarifObject{"id": text("mcpctl/" + r.Command + "/")},
		"originalUriBaseIds": sarifObject{rootBase: sarifObject{
			"description": sarifText("The directory in which mcpctl ran.")}},
		"invocations": []sarifObject{invocation},
		"results":     results,
		"columnKind":  "utf16CodeUnits",
	}
	return writeIndentedJSON(w,
		sarifObject{"$schema": sarifSchema, "version": "2.1.0", "runs": []sarifObject{run}})
}

// sarifRule returns the description of a rule. GitHub shows the help beside an alert, and ranks those about
// security by a score.
func sarifRule(rule finding.Rule) sarifObject {
	full := cmp.Or(rule.Doc, rule.Title)
	help := full
	for _, part := range [][2]string{{"Example: ", rule.Example}, {"Instead: ", rule.Instead}} {
		if part[1] != "" {
			help += "\n\n" + part[0] + part[1]
		}
	}
	tags, properties := []text{"mcp", text(familyOf(rule))}, sarifObject{}
	if rule.Security {
		tags = append(tags, "security")
		// GitHub ranks alerts of security by this score: high, medium or low
		if score := map[finding.Level]string{finding.Breaking: "8.0", finding.Warning: "5.0",
			finding.Info: "2.0"}[rule.Level]; score != "" {
			properties["security-severity"] = score
		}
	}
	properties["tags"] = tags // which readers filter by
	return sarifObject{
		"id": text(rule.ID), "shortDescription": sarifText(rule.Title),
		"fullDescription": sarifText(full), "help": sarifText(help),
		"helpUri":              homepage + "/blob/main/docs/rules.md#" + url.PathEscape(rule.ID),
		"defaultConfiguration": sarifObject{"level": sarifLevel(rule.Level)}, "properties": properties,
	}
}

func sarifLevel(l finding.Level) string {
	return map[finding.Level]string{finding.Breaking: "error", finding.Warning: "warning",
		finding.Info: "note", finding.Off: "none"}[l]
}

// sarifResult returns a finding as a result of the rule with that index. Without a file, at gives it a
// logical location only; a waiver becomes an accepted suppression.
func sarifResult(f finding.Finding, rule int, at finding.Location) sarifObject {
	properties := sarifObject{}
	for _, p := range [][2]string{{"server", f.Server}, {"item", f.Item}, {"path", f.Pointer()},
		{"verdict", string(f.Verdict)}} {
		if p[1] != "" {
			properties[p[0]] = text(p[1])
		}
	}
	location := sarifObject{"logicalLocations": []sarifObject{{
		"fullyQualifiedName": text(path.Join(f.Server, f.Item) + f.Pointer()), "kind": "resource"}}}
	if at.File != "" {
		file := sarifObject{"uri": fileURI(at.File)}
		if !filepath.IsAbs(at.File) {
			file["uriBaseId"] = rootBase
		}
		location["physicalLocation"] = sarifObject{"artifactLocation": file,
			"region": sarifObject{"startLine": max(at.Line, 1)}}
	}
	result := sarifObject{
		"ruleId": text(f.Rule), "ruleIndex": rule, "level": sarifLevel(f.Level),
		"message":   sarifText(text(subject(f)).String() + ": " + plainText(f)),
		"locations": []sarifObject{location},
		// GitHub compares the results of two runs by primaryLocationLineHash alone; other readers take any
		// key.
		"partialFingerprints": sarifObject{"mcpctl/v1": f.Fingerprint(),
			"primaryLocationLineHash": f.Fingerprint()},
		"properties": properties,
	}
	if w := f.Waiver; w != nil {
		result["suppressions"] = []sarifObject{{"kind": "external", "status": "accepted",
			"justification": sarifText(oneLine(w.Reason))["text"]}}
	}
	return result
}

// rootBase stands for the directory of the run, which a reader puts in its place.
const rootBase = "%SRCROOT%"

// fileURI returns a file as a URI, relative to the directory of the run unless the name is absolute.
func fileURI(file string) string {
	u := url.URL{Path: filepath.ToSlash(file)}
	if filepath.IsAbs(file) {
		u.Scheme = "file"
	}
	return u.String()
}

// sarifText returns a text in which SARIF finds neither links nor placeholders (§3.11.5, §3.11.6): a space
// takes them apart.
func sarifText(s string) sarifObject {
	s = strings.ReplaceAll(s, "](", "] (")
	return sarifObject{"text": multiline(placeholder().ReplaceAllString(s, "{ $1"))}
}

// placeholder is the beginning of {0} in a text of SARIF.
var placeholder = kit.Pattern(`\{([0-9])`)
