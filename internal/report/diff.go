package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

// writeVerdicts writes findings by server and item, then what they come to.
func writeVerdicts(p *page, r *Report) error {
	var quiet []Server
	for _, s := range r.Servers {
		found := of(s.Name, r.Findings)
		if len(found) == 0 {
			quiet = append(quiet, s)
			continue
		}
		if found = p.wanted(found); len(found) == 0 {
			continue
		}
		p.gap()
		writeCompared(p, s)
		writeAdvice(p, s.Version)
		writeFindings(p, found)
	}
	writeStrays(p, r)
	writeUnsaved(p, quiet)
	writeFailures(p, r.Servers)
	writeUnchanged(p, r.Command, quiet)
	writeTotals(p, r)
	return nil
}

// of are the findings of one server.
func of(server string, all []finding.Finding) []finding.Finding {
	var found []finding.Finding
	for _, f := range all {
		if f.Server == server {
			found = append(found, f)
		}
	}
	return found
}

// wanted are the findings that are shown: waived ones only on request.
func (o Options) wanted(all []finding.Finding) []finding.Finding {
	if o.Waived {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(f finding.Finding) bool { return f.Waiver != nil })
}

// writeStrays writes the findings that belong to no server of the report.
func writeStrays(p *page, r *Report) {
	if found := p.wanted(strays(r)); len(found) > 0 {
		p.gap()
		writeFindings(p, found)
	}
}

// strays are the findings that belong to no server of the report, such as those about a whole fleet.
func strays(r *Report) []finding.Finding {
	known := func(f finding.Finding) bool {
		return slices.ContainsFunc(r.Servers, func(s Server) bool { return s.Name == f.Server })
	}
	return slices.DeleteFunc(slices.Clone([]finding.Finding(r.Findings)), known)
}

// writeCompared is the heading of one server's findings: what was compared with what.
func writeCompared(p *page, s Server) {
	head := []span{{s.Name, bold}}
	if s.Base != "" {
		head = append(head, span{"  " + s.Base + " → " + now(s), dim})
	}
	p.text(0, 2, append(head, cost(s)...)...)
}

// cost is how the number of tokens changed.
func cost(s Server) []span {
	if s.Tokens == nil || s.BaseTokens == nil || *s.Tokens == *s.BaseTokens {
		return nil
	}
	return []span{{fmt.Sprintf("  %d → %d tokens (%+d)", *s.BaseTokens, *s.Tokens, *s.Tokens-*s.BaseTokens), dim}}
}

// now is where the newer side came from.
func now(s Server) string {
	if s.Transport != "" {
		return "now"
	}
	if s.State == Absent {
		return "absent"
	}
	if s.Source != "" {
		return s.Source
	}
	return "now"
}

func writeFindings(p *page, all []finding.Finding) {
	for i, f := range all {
		if i == 0 || f.Item != all[i-1].Item {
			if i > 0 {
				p.gap()
			}
			p.text(2, 2, span{itemTitle(f.Item), bold})
		}
		writeFinding(p, f)
	}
}

func itemTitle(item string) string {
	switch {
	case item == "":
		return "the server itself"
	case isPolicy(item):
		return "the policy"
	}
	return item
}

// isPolicy tells the items of findings that are about the policy, such as "waiver/tool-removed".
func isPolicy(item string) bool { return strings.HasPrefix(item, "waiver/") }

func writeFinding(p *page, f finding.Finding) {
	head := []span{{fmt.Sprintf("%-8s", f.Level), levelStyle(f.Level)}, {"  ", plain}, {f.Rule, bold}}
	if f.Verdict == finding.Proved || f.Verdict == finding.Unproven {
		head = append(head, span{"  " + string(f.Verdict), dim})
	}
	p.text(4, 2, append(head, span{"  " + f.Fingerprint(), dim})...)
	writeBody(p, 6, f)
}

// writeBody writes what a finding says: its message, what changed, and what can be done.
func writeBody(p *page, indent int, f finding.Finding) {
	for _, l := range lines(f.Message) {
		p.text(indent, 0, span{l, plain})
	}
	writeValues(p, indent, f)
	writeWitness(p, indent, f)
	p.hint(indent, f.Hint)
	writeWaiver(p, indent, f.Waiver)
}

// writeWaiver tells why a finding does not count.
func writeWaiver(p *page, indent int, w *finding.Waiver) {
	if w == nil {
		return
	}
	by := ""
	if w.Owner != "" {
		by = " by " + firstLine(w.Owner)
	}
	p.text(indent, 2, span{"waived" + by + until(w.Expires) + ": " + firstLine(w.Reason), yellow})
}

// writeWitness writes an instance that was right before and is wrong now.
func writeWitness(p *page, indent int, f finding.Finding) {
	if f.Witness == nil {
		return
	}
	says := "accepted before, rejected now: "
	if strings.HasPrefix(f.Path, "/outputSchema") {
		says = "ruled out before, possible now: "
	}
	p.text(indent, 2, span{says, plain}, span{short(compact(f.Witness)), yellow})
}

// writeUnsaved tells which servers have nothing to be compared with.
func writeUnsaved(p *page, servers []Server) {
	for _, s := range servers {
		if !s.Unsaved {
			continue
		}
		p.gap()
		p.text(0, 2, span{s.Name, bold}, span{"  no saved snapshot", yellow})
		p.hint(2, "save one: mcpctl snapshot "+quoted(s.Name))
	}
}

// writeUnchanged tells in one line which servers gave nothing to report.
func writeUnchanged(p *page, command string, servers []Server) {
	quiet := slices.DeleteFunc(slices.Clone(servers), func(s Server) bool { return s.State != OK || s.Unsaved })
	if len(quiet) == 0 {
		return
	}
	var names []string
	for _, s := range quiet {
		names = append(names, s.Name)
	}
	p.gap()
	says := "nothing found: "
	if command == "diff" {
		says = "no changes: "
	}
	row := []span{{says, green}, {strings.Join(names, ", "), plain}}
	if base := quiet[0].Base; len(quiet) == 1 && base != "" {
		row = append(row, span{" is as in " + base, dim})
	}
	p.text(0, 2, row...)
}

// writeAdvice tells which version the findings ask for, when it is a higher one than the server has.
func writeAdvice(p *page, a *finding.Advice) {
	if a == nil || a.Enough {
		return
	}
	step := fmt.Sprintf("version %s → %s is a %s step", a.Old, a.New, a.Made)
	switch {
	case a.Old == a.New:
		step = fmt.Sprintf("version %s did not change", a.Old)
	case a.Made == finding.None:
		step = fmt.Sprintf("version %s → %s is a step back", a.Old, a.New)
	}
	p.text(2, 2, span{fmt.Sprintf("%s; the findings ask for %s (%s)", step, a.Next, a.Asked), dim})
}

// writeTotals writes how many findings there are of each level, and what the exit status means.
func writeTotals(p *page, r *Report) {
	row, says := r.Summary.totals(p.Waived), meaning(r, r.Summary)
	if len(row) > 0 || says != "" {
		p.gap()
	}
	p.text(0, 2, row...)
	if says != "" {
		p.text(0, 2, span{"exit status " + strconv.Itoa(r.Status) + ": " + says, dim})
	}
}

// totals are the numbers that are not zero, and how to see what is not shown: "2 breaking, 1 warning".
func (s Summary) totals(waived bool) []span {
	note := " waived (--show-waived)"
	if waived {
		note = " waived"
	}
	var row []span
	for _, part := range []struct {
		n     int
		text  string
		style style
	}{
		{s.Breaking, strconv.Itoa(s.Breaking) + " breaking", red},
		{s.Warning, quantity(s.Warning, "warning"), yellow},
		{s.Info, strconv.Itoa(s.Info) + " info", cyan},
		{s.Waived, strconv.Itoa(s.Waived) + note, dim},
		{s.Failed, quantity(s.Failed, "server") + " not answered in full", red},
	} {
		if part.n == 0 {
			continue
		}
		if len(row) > 0 {
			row = append(row, span{", ", plain})
		}
		row = append(row, span{part.text, part.style})
	}
	return row
}

// words are the totals without their colours.
func (s Summary) words() string {
	var b strings.Builder
	for _, part := range s.totals(true) {
		b.WriteString(part.text)
	}
	return b.String()
}

// acceptable tells whether what changed can be accepted: a live server was compared with a file, not with a commit.
func (s Server) acceptable() bool { return s.Transport != "" && !strings.HasPrefix(s.Base, "git:") }

// meaning is what an exit status other than 0 tells, and what can be done.
func meaning(r *Report, sum Summary) string {
	accept := ""
	if r.Command == "diff" && slices.ContainsFunc(r.Servers, Server.acceptable) {
		accept = "; accept by `mcpctl accept FINGERPRINT…`"
	}
	switch r.Status {
	case 0:
		return ""
	case 1:
		if sum.Breaking > 0 && r.Command == "diff" {
			return "breaking changes found" + accept
		}
		return "findings at or above the threshold" + accept
	case 3:
		return "the answer is incomplete, since not every server could be asked in full"
	case 4:
		return "nothing is saved to compare with"
	case 130, 143:
		return "interrupted; what was finished is shown"
	}
	return "wrong usage or configuration"
}

// edit is a stretch of a text that was kept, removed or added.
type edit struct {
	op   op
	text string
}

type op int

const (
	kept op = iota
	gone
	fresh
)

// maxEdits is how many words may differ before two texts are taken as entirely different.
const maxEdits = 1000

// token is what a text is compared by: a word, a run of spaces, or one other character.
var token = pattern(`[\p{L}\p{N}_]+|[ \t]+|(?s:.)`)

// compare tells what was kept, removed and added, word by word: kept and removed together are before, kept and added
// together are after. Where a change is spread over a phrase, the phrase is told as one.
func compare(before, after string) []edit {
	a, b := token().FindAllString(before, -1), token().FindAllString(after, -1)
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	edits := []edit{{kept, strings.Join(a[:head], "")}}
	edits = append(edits, script(a[head:len(a)-tail], b[head:len(b)-tail])...)
	edits = append(edits, edit{kept, strings.Join(a[len(a)-tail:], "")})
	return tidy(edits)
}

// script is the shortest list of edits that turns a into b (Myers, "An O(ND) difference algorithm", 1986), or one
// replacement when it would be too long.
func script(a, b []string) []edit {
	var rounds []front
	last := front{0}
	for d := range min(len(a)+len(b), maxEdits) + 1 {
		next := make(front, d+1)
		for k := -d; k <= d; k += 2 {
			x, _ := last.step(d, k)
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			next[(k+d)/2] = x
			if x >= len(a) && x-k >= len(b) {
				return backtrack(append(rounds, last), a, b)
			}
		}
		rounds, last = append(rounds, last), next
	}
	return []edit{{gone, strings.Join(a, "")}, {fresh, strings.Join(b, "")}}
}

// front is how far into a each diagonal got with d edits; diagonal k of -d, -d+2, … d stands at (k+d)/2.
type front []int

// step is where edit number d leads on diagonal k: down (an addition) or right (a removal), whichever reaches further.
func (f front) step(d, k int) (x int, down bool) {
	right, below := (k+d)/2-1, (k+d)/2
	switch {
	case d == 0:
		return 0, true
	case k == -d || k != d && f[right] < f[below]:
		return f[below], true
	}
	return f[right] + 1, false
}

// backtrack reads the edits off the rounds, from the end of the texts to their start.
func backtrack(rounds []front, a, b []string) []edit {
	var edits []edit
	x, y := len(a), len(b)
	for d := len(rounds) - 1; d >= 0; d-- {
		start, down := rounds[d].step(d, x-y)
		for x > start && x > 0 && y > 0 && a[x-1] == b[y-1] {
			x, y = x-1, y-1
			edits = append(edits, edit{kept, a[x]})
		}
		switch {
		case d == 0:
		case down:
			y--
			edits = append(edits, edit{fresh, b[y]})
		default:
			x--
			edits = append(edits, edit{gone, a[x]})
		}
	}
	slices.Reverse(edits)
	return edits
}

// tidy joins neighbours of one kind, and makes one replacement of changes that only space keeps apart.
func tidy(edits []edit) []edit {
	var out, phrase []edit
	for i, e := range edits {
		blank := strings.Trim(e.text, " \t") == "" && i+1 < len(edits) && edits[i+1].op != kept
		if e.op != kept || blank && len(phrase) > 0 {
			phrase = append(phrase, e)
			continue
		}
		out = appendEdit(appendPhrase(out, phrase), e)
		phrase = nil
	}
	return appendPhrase(out, phrase)
}

// appendPhrase adds a phrase in which something was removed and something added as one replacement, any other as it is.
func appendPhrase(all, phrase []edit) []edit {
	var before, after string
	var ops [fresh + 1]bool
	for _, e := range phrase {
		ops[e.op] = true
		if e.op != fresh {
			before += e.text
		}
		if e.op != gone {
			after += e.text
		}
	}
	if ops[gone] && ops[fresh] {
		phrase = []edit{{gone, before}, {fresh, after}}
	}
	for _, e := range phrase {
		all = appendEdit(all, e)
	}
	return all
}

func appendEdit(all []edit, e edit) []edit {
	if e.text == "" {
		return all
	}
	if last := len(all) - 1; last >= 0 && all[last].op == e.op {
		all[last].text += e.text
		return all
	}
	return append(all, e)
}
