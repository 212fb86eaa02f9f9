package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

// writeGitHub writes workflow commands, from which GitHub Actions makes annotations, and a line that says it all. What
// matters most comes first, since GitHub shows only the first ten annotations of a kind that a step writes.
func writeGitHub(w io.Writer, r *Report, o Options) error {
	var b strings.Builder
	for _, s := range r.Servers {
		for _, f := range s.failures() {
			level := "error"
			if s.Tolerated != nil {
				level = "warning"
			}
			b.WriteString(workflowCommand(level, s.place(), s.Name+": "+f.Stage, troubleText(s, f)))
		}
		if s.Unsaved {
			b.WriteString(workflowCommand("error", s.place(), s.Name+": no saved snapshot", "save one: mcpctl snapshot "+quoted(s.Name)))
		}
	}
	for _, problem := range r.Problems {
		b.WriteString(workflowCommand("error", finding.Location{}, "mcpctl", problem))
	}
	found := slices.Clone((&page{Options: o}).wanted(r.Findings))
	slices.SortStableFunc(found, func(a, b finding.Finding) int { return rank(a) - rank(b) })
	for _, f := range found {
		b.WriteString(annotation(f, place(f, r.Servers)))
	}
	b.WriteString(harmless(headline(r)) + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// annotation is a finding as a workflow command. A waived one is a notice.
func annotation(f finding.Finding, at finding.Location) string {
	level := []string{"error", "warning", "notice", "notice"}[rank(f)]
	return workflowCommand(level, at, title(f), plainText(f)+"\n"+f.Rule+" "+f.Fingerprint())
}

// title is what a finding is about, after its level.
func title(f finding.Finding) string { return levelWord(f) + ": " + string(subject(f)) }

// subject is what a finding is about: the server and the item.
func subject(f finding.Finding) safe {
	if f.Server == "" {
		return itemTitle(f.Item)
	}
	return visible(f.Server) + ", " + itemTitle(f.Item)
}

// workflowCommand is one line that the runner of GitHub Actions obeys. No text gets out of its place in it, see
// https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands.
func workflowCommand(level string, at finding.Location, title, message string) string {
	var properties []string
	if at.File != "" {
		properties = append(properties, "file="+property(at.File), fmt.Sprint("line=", at.Line))
	}
	properties = append(properties, "title="+property(title))
	var all []string
	for _, line := range lines(message) {
		all = append(all, harmless(string(line)))
	}
	return "::" + level + " " + strings.Join(properties, ",") + "::" + strings.Join(all, "%0A") + "\n"
}

// property is a text as a property of a workflow command.
func property(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(harmless(string(visible(s))))
}

// harmless is visible text in which the runner finds no command and no escape: it looks for ##[ anywhere in a line.
func harmless(s string) string {
	return strings.NewReplacer("%", "%25", "##[", `##\x5b`).Replace(s)
}
