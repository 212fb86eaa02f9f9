package report

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// commentLimit is how many characters GitHub takes in a comment; bytes are counted, which are never less.
const commentLimit = 65_536

// marker lets a script find the comment of an earlier run.
const marker = "<!-- mcpctl -->\n"

// writeMarkdown writes a comment for a pull request: a line that says it all, and the rest in parts to
// unfold. What does not fit is counted.
func writeMarkdown(w io.Writer, r *Report, o Options) error {
	v := view{Options: o, servers: r.roster(), check: r.Command == "check", bare: true}
	causes := o.causes(r.Groups)
	c := &comment{limit: cmp.Or(o.Limit, commentLimit)}
	c.add(chapter{}, marker+markdownHead(r))
	c.add(chapter{}, markdownSummary(r, causes))
	c.failures(r.Servers)
	for _, u := range unsaved(r.Servers) {
		c.add(chapter{}, fmt.Sprintf("<p>%s: %s.</p>\n", namesOf(u.names), prose(u.advice)))
	}
	switch {
	case r.Command == "show":
		c.document(r)
	case r.Findings == nil:
		c.overview(o.overview(r))
	}
	levels := map[string]int{}
	for _, one := range causes {
		levels[levelWord(one.first())]++
	}
	for _, one := range causes {
		c.cause(r, v, one, levels)
	}
	c.compared(v)
	_, err := io.WriteString(w, c.end())
	return err
}

func markdownHead(r *Report) string {
	icons := map[Verdict]string{Pass: "✅", Fail: "❌", Incomplete: "⚠️", Unsaved: "⚠️", Interrupted: "⚠️"}
	head := fmt.Sprintf("<h3>%s %s</h3>\n", cmp.Or(icons[r.Verdict], "❌"), prose(headline(r)))
	if says := Meaning(r); says != "" {
		head += fmt.Sprintf("<p>Exit status %d: %s.</p>\n", r.Status, prose(says))
	}
	for _, problem := range r.Problems {
		head += fmt.Sprintf("<p>%s</p>\n", prose(shortened(problem, 1000)))
	}
	return head
}

// markdownSummary returns in a few lines who is affected, and what happened.
func markdownSummary(r *Report, causes []cause) string {
	if len(causes) < summaryFrom {
		return ""
	}
	says := ""
	if affected := affected(r.Findings); len(affected) > 0 && r.Command != "check" {
		says = fmt.Sprintf("<p>Affects callers of %s.</p>\n", code(shortened(someOf(affected, 8), 400)))
	}
	says += "<ul>\n"
	for i, c := range causes {
		if i == summaryRows && len(causes) > summaryRows+1 {
			says += fmt.Sprintf("<li>… and %d more, below</li>\n", len(causes)-i)
			break
		}
		says += fmt.Sprintf("<li>%s %s</li>\n", icon(rank(c.first())), prose(shortened(c.title(), 200)))
	}
	return says + "</ul>\n"
}

// failures adds the most frequent causes for which servers could not be asked.
func (c *comment) failures(servers []Server) {
	all := troubles(servers)
	for i, t := range all {
		if i == mostNames {
			c.add(chapter{}, fmt.Sprintf("<p>… and %s for which servers failed.</p>\n",
				quantity(len(all)-i, "more cause")))
			return
		}
		says := prose(shortened(oneLine(t.says(t.Message)), 1000))
		head := fmt.Sprintf("<p>🔴 <b>%s</b> %s – %s</p>\n", t.State, namesOf(t.Names), says)
		p := &page{}
		p.hint(0, t.Hint)
		writeTolerated(p, t.Tolerated)
		writeStderr(p, t.Stderr)
		rest := kit.Map(lines(p.String()), func(l string) line { return line{spans: []span{{l, plain}}} })
		c.add(chapter{}, head+string(preformatted(rest)), head)
	}
}

// compared adds what was compared with what.
func (c *comment) compared(v view) {
	changed, _ := v.servers.parted(v.Options)
	if len(changed) > mostServers {
		return
	}
	for _, s := range changed {
		if s.Base != "" {
			c.add(chapter{}, fmt.Sprintf("<p>%s: %s → %s</p>\n",
				code(shortened(s.Name, 200)), code(shortened(s.Base, 200)), code(shortened(now(s), 200))))
		}
	}
}

// namesOf returns the first of some servers' names, and how many there are besides.
func namesOf(names []string) markup {
	return code(shortened(someOf(names, mostNames), 200+200*count(len(names) > 1)))
}

// cause adds a cause to the part of its level; levels are how many causes each has.
func (c *comment) cause(r *Report, v view, one cause, levels map[string]int) {
	level, open := levelWord(one.first()), "<details>"
	if level == finding.Breaking.String() {
		open = "<details open>"
	}
	ch := chapter{fmt.Sprintf("%s\n<summary><b>%s</b>: %s</summary>\n", open, level,
		quantity(levels[level], "cause")), "</details>\n"}
	for i, g := range one.once(false) {
		head := groupHead(r, v.servers, one.groups[i])
		c.add(ch, head+string(preformatted(v.shown(g))), head)
	}
}

func icon(rank int) string { return []string{"🔴", "🟡", "🔵", "⚪"}[rank] }

// groupHead returns a group without its evidence.
func groupHead(r *Report, servers roster, g finding.Group) string {
	first := g.Members[0]
	says := fmt.Sprintf("<p>%s <b>%s</b> %s", icon(rank(first)), levelWord(first),
		prose(shortened(titled(g, servers), 500)))
	for _, hint := range hintsOf(g) {
		says += "<br>\n→ " + string(prose(oneLine(hint)))
	}
	for _, waiver := range each(g, waiverOf) {
		says += "<br>\n" + string(prose(oneLine(waiver)))
	}
	says += "<br>\n<sub>"
	says += strings.Join(kit.Map(each(g, ruleOf),
		func(rule string) string { return string(code(rule)) }), ", ")
	says += verdictOf(g)
	isCommit := strings.HasPrefix(servers.named(first.Server).Base, "git:") // which stays as it is
	if r.Command == "diff" && !g.Waived && first.Acceptable() && !isCommit {
		return says + ", accept by " + string(code("mcpctl accept "+g.Fingerprint)) + "</sub></p>\n"
	}
	return says + ", " + string(code(g.Fingerprint)) + "</sub></p>\n"
}

func levelWord(f finding.Finding) string {
	if f.Waiver != nil {
		return "waived"
	}
	return f.Level.String()
}

// overview adds a table.
func (c *comment) overview(header []string, rows [][]string) {
	ch := chapter{open: "<table>\n<tr>", end: "</table>\n"}
	for _, title := range header {
		ch.open += "<th>" + title + "</th>"
	}
	ch.open += "</tr>\n"
	for _, row := range rows {
		cells := kit.Map(row, func(cell string) string { return "<td>" + string(prose(cell)) + "</td>" })
		c.add(ch, "<tr>"+strings.Join(cells, "")+"</tr>\n")
	}
}

// noteRoom are the bytes kept for the note about what is left out.
const noteRoom = 200

// comment is a text that must not grow beyond a limit.
type comment struct {
	limit int
	chapter
	text  strings.Builder
	left  int // blocks that are left out
	short int // blocks without their values
}

// chapter is the two tags around blocks that follow each other.
type chapter struct{ open, end string }

// add appends the first of some forms of a block that fits, in its chapter.
func (c *comment) add(ch chapter, forms ...string) {
	for i, text := range forms {
		if ch != c.chapter {
			text = c.chapter.end + ch.open + text
		}
		if text = printable.References.Without(text); c.text.Len()+len(text)+len(ch.end)+noteRoom <= c.limit {
			c.text.WriteString(text)
			c.chapter, c.short = ch, c.short+min(i, 1)
			return
		}
	}
	c.left++
}

// end returns the text with a note about what is left out.
func (c *comment) end() string {
	c.text.WriteString(c.chapter.end)
	if c.left+c.short > 0 {
		fmt.Fprintf(&c.text, "<p>… and %d more, and the values of %d of these: see the report as json or "+
			"html.</p>\n", c.left, c.short)
	}
	return c.text.String()
}

// markup is escaped HTML; in Markdown none of its lines is blank, which would end the HTML. A constant
// becomes it without being converted, a text of a server does not.
type markup string

func code(s string) markup { return "<code>" + escaped(s) + "</code>" }

func shortened(s string, limit int) string { return string(clip(printable.Visible(s), limit)) }

func escaped(s string) markup { return markup(html.EscapeString(string(printable.Visible(s)))) }

// calm is a word that no reader of Markdown takes for anything but a word.
var calm = kit.Pattern(`^[("']*[\p{L}]+(['’-][\p{L}]+)*[)"']*[,.;:!?]?$|^[0-9]{1,4}[,.;:]?$`)

// hash is a word that may be taken for the name of a commit.
var hash = kit.Pattern(`^[0-9a-f]{7,}$`)

// prose returns a sentence in which every word that could be more than a word, such as a path or a
// mention, stands as code.
func prose(s string) markup {
	parts := strings.Split(string(printable.Visible(s)), "`")
	if len(parts)%2 == 0 { // not in pairs
		return sentence(s)
	}
	var b strings.Builder
	for i, part := range parts {
		if i%2 == 1 {
			b.WriteString(string(code(part)))
			continue
		}
		b.WriteString(part[:len(part)-len(strings.TrimLeft(part, " "))])
		b.WriteString(string(sentence(part)))
		if trimmed := strings.TrimRight(part, " "); trimmed != "" {
			b.WriteString(part[len(trimmed):])
		}
	}
	return markup(b.String())
}

func sentence(s string) markup {
	var words []string
	for word := range strings.FieldsSeq(string(printable.Visible(s))) {
		if calm().MatchString(word) && !hash().MatchString(word) {
			words = append(words, html.EscapeString(word))
			continue
		}
		name := strings.TrimRight(word, ",.;:!?")
		if name == "" {
			name = word
		}
		words = append(words, string(code(name))+word[len(name):])
	}
	return markup(strings.ReplaceAll(strings.Join(words, " "), "</code> <code>", " "))
}

// preformatted returns lines as they stand, with what is gone and what is new marked.
func preformatted(all []line) markup {
	if len(all) == 0 {
		return ""
	}
	rows := kit.Map(all, func(l line) string {
		if row := string(l.markup()); strings.TrimSpace(row) != "" {
			return row
		}
		return "&#32;" // a blank line would end the HTML
	})
	return markup("<pre>" + strings.Join(rows, "\n") + "</pre>\n")
}

// markup returns a line as HTML, with what is gone and what is new marked.
func (l line) markup() markup {
	var b strings.Builder
	b.WriteString(strings.Repeat(" ", l.indent))
	for _, s := range pieces(l.spans) {
		text := html.EscapeString(string(s.text))
		switch s.style {
		case red:
			text = "<del>" + text + "</del>"
		case green:
			text = "<ins>" + text + "</ins>"
		}
		b.WriteString(text)
	}
	return markup(strings.TrimRight(b.String(), " "))
}
