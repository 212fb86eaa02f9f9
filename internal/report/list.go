package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// table writes the items of one server as blocks of signatures, and several servers as a table with their
// states and what they offer together, unless items were asked for.
func (b *Listing) table(p *page, r *reported) {
	if len(r.Servers) == 0 {
		p.line(0, span{"no servers", plain})
		return
	}
	switch {
	case b.Pattern != nil:
		writeMatches(p, r.Servers, b.Pattern)
		return
	case b.Items || len(r.Servers) == 1 && r.Servers[0].listed() && !b.Fleet:
		writeItemList(p, r.Servers, b)
		return
	}
	writeServerList(p, sortedServers(b.Sort, r.Servers), nil)
	if len(r.Servers) < 2 {
		return
	}
	tools, on, tokens, cost := 0, 0, 0, ""
	var states []string
	for _, s := range r.Servers {
		states = append(states, s.Word())
		tools, on = tools+s.Counts[snapshot.Tools], on+s.toolsOn()
		if cost := s.tokensOn(); cost != nil {
			tokens += *cost
		}
	}
	if tokens > 0 {
		cost = estimate(tokens) + " tokens"
	}
	tally := kit.Tally(states, string(seen.OK), string(seen.Partial), string(seen.Failed),
		"stopped", "not tried", string(seen.Disabled), string(seen.Absent))
	p.below(span{kit.Join(" · ", kit.Counted(len(r.Servers), "server")+": "+tally,
		limited(on, tools), cost), dim})
}

// writeServerList writes a row for each server, then why some failed. The less important columns are left out
// first when the page is narrow. pings are the milliseconds to the response of each; nil = none was asked
// for.
func writeServerList(p *page, servers []server, pings []float64) {
	kinds := snapshot.Kinds()
	columns := []column{{title: "NAME", name: true, least: 10}, {title: "STATUS"},
		{title: "TRANSPORT", drop: 3}, {title: "PROTOCOL", drop: 5}}
	for i, k := range kinds {
		columns = append(columns, column{title: heading(k), right: true, drop: []int{0, 6, 7, 8, 8}[i]})
	}
	columns = append(columns, column{title: "TOKENS", right: true},
		column{title: "PING", right: true, least: 8},
		column{title: "TIME", right: true, drop: 4}, column{title: "APPLICATION", least: 8, drop: 9},
		column{title: "PROBLEM", least: 20})
	var rows [][]span
	for i, s := range servers {
		row := []span{{s.Name, bold}, {s.Word(), stateStyle(s.State)}, {transport(s), plain},
			{s.ProtocolVersion, plain}}
		for _, k := range kinds {
			row = append(row, countCell(s, k))
		}
		ping := ""
		if pings != nil && pings[i] > 0 {
			ping = fmt.Sprintf("%.1f ms", pings[i])
		}
		rows = append(rows, append(row, span{tokensOf(s.tokensOn(), ""), plain}, span{ping, bold},
			span{elapsed(s.ElapsedMs), plain}, span{s.applications(), plain},
			span{problem(s), stateStyle(s.State)}))
	}
	p.grid(0, columns, rows)
	writeClientTools(p, servers)
	writeFailures(p, servers)
}

// table writes a row for each server with the time that its response took.
func (b *Ping) table(p *page, r *reported) {
	writeServerList(p, r.Servers, kit.Map(b.Servers, func(s PingServer) float64 { return s.PingMs }))
}

// countCell returns a number, with a plus when there may be more, a dash for what is not offered (nothing for
// extensions), a question mark for unknown.
func countCell(s server, k snapshot.Kind) span {
	partial := slices.ContainsFunc(s.PartialLists, func(l seen.PartialList) bool { return l.Kind == k })
	switch n, known := s.Counts[k]; {
	case known && partial:
		return span{strconv.Itoa(n) + "+", yellow}
	case known && k == snapshot.Tools && s.Clients != nil && s.Clients.On < n:
		return span{fmt.Sprintf("%d of %d", s.Clients.On, n), plain}
	case known:
		return span{strconv.Itoa(n), plain}
	case partial:
		return span{"?", yellow}
	case !k.Extension() && s.Counts != nil && (s.State == seen.OK || s.State == seen.Partial):
		return span{"-", dim}
	}
	return span{}
}

// tokensOf returns an estimate of tokens with what follows it; empty if there is none.
func tokensOf(n *int, unit string) string {
	if n == nil {
		return ""
	}
	return estimate(*n) + unit
}

// estimate returns a number of tokens as it is shown, since none of them is exact: "~120", "~2.7k".
func estimate(n int) string {
	switch {
	case n < 10:
		return fmt.Sprintf("~%d", n)
	case n < 995:
		return fmt.Sprintf("~%d", (n+5)/10*10)
	case n < 99_950:
		return fmt.Sprintf("~%.1fk", float64(n)/1000)
	}
	return fmt.Sprintf("~%dk", (n+500)/1000)
}

// transport returns the word that configurations use, which is shorter than the specification's.
func transport(s server) string {
	if kind := cmp.Or(s.Transport, s.Intended); kind != "streamable-http" {
		return kind
	}
	return "http"
}

// problem returns the cause of the first failure in one line: what a server that ended wrote about it,
// what is missing of a part.
func problem(s server) string {
	if s.Error == nil {
		return ""
	}
	cause := firstLine(s.Error.Message)
	if target, ok := strings.CutPrefix(cause, seen.CannotConnect); ok {
		_, cause, _ = strings.Cut(target, ": ")
	}
	if seen.Exited(*s.Error) { // in words of the server
		cause = cmp.Or(seen.ExitReason(s.Error.Stderr), cause)
	}
	if s.State == seen.Partial {
		return kit.Join(": ", s.Error.Stage, cause)
	}
	return cause
}

// elapsed returns a duration in the unit that suits its size; "" for 0, which means not measured.
func elapsed(ms int64) string {
	switch d := time.Duration(ms) * time.Millisecond; {
	case ms <= 0:
		return ""
	case d < time.Second:
		return fmt.Sprintf("%dms", ms)
	case d < time.Minute:
		return fmt.Sprintf("%.1fs", d.Seconds())
	default:
		return d.Round(time.Second).String()
	}
}

// writeItemList writes a block for each kind of items of each server, then one next step.
func writeItemList(p *page, servers []server, b *Listing) {
	if b.empty(servers) {
		p.line(0, span{b.None, plain})
	}
	for _, s := range servers {
		if !s.listed() {
			continue
		}
		p.gap()
		writeServerHead(p, s)
		for _, says := range s.clientFacts(p.Verbose) {
			p.text(2, 2, span{says, dim})
		}
		for _, k := range snapshot.Kinds() {
			writeSignatures(p, s, k, sorted(b.Sort, k, *s.Items(k)))
		}
		if !s.offers() {
			p.line(0, span{cmp.Or(b.None, "no items"), plain})
		}
	}
	writeFailures(p, servers)
	if len(servers) == 1 && len(servers[0].Tools) > 0 && p.Run.Sources+p.Run.Command != "" &&
		!p.Run.Hidden && servers[0].Source != "-" {
		tool := printable.ShellWord(snapshot.Item{Raw: servers[0].Tools[0]}.Text("name"))
		p.below(span{"Details: " + p.Run.about(servers[0].Server, "show", tool), dim})
	}
}

// writeServerHead writes who a server is and how much it offers, in one line.
func writeServerHead(p *page, s server) {
	info := rawjson.ObjectOf(s.ServerInfo)
	state := ""
	if s.State == seen.Partial {
		state = string(seen.Partial)
	}
	facts := kit.Join(" · ", transport(s), s.ProtocolVersion, s.items(), tokensOf(s.tokensOn(), " tokens"),
		state)
	p.text(0, 0, span{strings.TrimSpace(s.shownName() + " " + info.Text("version")), bold},
		span{strings.Repeat(" · ", count(facts != "")) + facts, dim})
}

// shownName returns the name of a server as it is configured; of the command line its own.
func (s server) shownName() string {
	if s.Source == "argv" {
		return cmp.Or(rawjson.ObjectOf(s.ServerInfo).Text("name"), s.Name)
	}
	return s.Name
}

// sorted returns items in an order: "" as sent, by "name", or by "tokens", the most expensive tools first.
func sorted(order string, k snapshot.Kind, items seen.Items) seen.Items {
	items = slices.Clone(items)
	switch order {
	case "name":
		slices.SortStableFunc(items,
			func(a, b json.RawMessage) int { return cmp.Compare(key(k, a), key(k, b)) })
	case "tokens":
		slices.SortStableFunc(items,
			func(a, b json.RawMessage) int { return itemTokens(k, b) - itemTokens(k, a) })
	}
	return items
}

// sortedServers returns servers in an order: "" as given, by "name", or by "tokens", the dearest first.
func sortedServers(order string, servers []server) []server {
	servers = slices.Clone(servers)
	cost := func(s server) int {
		if n := s.tokensOn(); n != nil {
			return *n
		}
		return -1
	}
	switch order {
	case "name":
		slices.SortStableFunc(servers, func(a, b server) int { return cmp.Compare(a.Name, b.Name) })
	case "tokens":
		slices.SortStableFunc(servers, func(a, b server) int { return cost(b) - cost(a) })
	}
	return servers
}

// empty reports whether servers answered, and none of them has a list of what was asked for.
func (b *Listing) empty(servers []server) bool {
	return b.Items && !slices.ContainsFunc(servers, server.listed) &&
		slices.ContainsFunc(servers, func(s server) bool { return s.State == seen.OK })
}

// itemTokens returns what a tool costs in a prompt; 0 for other items, which are not part of one.
func itemTokens(k snapshot.Kind, raw json.RawMessage) int {
	if k != snapshot.Tools {
		return 0
	}
	return check.ToolTokens(snapshot.Item{Raw: raw})
}

// itemCost returns the tokens of a tool as they are shown; empty for other items.
func itemCost(k snapshot.Kind, raw json.RawMessage) string {
	if n := itemTokens(k, raw); n > 0 {
		return estimate(n)
	}
	return ""
}

// mostResources is how many resources or templates a folded page shows.
const mostResources = 5

// writeSignatures writes the items of a kind: each by its signature, with its tokens and hints in columns,
// and its description.
func writeSignatures(p *page, s server, k snapshot.Kind, items seen.Items) {
	if len(items) == 0 {
		return
	}
	p.gap()
	p.line(0, span{heading(k), bold})
	most := len(items)
	if p.folds() && (k == snapshot.Resources || k == snapshot.Templates) && most > mostResources+1 {
		most = mostResources
	}
	heads := p.signatures(2, s, k, items[:most])
	for i, raw := range items[:most] {
		p.write(2, heads[i])
		if p.Verbose {
			p.paragraph(4, about(raw), dim)
		} else {
			p.print(line{indent: 4, rows: textRows * count(p.folds()),
				spans: []span{{oneLine(about(raw)), dim}}})
		}
	}
	if more := len(items) - most; more > 0 {
		p.text(2, 2, span{fmt.Sprintf("… %d more: --verbose", more), dim})
	}
}

// signatures returns the lines of each item of a kind: its signature, its tokens and its hints.
func (p *page) signatures(indent int, s server, k snapshot.Kind, items seen.Items) [][]string {
	columns := []column{{fill: true, hang: 4}, {name: true, drop: 1}, {name: true, drop: 2}}
	whole := longWord
	if p.Width > 0 {
		whole = min(whole, p.room(indent)-besideSignature)
	}
	rows := kit.Map(items, func(raw json.RawMessage) [][]span {
		columns[0].least = max(columns[0].least, width(printable.Visible(key(k, raw))))
		off := inBrackets(s.offIn(k, key(k, raw)))
		return [][]span{{{key(k, raw), bold}, {unbroken(takes(k, raw), whole), plain}},
			{{itemCost(k, raw), dim}}, {{kit.Join(" ", hintsInBrackets(k, raw), off), dim}}}
	})
	return p.table(indent, columns, rows)
}

// besideSignature is how many columns tokens, hints and the indent of further lines take at most.
const besideSignature = 27

// unbroken returns a signature that breaks after arguments only, unless one is longer than most bytes.
func unbroken(signature string, most int) string {
	arguments := strings.Split(signature, ", ")
	for i, argument := range arguments {
		if len(argument) < most {
			arguments[i] = strings.ReplaceAll(argument, " ", noBreak)
		}
	}
	return strings.Join(arguments, ", ")
}

// takes returns what an item takes, in parentheses.
func takes(k snapshot.Kind, raw json.RawMessage) string {
	if k != snapshot.Tools && k != snapshot.Prompts {
		return ""
	}
	return "(" + signatureOf(k, raw) + ")"
}

// hintsInBrackets returns the hints of a tool that a reader needs first: [read-only] or [destructive].
func hintsInBrackets(k snapshot.Kind, raw json.RawMessage) string {
	annotations := rawjson.ObjectOf(rawjson.ObjectOf(raw)["annotations"])
	readOnly, _ := annotations.Bool("readOnlyHint")
	destructive, _ := annotations.Bool("destructiveHint")
	switch {
	case k != snapshot.Tools:
		return ""
	case readOnly:
		return "[read-only]"
	case destructive:
		return "[destructive]"
	}
	return ""
}

// about returns the description of an item, else its title, else its name.
func about(raw json.RawMessage) string {
	item, object := snapshot.Item{Raw: raw}, rawjson.ObjectOf(raw)
	if text := item.Description(); firstLine(text) != "" {
		return text
	}
	named := object["uri"] == nil && object["uriTemplate"] == nil // by the name that Title falls back to
	if title := item.Title(); !named || title != object.Text("name") {
		return title
	}
	return ""
}

// heading returns a kind in the plural, as in the header of a table.
func heading(k snapshot.Kind) string { return strings.ToUpper(k.Word() + "s") }

// key returns what identifies an item to people: its key, or its name where the key is missing.
func key(k snapshot.Kind, raw json.RawMessage) string {
	item := rawjson.ObjectOf(raw)
	return cmp.Or(item.Text(k.KeyField()), item.Text("name"), "(no "+k.KeyField()+")")
}

// listed reports whether s has items of any kind.
func (s server) listed() bool {
	return slices.ContainsFunc(snapshot.Kinds(), func(k snapshot.Kind) bool { return *s.Items(k) != nil })
}

// table writes everything about each server and each of its items, which have no headings when they were
// chosen by name.
func (b *Show) table(p *page, r *reported) {
	for _, s := range r.Servers {
		p.gap()
		indent := 0
		if !b.Chosen {
			indent = 2
			writeServer(p, s)
		}
		for _, k := range snapshot.Kinds() {
			for i, raw := range *s.Items(k) {
				p.gap()
				if i == 0 && !b.Chosen {
					p.line(0, span{heading(k), bold})
					p.gap()
				}
				writeItem(p, indent, s, k, raw, b.Raw)
			}
		}
	}
	writeFailures(p, r.Servers)
}

// writeServer writes what there is to say of a server as a whole.
func writeServer(p *page, s server) {
	writeServerHead(p, s)
	info := snapshot.Item{Raw: s.ServerInfo}
	if name := info.Text("name"); name != s.shownName() && name != "" {
		p.text(2, 2, span{"name  ", dim}, span{name, plain})
	}
	p.text(2, 0, span{info.Text("title"), dim})
	p.paragraph(2, info.Text("description"), plain)
	for _, says := range s.clientFacts(true) { // about this machine, not what the server declares
		p.text(2, 2, span{"tools  ", dim}, span{says, plain})
	}
	for _, f := range serverFacts(s) {
		p.text(2, 2, span{f.label + "  ", dim}, span{f.says, plain})
	}
	if s.Instructions != "" {
		p.line(2, span{"instructions", dim})
		p.paragraph(4, s.Instructions, plain)
	}
}
