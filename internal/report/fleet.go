package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// mostServers is how many servers or causes a folded page names in one place; more servers are a fleet.
const mostServers = 20

// tally counts words: "2 ok, 1 failed". Some words may have an order; the others are in their own.
func tally(words []string, order ...string) string {
	words = slices.Clone(words)
	slices.SortStableFunc(words, func(a,
		b string) int {
		return slices.Index(order, a) - slices.Index(order, b)
	})
	counted := kit.Map(kit.Group(words, func(word string) string { return word }),
		func(same []string) string { return fmt.Sprintf("%d %s", len(same), same[0]) })
	return strings.Join(counted, ", ")
}

// trouble is one cause for which servers could not be asked in full.
type trouble struct {
	Server // the first
	Failure
	Names []string
	mixed bool // the servers wrote different things to stderr
}

// says returns a message about the servers like Failure.Says, with a reason that all of them wrote.
func (t *trouble) says(message string) string {
	f := Failure{Stage: t.Stage, Message: message, Stderr: t.Stderr}
	if t.mixed {
		f.Stderr = ""
	}
	return f.Says()
}

// troubles returns the causes for which servers could not be asked in full. Those of a fleet are compared
// without names, addresses and stderr, and the most frequent comes first.
func troubles(servers []Server) []*trouble {
	type key struct {
		Failure
		State
		finding.Tolerance
	}
	var all []*trouble
	at := map[key]*trouble{}
	fleet := len(servers) > mostServers
	for _, s := range servers {
		for _, f := range s.failures() {
			one := key{Failure: f, State: s.State}
			if s.Tolerated != nil {
				one.Tolerance = *s.Tolerated
			}
			if fleet {
				one.Message, one.Hint, one.Stderr = nameless(f.Message, s.Name), nameless(f.Hint, s.Name), ""
			}
			if at[one] == nil {
				at[one] = &trouble{Server: s, Failure: f}
				all = append(all, at[one])
			}
			at[one].Names = append(at[one].Names, s.Name)
			at[one].mixed = at[one].mixed ||
				f.Stderr != at[one].Stderr && exitReason(f.Stderr) != exitReason(at[one].Stderr)
		}
	}
	if fleet {
		slices.SortStableFunc(all, func(a, b *trouble) int {
			return cmp.Or(count(a.Tolerated != nil)-count(b.Tolerated != nil), len(b.Names)-len(a.Names))
		})
	}
	return all
}

// address is what differs when the same befalls servers in several places.
var address = kit.Pattern(
	`https?://[^\s"]+|lookup \S+|([0-9]+\.){3}[0-9]+(:[0-9]+)?|\[[0-9a-fA-F:.]+\](:[0-9]+)?`)

func nameless(says, name string) string {
	return address().ReplaceAllString(strings.ReplaceAll(says, name, ""), "")
}

// writeFailures writes for each cause which servers could not be asked in full, why, and what to do.
func writeFailures(p *page, servers []Server) {
	for i, t := range troubles(servers) {
		if i == 0 || t.Stderr != "" {
			p.gap()
		}
		names := strings.Join(t.Names, ", ")
		if p.folds() {
			names = someOf(t.Names, mostNames)
		}
		says, rest, _ := strings.Cut(strings.TrimSpace(t.Message), "\n")
		says = strings.Replace(says, "server "+strconv.Quote(t.Name)+": ", "", 1) // which is named already
		p.text(0, 2, span{"error: ", red}, span{names, bold}, span{": " + t.says(says), plain})
		p.paragraph(2, rest, plain)
		p.hint(0, t.Hint)
		writeTolerated(p, t.Tolerated)
		writeStderr(p, t.Stderr)
	}
}

func furtherCauses(all []*trouble) string {
	servers := 0
	for _, t := range all {
		servers += len(t.Names)
	}
	return fmt.Sprintf("… and %s why %s could not be asked in full; --verbose shows all",
		quantity(len(all), "more cause"), quantity(servers, "server"))
}

// FailureNotes returns lines for standard error about failed servers, with what to do: one for each; of a
// fleet, unless all are wanted, one for each of its most frequent causes.
func FailureNotes(servers []Server, all bool) (notes []string) {
	failed := kit.Filter(servers, func(s Server) bool { return s.Error != nil })
	all = all || len(failed) <= mostServers
	causes := kit.Map(failed, func(s Server) *trouble {
		return &trouble{Server: s, Failure: *s.Error,
			Names: []string{s.Name}}
	})
	if !all {
		causes = troubles(failed)
	}
	advised := ""
	for i, t := range causes {
		if i == mostServers && !all {
			return append(notes, furtherCauses(causes[i:]))
		}
		note := Visible(someOf(t.Names, mostNames)) + ": " + Visible(t.says(t.Message))
		if t.Hint != "" && t.Hint != advised {
			advised, note = t.Hint, note+": "+Visible(t.Hint)
		}
		notes = append(notes, note+toleratedNote(t.Server))
	}
	return notes
}

func toleratedNote(s Server) string {
	switch {
	case s.Tolerated == nil:
		return ""
	case s.Tolerated.Expires == "":
		return fmt.Sprintf(" (tolerated: %s)", Visible(s.Tolerated.Reason))
	}
	return fmt.Sprintf(" (tolerated until %s: %s)", s.Tolerated.Expires, Visible(s.Tolerated.Reason))
}
