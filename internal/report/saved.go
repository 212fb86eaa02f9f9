package report

import (
	"fmt"
	"strings"
)

// saved writes a row per server: what became of its snapshot file.
func (p *page) saved(r *Report) error {
	g := grid{columns: []column{{title: "NAME", least: 8}, {title: "SNAPSHOT", least: 9},
		{title: "CHANGES", least: 8, drop: 1}, {title: "FILE", least: 16, drop: 2}}}
	count := map[Action]int{}
	for _, s := range r.Servers {
		if s.Saved != nil {
			count[s.Saved.Action]++
			g.rows = append(g.rows, savedRow(s))
		}
	}
	if len(g.rows) > 0 {
		if err := p.grid(0, g); err != nil {
			return err
		}
	}
	p.failures(r.Servers)
	p.gap()
	p.text(0, 0, span{savedTotals(count), noInk})
	return nil
}

// accepted writes the findings that are no longer ones, then what became of the files.
func (p *page) accepted(r *Report) error {
	for _, s := range r.Servers {
		if found := of(s.Name, r.Findings); len(found) > 0 {
			p.gap()
			p.compared(s)
			p.findings(found)
		}
	}
	p.gap()
	return p.saved(r)
}

func savedRow(s Server) []span {
	saved := *s.Saved
	inks := map[Action]ink{Created: green, Updated: yellow, Unchanged: dim, Skipped: red}
	return []span{
		{visible(s.Name), bold},
		{visible(string(saved.Action)), inks[saved.Action]},
		{saved.changes(), noInk},
		{saved.file(), noInk},
	}
}

// file is the path, and why the file was not touched or what else there is to say of it.
func (s Saved) file() safe {
	var parts []safe
	for _, part := range []safe{visible(s.File), firstLine(s.Reason)} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return join(parts, ": ")
}

// changes is "+2 −1 ~3": items added, removed and changed.
func (s Saved) changes() safe {
	var parts []string
	for _, part := range []struct {
		sign string
		n    int
	}{{"+", s.Added}, {"−", s.Removed}, {"~", s.Changed}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprint(part.sign, part.n))
		}
	}
	return safe(strings.Join(parts, " "))
}

func savedTotals(count map[Action]int) safe {
	var parts []string
	for _, a := range []Action{Created, Updated, Unchanged, Skipped} {
		if n := count[a]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, a))
		}
	}
	if len(parts) == 0 {
		return "nothing to save"
	}
	return safe(strings.Join(parts, ", "))
}
