package report

import (
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// overview is what a command that judges nothing has to say, as a table: a row per rule, per item, or per server.
func overview(r *Report) (header []safe, rows [][]safe) {
	for _, rule := range r.Rules {
		rows = append(rows, []safe{visible(rule.ID), visible(rule.Level.String()), visible(rule.Title)})
	}
	if len(rows) > 0 {
		return []safe{"Rule", "Level", "Title"}, rows
	}
	for _, s := range r.Servers {
		for _, k := range snapshot.Kinds() {
			for _, raw := range s.items(k) {
				rows = append(rows, []safe{visible(s.Name), visible(k.ID(key(k, raw))), firstLine(about(raw))})
			}
		}
	}
	if len(rows) > 0 {
		return []safe{"Server", "Item", "Description"}, rows
	}
	for _, s := range r.Servers {
		rows = append(rows, []safe{visible(s.Name), visible(string(s.State)), s.gist()})
	}
	return []safe{"Server", "State", "What is known"}, rows
}

// gist is what is known of a server, in one line.
func (s Server) gist() safe {
	var parts []safe
	add := func(part safe) {
		if strings.TrimSpace(string(part)) != "" {
			parts = append(parts, part)
		}
	}
	if s.Saved != nil {
		add(visible(string(s.Saved.Action)))
		add(s.Saved.changes())
		add(s.Saved.file())
	}
	add(visible(s.Transport))
	add(visible(s.ProtocolVersion))
	for _, k := range snapshot.Kinds() {
		if n := s.count(k); n != nil {
			add(safe(fmt.Sprintf("%d %s", *n, strings.ToLower(string(heading(k))))))
		}
	}
	add(visible(s.runs()))
	return join(parts, ", ")
}

// headline is a whole run in one line: the command and how many findings there are.
func headline(r *Report) string {
	says := "mcpctl " + string(visible(r.Command)) + ": "
	counts := []string{}
	if words := r.Summary.words(); words != "" {
		counts = append(counts, words)
	}
	if n := unsaved(r.Servers); n > 0 {
		counts = append(counts, string(quantity(n, "server"))+" without a saved snapshot")
	}
	switch {
	case len(counts) > 0:
		return says + strings.Join(counts, ", ")
	case r.Findings != nil && r.Command == "diff":
		return says + "no changes"
	case r.Findings != nil:
		return says + "nothing found"
	}
	return says + string(quantity(len(r.Servers), "server"))
}

// unsaved is how many servers have nothing to be compared with.
func unsaved(servers []Server) int {
	n := 0
	for _, s := range servers {
		if s.Unsaved {
			n++
		}
	}
	return n
}

// words are the numbers that are not zero: "2 breaking, 1 warning".
func (s Summary) words() string {
	var parts []string
	for _, part := range []struct {
		n    int
		text safe
	}{
		{s.Breaking, itoa(s.Breaking) + " breaking"},
		{s.Warning, quantity(s.Warning, "warning")},
		{s.Info, itoa(s.Info) + " info"},
		{s.Waived, itoa(s.Waived) + " waived"},
		{s.Failed, quantity(s.Failed, "server") + " not answered in full"},
	} {
		if part.n > 0 {
			parts = append(parts, string(part.text))
		}
	}
	return strings.Join(parts, ", ")
}
