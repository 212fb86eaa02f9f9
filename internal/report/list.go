package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/signature"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// writeList writes a row per server, or a row per item when there is one server, unless a fleet was asked for, or when items were.
func writeList(p *page, r *Report) {
	if len(r.Servers) == 0 {
		p.line(0, span{"no servers", plain})
		return
	}
	if p.Items || len(r.Servers) == 1 && r.Servers[0].listed() && !p.Fleet {
		writeItemList(p, r.Servers)
		return
	}
	writeServerList(p, r.Servers)
	writeFailures(p, r.Servers)
	writeFleetTotals(p, r.Servers)
}

// writeFleetTotals tells of several servers how many are in which state, and what they offer together.
func writeFleetTotals(p *page, servers []Server) {
	if len(servers) < 2 {
		return
	}
	tools, tokens := 0, 0
	for _, s := range servers {
		if n := s.Count(snapshot.Tools); n != nil {
			tools += *n
		}
		if s.Tokens != nil {
			tokens += *s.Tokens
		}
	}
	says := quantity(len(servers), "server") + ": " + tally(states(servers), totalled...) + "; " + quantity(tools, "tool")
	if tokens > 0 {
		says += ", " + roughly(tokens) + " tokens"
	}
	p.gap()
	p.text(0, 2, span{says, dim})
}

// totalled are the states of servers in the order of totals.
var totalled = []string{string(OK), string(Partial), string(Failed), string(Disabled), string(Absent)}

func states(servers []Server) []string {
	return kit.Map(servers, func(s Server) string { return string(s.State) })
}

func writeServerList(p *page, servers []Server) {
	kinds := countedKinds(servers)
	var columns []column
	for i, k := range kinds {
		columns = append(columns, column{title: heading(k), right: true, least: 6, drop: []int{0, 5, 6, 8, 8}[i]})
	}
	columns = append(columns, column{title: "TOKENS", right: true, least: 6, drop: 4},
		column{title: "TIME", right: true, least: 6, drop: 4}, column{title: "APPLICATION", least: 8, drop: 9})
	p.serverGrid(servers, columns, func(s Server) []span {
		cells := kit.Map(kinds, func(k snapshot.Kind) span { return countCell(s, k) })
		return append(cells, span{tokenCount(s.Tokens), plain}, span{elapsed(s.ElapsedMs), plain}, span{s.applications(), plain})
	})
}

// serverGrid writes a row for each server: whether it answered, what is told besides, and what kept it from answering.
func (p *page) serverGrid(servers []Server, columns []column, cells func(Server) []span) {
	about := []column{{title: "NAME", name: true, least: 10}, {title: "STATUS", least: 8}, {title: "TRANSPORT", drop: 3}, {title: "PROTOCOL", least: 10, drop: 2}}
	rows := kit.Map(servers, func(s Server) []span {
		row := []span{{s.Name, bold}, {string(s.State), stateStyle(s.State)}, {transport(s), plain}, {s.ProtocolVersion, plain}}
		return append(append(row, cells(s)...), span{problem(s), stateStyle(s.State)})
	})
	columns = append(append(about, columns...), column{title: "PROBLEM", brief: true, least: 20, drop: 1})
	p.grid(0, grid{columns: columns, rows: rows})
}

// countedKinds are the kinds that have a column: those of the core, and skills where a server has a list of them.
func countedKinds(servers []Server) []snapshot.Kind {
	return slices.DeleteFunc(snapshot.Kinds(), func(k snapshot.Kind) bool {
		return k.Extension() && !slices.ContainsFunc(servers, func(s Server) bool { return s.Count(k) != nil })
	})
}

// countCell is a number, with a plus when there may be more, a dash for what is not offered, a question mark for unknown.
func countCell(s Server, k snapshot.Kind) span {
	partial := slices.ContainsFunc(s.PartialLists, func(l PartialList) bool { return l.Kind == k })
	switch n := s.Count(k); {
	case n != nil && partial:
		return span{strconv.Itoa(*n) + "+", yellow}
	case n != nil:
		return span{strconv.Itoa(*n), plain}
	case partial:
		return span{"?", yellow}
	case s.State == OK, s.State == Partial:
		return span{"-", dim}
	}
	return span{}
}

func tokenCount(n *int) string {
	if n == nil {
		return ""
	}
	return roughly(*n)
}

// roughly writes an estimate with two or three significant digits: ~40, ~2.7k, ~120k.
func roughly(n int) string {
	switch thousands := float64(n) / 1000; {
	case n < 10:
		return "~" + strconv.Itoa(n)
	case n < 995:
		return "~" + strconv.Itoa((n+5)/10*10)
	case thousands < 99.95:
		return fmt.Sprintf("~%.1fk", thousands)
	default:
		return fmt.Sprintf("~%.0fk", thousands)
	}
}

// transport is the word that configurations use, which is shorter than the specification's.
func transport(s Server) string {
	if s.Transport == "streamable-http" {
		return "http"
	}
	return s.Transport
}

// problem is the cause of the first failure, on one line: what a server that ended said of it, what is missing of a part.
func problem(s Server) string {
	if s.Error == nil {
		return ""
	}
	cause, said := firstLine(s.Error.Message), ""
	if _, found, ok := strings.Cut(cause, "server "+strconv.Quote(s.Name)+": "); ok {
		cause = found
	}
	if strings.HasPrefix(s.Error.Message, "the server ended") {
		said = lastWords(s.Error.Stderr)
	}
	switch {
	case said != "":
		return said + " (" + cause + ")"
	case s.State == Partial:
		return join(": ", s.Error.Stage, cause)
	}
	return cause
}

// Answer is how a server answered, on one line for who waits for others.
func Answer(s Server) string {
	says := problem(s)
	if n := s.Count(snapshot.Tools); says == "" && n != nil {
		says = quantity(*n, "tool")
	}
	return Visible(join("  ", s.Name, string(s.State), says, elapsed(s.ElapsedMs)))
}

// lastWords is the line of a server's stderr that says best why it ended: the first that names an error, as runtimes do below the
// source that threw it; else the first with a word for a reason; else the first.
func lastWords(stderr string) string {
	said, best := "", -1
	for _, line := range lines(stderr) {
		rank := count(reason().MatchString(line)) + 2*count(namedError().MatchString(line))
		if rank > best {
			said, best = strings.TrimSpace(line), rank
		}
	}
	return said
}

// reason is what lines have that say why a program ended, and namedError how those begin that name an error.
var (
	reason     = kit.Pattern(`(?i)error|required|must|missing|not (set|found|given)|cannot|no such|denied|invalid`)
	namedError = kit.Pattern(`^\s*(?:Uncaught )?(?:[\w.]*(?:Error|Exception)(?: \[\w+\])?|panic|(?i:fatal|error)): `)
)

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

func writeItemList(p *page, servers []Server) {
	g := grid{columns: []column{{title: "SERVER", name: true, least: 8}, {title: "KIND", drop: 2}, {title: "NAME", name: true, least: 12},
		{title: "ARGUMENTS", brief: true, least: 12, drop: 3}, {title: "DESCRIPTION", brief: true, least: 12, drop: 1}}}
	for _, s := range servers {
		name := strings.Repeat(s.Name, count(len(servers) > 1)) // of one server the column is left out
		for _, k := range snapshot.Kinds() {
			for _, raw := range *s.Items(k) {
				g.rows = append(g.rows, itemRow(name, k, raw))
			}
		}
	}
	switch {
	case len(g.rows) > 0:
		p.grid(0, g)
	case slices.ContainsFunc(servers, func(s Server) bool { return s.State == OK }): // of others it is not known
		p.line(0, span{"no items", plain})
	}
	writeFailures(p, servers)
}

func itemRow(server string, k snapshot.Kind, raw json.RawMessage) []span {
	return []span{
		{server, plain},
		{k.Word(), dim},
		{key(k, raw), bold},
		{signature.Of(k, raw), plain},
		{firstLine(about(raw)), plain},
	}
}

// about is what an item says of itself: its description, else its title, else its name.
func about(raw json.RawMessage) string {
	item := rawjson.ObjectOf(raw)
	annotations := rawjson.ObjectOf(item["annotations"])
	for _, text := range []string{(snapshot.Item{Raw: raw}).Description(), item.Text("title"), annotations.Text("title")} {
		if firstLine(text) != "" {
			return text
		}
	}
	if name := item.Text("name"); item["uri"] != nil || item["uriTemplate"] != nil {
		return name
	}
	return ""
}

// heading is a kind in the plural, as in the header of a table.
func heading(k snapshot.Kind) string { return strings.ToUpper(k.Word() + "s") }

// key is what identifies an item to people: its key, or its name where the key is missing.
func key(k snapshot.Kind, raw json.RawMessage) string {
	item := rawjson.ObjectOf(raw)
	if id := item.Text(k.KeyField()); id != "" {
		return id
	}
	if name := item.Text("name"); name != "" {
		return name
	}
	return "(no " + k.KeyField() + ")"
}

// listed tells whether items of any kind came with s.
func (s Server) listed() bool {
	return slices.ContainsFunc(snapshot.Kinds(), func(k snapshot.Kind) bool { return *s.Items(k) != nil })
}

func (s Server) failures() []Failure {
	if s.Error == nil {
		return s.MoreErrors
	}
	return append([]Failure{*s.Error}, s.MoreErrors...)
}

// writeShow writes everything about each server and each of its items.
func writeShow(p *page, r *Report) {
	for _, s := range r.Servers {
		p.gap()
		writeServer(p, s)
		for _, k := range snapshot.Kinds() {
			writeItems(p, s, k)
		}
	}
	writeFailures(p, r.Servers)
}

// writeServer writes what there is to say of a server as a whole.
func writeServer(p *page, s Server) {
	p.text(0, 2, span{s.Name, bold}, span{"  ", plain}, span{string(s.State), stateStyle(s.State)})
	info := rawjson.ObjectOf(s.ServerInfo)
	writeFact(p, "server", serverName(info))
	writeFact(p, "website", info.Text("websiteUrl"))
	writeFact(p, "protocol", s.ProtocolVersion)
	writeFact(p, "transport", s.Transport)
	writeFact(p, "source", strings.Replace(s.Source, "argv", "the command line", count(s.Source == "argv")))
	writeFact(p, "time", string(elapsed(s.ElapsedMs)))
	writeFact(p, "capabilities", capabilities(s.Capabilities))
	for _, n := range s.Notices {
		writeFact(p, "notice", strings.TrimPrefix(n.Stage+": ", ": ")+n.Message+" ("+n.Code+")")
	}
	if s.Noise != nil && *s.Noise > 0 {
		writeFact(p, "noise", string(quantity(*s.Noise, "piece"))+" on stdout outside the protocol")
		for _, text := range s.NoiseText {
			p.text(factWidth+4, 0, span{strings.TrimRight(text, "\r\n"), dim})
		}
	}
	if s.Instructions != "" {
		p.line(2, span{"instructions", dim})
		p.paragraph(4, s.Instructions, plain)
	}
}

const factWidth = 14

// writeFact writes one labelled line, or nothing when there is nothing to say.
func writeFact(p *page, label string, text string) {
	if text != "" {
		p.text(2, factWidth, span{fmt.Sprintf("%-*s", factWidth, label), dim}, span{text, plain})
	}
}

func serverName(info rawjson.Object) string {
	name := info.Text("name")
	if title := info.Text("title"); title != "" && title != name {
		name = title + " (" + name + ")"
	}
	return strings.TrimSpace(name + " " + info.Text("version"))
}

// capabilities are the declared capabilities, each with the flags that are on: "tools (listChanged)".
func capabilities(raw json.RawMessage) string {
	all := kit.Map(rawjson.Children(raw), func(m rawjson.Member) string {
		on := kit.Filter(rawjson.Children(m.Value), func(flag rawjson.Member) bool { return string(flag.Value) != "false" })
		if len(on) == 0 {
			return m.Key
		}
		return m.Key + " (" + strings.Join(kit.Map(on, func(flag rawjson.Member) string { return flag.Key }), ", ") + ")"
	})
	return strings.Join(all, ", ")
}

func writeItems(p *page, s Server, k snapshot.Kind) {
	items := *s.Items(k)
	if items == nil {
		return
	}
	p.gap()
	p.line(0, span{heading(k) + " (" + strconv.Itoa(len(items)) + ")", bold})
	for _, raw := range items {
		p.gap()
		writeItem(p, k, raw)
	}
}
