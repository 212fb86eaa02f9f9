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

// commentLimit is how many characters GitHub takes in a comment. Bytes are counted, of which there are never fewer.
const commentLimit = 65_536

// marker lets a script find the comment of an earlier run.
const marker = "<!-- mcpctl -->\n"

// writeMarkdown writes a comment for a pull request: a line that says it all, and the rest in parts to unfold.
func writeMarkdown(w io.Writer, r *Report, o Options) error {
	c := comment{limit: cmp.Or(o.Limit, commentLimit), head: printable.References.Without(marker + markdownHead(r))}
	c.failures(r.Servers)
	if r.Findings == nil {
		c.overview(r)
	}
	servers := r.roster()
	c.compared(servers, o)
	causes := varied(o.causes(r.Groups), servers)
	c.head += printable.References.Without(markdownStory(r, causes))
	levels := map[string]int{}
	for _, one := range causes {
		levels[levelWord(one.groups[0].Members[0])]++
	}
	for _, one := range causes {
		c.cause(r, servers, one, levels)
	}
	_, err := io.WriteString(w, c.write())
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

// markdownStory tells who breaks, and what happened, in a few lines.
func markdownStory(r *Report, causes []cause) string {
	if len(causes) < storyFrom {
		return ""
	}
	says := ""
	if broken := broken(r.Findings); len(broken) > 0 && r.Command != "check" {
		says = fmt.Sprintf("<p>Breaks whoever uses %s.</p>\n", code(shortened(someOf(broken, 8), 400)))
	}
	says += "<ul>\n"
	for i, c := range causes {
		if i == storyLines-2 && len(causes) > storyLines-1 {
			says += fmt.Sprintf("<li>… and %d causes more, all below</li>\n", len(causes)-i)
			break
		}
		says += fmt.Sprintf("<li>%s %s</li>\n", icon(rank(c.groups[0].Members[0])), prose(shortened(c.title(), 200)))
	}
	return says + "</ul>\n"
}

// compared adds what was compared with what, and which servers have nothing saved; of a fleet, how many they are.
func (c *comment) compared(servers roster, o Options) {
	unsaved := kit.Filter(servers.all, func(s Server) bool { return s.Unsaved })
	c.each(-1, unsaved, " have no saved snapshot; save them by mcpctl snapshot, with the same words.", func(s Server) string {
		return fmt.Sprintf("<p>%s has no saved snapshot; save one by %s.</p>\n", code(s.Name), code(saving(s)))
	})
	found := kit.Filter(servers.all, func(s Server) bool {
		return !s.Unsaved && s.Base != "" && len(o.wanted(servers.found[s.Name])) > 0
	})
	c.each(2, found, " have findings.", func(s Server) string {
		return fmt.Sprintf("<p>%s: %s → %s</p>\n", code(shortened(s.Name, 200)), code(shortened(s.Base, 200)), code(shortened(now(s), 200)))
	})
}

// each adds a line for each of some servers, or one for all of a fleet.
func (c *comment) each(rank int, some []Server, says string, line func(Server) string) {
	if len(some) > mostServers {
		c.add(chapter{}, block{rank: rank, what: "lines about servers", full: fmt.Sprintf("<p>%s%s</p>\n", namesOf(kit.Map(some, func(s Server) string { return s.Name })), prose(says))})
		return
	}
	for _, s := range some {
		c.add(chapter{}, block{rank: rank, what: "lines about servers", full: line(s)})
	}
}

// namesOf are the first of some servers' names, and how many there are besides.
func namesOf(names []string) markup {
	return code(shortened(someOf(names, mostPlaces), 200+200*count(len(names) > 1)))
}

// cause adds a cause to the part of its level; levels are how many causes each has.
func (c *comment) cause(r *Report, servers roster, one cause, levels map[string]int) {
	level, open := levelWord(one.groups[0].Members[0]), "<details>"
	if level == finding.Breaking.String() {
		open = "<details open>"
	}
	ch := chapter{open: fmt.Sprintf("%s\n<summary><b>%s</b>: %s</summary>\n", open, level, quantity(levels[level], "cause")), end: "</details>\n"}
	told := map[string]bool{}
	for i, g := range one.once(false) {
		head := groupHead(r, servers, one.groups[i])
		c.add(ch, block{rank: rank(g.Members[0]), what: levelWord(g.Members[0]), brief: head, full: head + string(preformatted(groupRows(g, g.Title, servers, told)))})
	}
}

func icon(rank int) string { return []string{"🔴", "🟡", "🔵", "⚪"}[rank] }

// groupHead is a group without what it rests on.
func groupHead(r *Report, servers roster, g finding.Group) string {
	first := g.Members[0]
	says := fmt.Sprintf("<p>%s <b>%s</b> %s", icon(rank(first)), levelWord(first), prose(shortened(titled(g, servers), 500)))
	for _, hint := range hintsOf(g) {
		says += "<br>\n→ " + string(prose(oneLine(hint)))
	}
	for _, waiver := range each(g, waiverOf) {
		says += "<br>\n" + string(prose(oneLine(waiver)))
	}
	says += "<br>\n<sub>"
	says += strings.Join(kit.Map(each(g, ruleOfFinding), func(rule string) string { return string(code(rule)) }), ", ")
	if first.Verdict == finding.Proved || first.Verdict == finding.Unproven {
		says += ", " + string(first.Verdict)
	}
	if r.Command == "diff" && !g.Waived && first.Acceptable() && !strings.HasPrefix(servers.named(first.Server).Base, "git:") { // a commit stays as it is
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

func (c *comment) failures(servers []Server) {
	for i, t := range troubles(servers) {
		head := fmt.Sprintf("<p>🔴 <b>%s</b> %s – %s: %s</p>\n", string(t.State), namesOf(t.Names), prose(t.Stage), prose(shortened(oneLine(t.says()), 1000)))
		p := &page{bare: true}
		p.hint(0, t.Hint)
		writeTolerated(p, t.Tolerated)
		writeStderr(p, t.Stderr)
		before := -1 + 2*count(i >= mostPlaces) // what breaks is told before the rest of them
		c.add(chapter{}, block{rank: before, what: "causes of failure", brief: head, full: head + string(preformatted(p.rows))})
	}
}

func (c *comment) overview(r *Report) {
	header, rows := overview(r)
	ch := chapter{open: "<table>\n<tr>", end: "</table>\n"}
	for _, title := range header {
		ch.open += "<th>" + string(title) + "</th>"
	}
	ch.open += "</tr>\n"
	for _, row := range rows {
		line := "<tr>"
		for _, cell := range row {
			line += "<td>" + string(prose(cell)) + "</td>"
		}
		c.add(ch, block{rank: 1, what: "rows", full: line + "</tr>\n"})
	}
}

// noteRoom are the bytes kept for the note about what was left out.
const noteRoom = 500

// comment is a text that must not grow beyond a limit: what matters most is kept, and a note says what was left out.
type comment struct {
	limit  int
	head   string
	blocks []block
}

// chapter is the two tags around blocks that follow each other. They are left out when none of the blocks stays.
type chapter struct{ open, end string }

type block struct {
	chapter
	part  int    // the number of its chapter
	rank  int    // lower stays first
	what  string // what is counted when it is left out
	full  string
	brief string // what stays where the whole does not fit; empty = nothing
}

// add puts a block at the end of the last chapter, which is a new one unless it opens in the same way.
func (c *comment) add(ch chapter, b block) {
	b.chapter = ch
	if last := len(c.blocks) - 1; last >= 0 {
		b.part = c.blocks[last].part + count(c.blocks[last].open != ch.open)
	}
	b.full, b.brief = printable.References.Without(b.full), printable.References.Without(b.brief) // here, since the limit is one of bytes
	c.blocks = append(c.blocks, b)
}

// write is the text with as much as the limit allows.
func (c *comment) write() string {
	kept, out := c.fit(c.limit - len(c.head) - noteRoom)
	var b strings.Builder
	b.WriteString(c.head)
	part, end := -1, ""
	for i, one := range c.blocks {
		if kept[i] != "" && one.part != part {
			b.WriteString(end + one.open)
			part, end = one.part, one.end
		}
		b.WriteString(kept[i])
	}
	b.WriteString(end + out.note(c.limit))
	return b.String()
}

// fit chooses what stays: blocks of low rank first, in their order, each whole, or in brief, or not at all.
func (c *comment) fit(room int) (kept []string, out leftOut) {
	kept = make([]string, len(c.blocks))
	opened := map[int]bool{}
	for rank := -1; rank <= 3; rank++ {
		for i, b := range c.blocks {
			if b.rank != rank {
				continue
			}
			frame := 0
			if !opened[b.part] {
				frame = len(b.open) + len(b.end)
			}
			kept[i] = b.within(room - frame)
			out.count(b, kept[i])
			if kept[i] != "" {
				opened[b.part], room = true, room-frame-len(kept[i])
			}
		}
	}
	return kept, out
}

// within is as much of a block as fits.
func (b block) within(room int) string {
	switch {
	case len(b.full) <= room:
		return b.full
	case len(b.brief) <= room:
		return b.brief
	}
	return ""
}

// leftOut is what did not fit.
type leftOut struct {
	words  []string // of each block
	values int      // blocks that stayed in brief
}

func (l *leftOut) count(b block, kept string) {
	switch kept {
	case b.full:
	case "":
		l.words = append(l.words, b.what)
	default:
		l.values++
	}
}

// note says what was left out; nothing when all is there.
func (l leftOut) note(limit int) string {
	values := ""
	if l.values > 0 {
		values = fmt.Sprintf("the values of %d of those above", l.values)
	}
	says := join(", ", tally(l.words), values)
	if says == "" {
		return ""
	}
	return fmt.Sprintf("<p>✂️ Left out, since this text has at most %d bytes: %s. The formats json and html have everything.</p>\n",
		limit, says)
}

// markup is escaped HTML; in Markdown none of its lines is blank, which would end the HTML. A constant becomes it without being
// converted, a text of a server does not.
type markup string

func code(s string) markup { return "<code>" + escaped(s) + "</code>" }

func shortened(s string, limit int) string { return string(clip(printable.Visible(s), limit)) }

func escaped(s string) markup { return markup(html.EscapeString(string(printable.Visible(s)))) }

// calm is a word that no reader of Markdown takes for anything but a word.
var calm = kit.Pattern(`^[("']*[\p{L}]+(['’-][\p{L}]+)*[)"']*[,.;:!?]?$|^[0-9]{1,4}[,.;:]?$`)

// hash is a word that may be taken for the name of a commit.
var hash = kit.Pattern(`^[0-9a-f]{7,}$`)

// prose is a sentence in which every word that could be more than a word, such as a path or a mention, stands as code.
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

// preformatted are lines as they stand, with what is gone and what is new marked.
func preformatted(rows [][]piece) markup {
	if len(rows) == 0 {
		return ""
	}
	var lines []string
	for _, row := range rows {
		line := string(rowMarkup(row))
		if strings.TrimSpace(line) == "" {
			line = "&#32;"
		}
		lines = append(lines, line)
	}
	return markup("<pre>" + strings.Join(lines, "\n") + "</pre>\n")
}

func rowMarkup(row []piece) markup {
	var b strings.Builder
	for _, s := range row {
		text := html.EscapeString(string(s.text))
		switch s.style {
		case red:
			text = "<del>" + text + "</del>"
		case green:
			text = "<ins>" + text + "</ins>"
		}
		b.WriteString(text)
	}
	return markup(b.String())
}
