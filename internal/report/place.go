package report

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

// place is the file and line that a finding is shown at: where the old value stands, else the file that its server was
// compared with, else where the server is configured. An empty file: none of these is known.
func place(f finding.Finding, servers []Server) finding.Location {
	if f.Location != nil {
		return *f.Location
	}
	for _, s := range servers {
		if s.Name == f.Server {
			return s.place()
		}
	}
	return finding.Location{}
}

// place is the file that stands for a server.
func (s Server) place() finding.Location {
	for _, candidate := range []string{s.Base, s.Source} {
		if at := fileLine(candidate); at.File != "" {
			return at
		}
	}
	return finding.Location{}
}

// fileLine reads "FILE:LINE" or the name of a JSON or YAML file. What is neither, such as a URL or git:REF, gives no file.
func fileLine(s string) finding.Location {
	if strings.HasPrefix(s, "git:") || strings.Contains(s, "://") {
		return finding.Location{}
	}
	if i := strings.LastIndexByte(s, ':'); i > 0 {
		if line, err := strconv.Atoi(s[i+1:]); err == nil && line > 0 {
			return finding.Location{File: s[:i], Line: line}
		}
	}
	switch filepath.Ext(s) {
	case ".json", ".yaml", ".yml":
		return finding.Location{File: s, Line: 1}
	}
	return finding.Location{}
}
