package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/seen"
)

// mostServers is how many servers or reasons for failures a folded page names in one place.
const mostServers = 20

// trouble is one reason for which servers could not be asked in full.
type trouble struct {
	server // the first
	seen.Failure
	Names []string
}

// troubles returns the reasons for which servers could not be asked in full. In a fleet, reasons that differ
// by the name of the server are one, and the most frequent comes first.
func troubles(servers []server) []trouble {
	var each []trouble
	for _, s := range servers {
		for _, f := range s.Failures() {
			each = append(each, trouble{server: s, Failure: f})
		}
	}
	fleet := len(servers) > mostServers
	alike := kit.Group(each, func(t trouble) string {
		reason := fmt.Sprintf("%q %q %s %v", seen.Says(t.Failure), t.Hint, t.Word(), t.Tolerated)
		if fleet {
			reason = strings.ReplaceAll(reason, t.Name, "")
		}
		return reason
	})
	all := kit.Map(alike, func(same []trouble) trouble {
		first := same[0]
		first.Names = kit.Map(same, func(t trouble) string { return t.Name })
		return first
	})
	if fleet {
		slices.SortStableFunc(all, func(a, b trouble) int { return len(b.Names) - len(a.Names) })
	}
	return all
}

// writeFailures writes for each reason which servers could not be asked in full, why, and what to do.
func writeFailures(p *page, servers []server) {
	all, most := troubles(servers), len(servers)
	if p.folds() {
		most = mostNames
	}
	p.gap()
	for i, t := range all {
		if p.folds() && i == mostServers {
			p.text(0, 2, span{kit.Counted(len(all)-i, "more failure") + ": --verbose", dim})
			return
		}
		f := t.Failure
		message, rest, _ := strings.Cut(strings.TrimSpace(f.Message), "\n")
		f.Message = message
		p.text(0, 2, span{"error: ", red}, span{someOf(t.Names, most), bold},
			span{": " + seen.Says(f), plain})
		p.paragraph(2, rest, plain)
		p.print(t.remedy(t.Failure)...)
		if p.Verbose || !seen.Exited(t.Failure) { // else the message has the reason
			if t.Stderr != "" {
				p.line(2, span{"stderr:", dim})
			}
			writeStderr(p, 4, t.Stderr, "")
		}
	}
}

// failureNotes returns lines for standard error about failed servers, with what to do: an error and its hint
// for each reason, but of a fleet only the most frequent ones unless all are wanted.
func failureNotes(servers []server, all bool) (notes []string) {
	failed := slices.Clone(servers)
	for i := range failed {
		failed[i].MoreErrors = nil
	}
	reasons, most, advised := troubles(failed), mostNames, ""
	if all {
		most = len(servers)
	}
	for i, t := range reasons {
		if i == mostServers && !all {
			more := kit.Counted(len(reasons)-i, "more failure")
			return append(notes, "… and "+more+"; --verbose shows all")
		}
		note := "error: " + someOf(t.Names, most) + ": " + seen.Says(t.Failure)
		if t.Tolerated != nil {
			note += fmt.Sprintf(" (tolerated%s: %s)", until(t.Tolerated.Expires), t.Tolerated.Reason)
		}
		notes = append(notes, note)
		if t.Hint != "" && t.Hint != advised {
			advised = t.Hint
			notes = append(notes, "hint: "+t.Hint)
		}
	}
	return notes
}
