package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

// issue is one entry of GitLab's code quality report, with the members that GitLab reads; see
// https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format.
type issue struct {
	Description string        `json:"description"`
	CheckName   string        `json:"check_name"`
	Fingerprint string        `json:"fingerprint"`
	Severity    string        `json:"severity"` // info, minor, major, critical or blocker
	Location    issueLocation `json:"location"`
}

type issueLocation struct {
	Path  string     `json:"path"` // relative to the repository
	Lines issueLines `json:"lines"`
}

type issueLines struct {
	Begin int `json:"begin"`
}

// writeGitLab writes an issue for each finding that is not waived, and for each server that could not be asked.
func writeGitLab(w io.Writer, r *Report, _ Options) error {
	issues := []issue{}
	for _, s := range r.Servers {
		for i, f := range s.failures() {
			if s.Tolerated == nil {
				issues = append(issues, trouble(s, fmt.Sprint(f.Stage, i), troubleText(s, f)))
			}
		}
		if s.Unsaved {
			issues = append(issues, trouble(s, "saved snapshot", "no saved snapshot\n→ save one: mcpctl snapshot "+string(visible(quoted(s.Name)))))
		}
	}
	for _, problem := range r.Problems {
		issues = append(issues, trouble(Server{Name: "mcpctl"}, problem, paragraphs(problem)))
	}
	for _, f := range r.Findings {
		if f.Waiver == nil {
			issues = append(issues, quality(f, place(f, r.Servers)))
		}
	}
	raw, err := encode(issues)
	if err != nil {
		return err
	}
	_, err = w.Write(append(layout{indent: "  "}.append(nil, raw), '\n'))
	return err
}

func quality(f finding.Finding, at finding.Location) issue {
	return issue{
		Description: string(subject(f)) + ": " + plainText(f),
		CheckName:   string(visible(f.Rule)),
		Fingerprint: f.Fingerprint(),
		Severity:    []string{"critical", "minor", "info"}[rank(f)],
		Location:    issuePlace(at, f.Server),
	}
}

// trouble is an issue of a server that could not be asked; what tells it from the server's other issues.
func trouble(s Server, what, says string) issue {
	hash := sha256.Sum256([]byte(s.Name + "\x00" + what))
	return issue{
		Description: string(visible(s.Name)) + ": " + says,
		CheckName:   "not-answered",
		Fingerprint: hex.EncodeToString(hash[:]),
		Severity:    "blocker",
		Location:    issuePlace(s.place(), s.Name),
	}
}

// issuePlace is a place as GitLab wants one: what stands in no file is shown at the name of its server.
func issuePlace(at finding.Location, server string) issueLocation {
	file := filepath.ToSlash(at.File)
	if file == "" {
		file = server
	}
	if file == "" {
		file = "mcpctl"
	}
	return issueLocation{Path: string(visible(file)), Lines: issueLines{Begin: max(at.Line, 1)}}
}
