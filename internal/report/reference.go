package report

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// page returns a page about servers, or about some of their items.
func (b *Show) page(r *reported, o Options) string {
	var m markdown
	d := documentOf(r, r.view(o), nil)
	if r.Status != 0 {
		m.heading(1, statusIcon(d.Verdict)+" "+prose(d.Headline))
		m.state(d)
		m.failures(d.Servers)
	}
	for _, s := range r.Servers {
		if !s.listed() && s.ServerInfo == nil {
			continue
		}
		if !b.Chosen {
			m.server(s)
		}
		for _, k := range snapshot.Kinds() {
			if items := *s.Items(k); len(items) > 0 {
				m.items(k, items, count(!b.Chosen), false)
			}
		}
	}
	return m.String()
}

// server writes what there is to say of a server as a whole.
func (m *markdown) server(s server) {
	info := snapshot.Item{Raw: s.ServerInfo}
	m.heading(1, prose(text(kit.Join(" ", s.shownName(), info.Text("version")))))
	m.bold(info.Text("title"))
	m.prosaic(info.Text("description"))
	facts := serverFacts(s)
	if name := info.Text("name"); name != s.shownName() && name != "" {
		facts = append([]fact{{"name", name}}, facts...)
	}
	facts = append([]fact{{"offers", s.Counts.Items()}, {"cost", tokensOf(s.Tokens, " tokens")},
		{"protocol", s.ProtocolVersion}}, facts...)
	m.facts(facts)
	if s.Instructions != "" {
		m.heading(2, "Instructions")
		m.prosaic(s.Instructions)
	}
}

func (m *markdown) facts(all []fact) {
	all = kit.Filter(all, fact.said)
	m.list(kit.Map(all, func(f fact) string { return quiet(text(f.label)) + ": " + quiet(text(f.says)) }))
}

// quiet returns words as they are, and what has anything else in it as code.
func quiet(s text) string {
	if words := prose(s); !strings.ContainsAny(words, "`&") {
		return words
	}
	return code(s)
}

// items writes the items of a kind below headings of a level. A lasting page has only what their author
// documents.
func (m *markdown) items(k snapshot.Kind, items seen.Items, level int, lasting bool) {
	if level > 0 {
		m.heading(level+1, kindTitle(k))
	}
	for _, raw := range items {
		m.item(k, raw, level+2, lasting)
	}
}

// bold writes a title, unless nothing of it is left without its marks.
func (m *markdown) bold(title string) {
	if words := prose(text(title)); strings.TrimSpace(words) != "" {
		m.block("**" + words + "**")
	}
}

// kindTitle returns a kind in the plural, as a heading.
func kindTitle(k snapshot.Kind) string { return strings.ToUpper(k.Word()[:1]) + k.Word()[1:] + "s" }

// item writes an item: its signature, its texts, and tables of its arguments and results.
func (m *markdown) item(k snapshot.Kind, raw json.RawMessage, level int, lasting bool) {
	name := key(k, raw)
	m.heading(level, code(text(name)))
	if call := takes(k, raw); call != "" {
		m.block(code(text(name + call)))
	}
	if title := (snapshot.Item{Raw: raw}).Title(); title != name {
		m.bold(title)
	}
	m.prosaic((snapshot.Item{Raw: raw}).Description())
	m.parameters("Argument", argumentRows(k, raw))
	m.parameters("Result", schemaRows(resultsOf(raw), rawjson.ObjectOf(raw)["outputSchema"]))
	if lasting {
		m.facts(lastingFacts(k, raw))
	} else {
		m.facts(itemFacts(k, raw))
	}
}

// parameters writes a table of arguments or results.
func (m *markdown) parameters(title string, all []parameter) {
	header := []string{title, "Type", "Required", "Default", "Description"}
	m.table(header, kit.Map(all, func(p parameter) []string {
		row := parameterRow(p)
		cells := kit.Map(row[:4], func(cell span) string { return code(text(cell.text)) })
		cells[2] = row[2].text
		return append(cells, prose(text(row[4].text)))
	}))
}

// lastingFacts returns what documentation says of an item besides its signature, texts and arguments: what
// its annotations claim, its MIME type and its variables, and nothing that differs from call to call.
func lastingFacts(k snapshot.Kind, raw json.RawMessage) []fact {
	item := rawjson.ObjectOf(raw)
	var all []fact
	if k == snapshot.Tools {
		all = append(all, fact{"annotations", saidHints(raw)})
	}
	for _, f := range itemFacts(k, raw) {
		if slices.Contains([]string{"MIME type", "variables", "audience", "priority"}, f.label) {
			all = append(all, f)
		}
	}
	if name := item.Text("name"); k.KeyField() != "name" && name != (snapshot.Item{Raw: raw}).Title() {
		all = append(all, fact{"name", name})
	}
	return all
}

// prosaic writes a text of several lines: paragraphs and lists, or as it stands where its author laid it out.
func (m *markdown) prosaic(s string) {
	all := kit.Lines(s)
	laidOut := func(line string) bool {
		return strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "```")
	}
	if slices.ContainsFunc(all, laidOut) && !strings.Contains(s, "<!--") && !strings.Contains(s, "-->") {
		m.block(fence("text", string(multiline(strings.Join(all, "\n")).String())))
		return
	}
	var rows []string
	flush := func() {
		m.block(strings.Join(rows, "\n"))
		rows = nil
	}
	for _, l := range all {
		if title := titleLine().FindStringSubmatch(l); title != nil {
			flush()
			m.bold(title[1])
			continue
		}
		point := listItem().FindStringSubmatch(l)
		previous := len(rows) > 0 && listItem().MatchString(rows[len(rows)-1])
		switch {
		case strings.TrimSpace(l) == "":
			flush()
			continue
		case len(rows) > 0 && (point != nil) != previous:
			flush()
		}
		if point != nil {
			rows = append(rows, strings.Replace(point[1], "*", "-", 1)+" "+prose(text(l[len(point[0]):])))
		} else {
			if len(rows) > 0 {
				rows[len(rows)-1] += "  " // a line break
			}
			rows = append(rows, prose(text(l)))
		}
	}
	flush()
}

var (
	// listItem matches the beginning of an item of a list.
	listItem = kit.Pattern(`^([-*]|[0-9]{1,3}\.)\s+`)
	// titleLine matches a heading, which becomes a line: the headings of a page are ours.
	titleLine = kit.Pattern(`^#{1,6}\s+(\S.*?)[\s#]*$`)
)
