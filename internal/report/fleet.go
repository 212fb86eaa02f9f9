package report

import "github.com/mcpctl/mcpctl/pkg/finding"

// roster finds the servers of a report, and their findings, by name.
type roster struct {
	all    []Server
	at     map[string]int               // the place of each in all
	found  map[string][]finding.Finding // of each
	strays []finding.Finding            // those of no server of the report, such as those about a whole fleet
}

func (r *Report) roster() roster {
	known := roster{all: r.Servers, at: map[string]int{}, found: map[string][]finding.Finding{}}
	for i := range r.Servers {
		known.at[r.Servers[i].Name] = i
	}
	for _, f := range r.Findings {
		if _, ok := known.at[f.Server]; !ok {
			known.strays = append(known.strays, f)
		}
		known.found[f.Server] = append(known.found[f.Server], f)
	}
	return known
}

// named is the server of a name; one without a name where there is none.
func (all roster) named(name string) Server {
	if at, ok := all.at[name]; ok {
		return all.all[at]
	}
	return Server{}
}
