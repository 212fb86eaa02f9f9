package report

import (
	"io"
	"strings"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

// writeTable writes the view of a command that people read.
func writeTable(w io.Writer, r *Report, o Options) error {
	p := &page{Options: o}
	views := map[string]func(*page, *Report) error{
		"list":     (*page).list,
		"show":     (*page).show,
		"snapshot": (*page).saved,
		"accept":   (*page).accepted,
		"config":   (*page).config,
		"ping":     (*page).pings,
		"trust":    (*page).trust,
		"login":    (*page).logins,
		"logout":   (*page).logins,
		"auth":     (*page).logins,
		"rules":    (*page).rules,
	}
	view, ok := views[r.Command]
	if !ok {
		view = (*page).verdicts
	}
	if err := view(p, r); err != nil {
		return err
	}
	p.problems(r.Problems)
	_, err := io.WriteString(w, strings.TrimRight(p.String(), "\n")+"\n")
	return err
}

// levelInk is the colour of a level.
func levelInk(l finding.Level) ink {
	switch l {
	case finding.Breaking:
		return red
	case finding.Warning:
		return yellow
	}
	return cyan
}
