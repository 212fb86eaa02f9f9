package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

const (
	// commentLimit is how many characters GitHub takes in a comment; bytes are counted, which are never less.
	commentLimit = 65_536
	// commentParts is how many groups or rows of a table a comment has at most.
	commentParts = 500
	// longProse is how many columns of one text a comment has.
	longProse = 1000
	// marker lets a script find the comment of an earlier run.
	marker = "<!-- mcpctl -->\n"
	// mostCauses is how many causes for which servers failed a comment names.
	mostCauses = 8
)

// writeMarkdown writes a comment for a pull request, in which what does not fit is counted; for show, a page
// about servers. HTML is only what Markdown lacks: the mark of the comment and the folds of diff and check.
func writeMarkdown(w io.Writer, r *reported, o Options) error {
	whole := func(page string) error {
		_, err := io.WriteString(w, printable.SpelledOut.Without(page))
		return err
	}
	switch b := r.Body.(type) {
	case *Show:
		return whole(b.page(r, o))
	case *Rules:
		if len(b.Rules) == 1 {
			return whole(rulePage(b.Rules[0]))
		}
	}
	v := r.view(o)
	v.short = true
	groups, limit := o.groups(r.Groups), cmp.Or(o.Limit, commentLimit)
	all := comment{document: documentOf(r, v, groups[:min(len(groups), commentParts)]),
		folds: v.check || v.takes, levels: map[string]int{}}
	for i, g := range all.Groups {
		if len(fenced(g.Lines)) > limit/2 {
			all.Groups[i].Lines = lineOf(
				span{"too long for a comment: see the report as json or html", plain})
		}
	}
	for _, g := range groups {
		all.levels[levelWord(g.Members[0])]++
	}
	render := func(parts int) string {
		c := all
		c.Rows = all.Rows[:min(parts, len(all.Rows))]
		c.Summary = all.Summary[:min(max(parts, mostRows), len(all.Summary))]
		c.More += len(all.Summary) - len(c.Summary)
		c.Groups = all.Groups[:min(parts, len(all.Groups))]
		c.left = max(len(groups)-parts, len(all.Rows)-parts, 0)
		return printable.SpelledOut.Without(c.String())
	}
	fits := sort.Search(commentParts, func(left int) bool { return len(render(commentParts-left)) <= limit })
	_, err := io.WriteString(w, render(commentParts-fits))
	return err
}

// rulePage returns a page about a rule.
func rulePage(rule finding.Rule) string {
	var m markdown
	m.heading(3, code(text(rule.ID)))
	m.block("**" + rule.Level.String() + "** " + prose(text(rule.Title)))
	m.prosaic(rule.Doc)
	m.facts([]fact{{"example", rule.Example}, {"fix", rule.Instead}})
	return m.String()
}

// comment is a document as a comment has it.
type comment struct {
	document
	folds  bool           // it has the mark and folds
	levels map[string]int // number of groups by level
	left   int            // groups or rows that are left out
}

// String returns the comment: what is most important first.
func (c comment) String() string {
	var m markdown
	if c.folds {
		m.WriteString(marker)
	}
	m.heading(3, statusIcon(c.Verdict)+" "+brief(c.Headline))
	m.state(c.document)
	if c.Affected != "" {
		m.block("Affects callers of " + code(clipped(c.Affected)) + ".")
	}
	rows := kit.Map(c.Summary,
		func(row summaryRow) string { return icons[row.Level] + " " + brief(row.Text) })
	if c.More > 0 {
		rows = append(rows, fmt.Sprintf("… and %d more, below", c.More))
	}
	m.list(rows)
	m.failures(c.Servers)
	m.table(c.Header, kit.Map(c.Rows, func(row []text) (cells []string) {
		for i, cell := range row {
			if slices.Contains([]string{"Item", "Arguments"}, c.Header[i]) && cell != "" {
				cells = append(cells, code(clipped(cell)))
			} else {
				cells = append(cells, brief(cell))
			}
		}
		return cells
	}))
	for _, chapter := range kit.Group(c.Groups, func(g documentGroup) string { return g.Level }) {
		level := chapter[0].Level
		m.fold(c.folds, level == "breaking", level+": "+kit.Counted(c.levels[level], "cause"), func() {
			for _, g := range chapter {
				m.group(g)
			}
		})
	}
	if len(c.Compared) <= mostCompared {
		for _, s := range c.Compared {
			m.block(code(clipped(s[0])) + ": " + code(clipped(s[1])) + " → " + code(clipped(s[2])))
		}
	}
	if c.left > 0 {
		m.block(fmt.Sprintf("… and %d more: see the report as json or html.", c.left))
	}
	return m.String()
}

// mostCompared is how many compared servers a comment names at most.
const mostCompared = 20

func statusIcon(v exit.Verdict) string {
	return cmp.Or(map[exit.Verdict]string{exit.Pass: "✅", exit.Unfinished: "⚠️", exit.Unsaved: "⚠️",
		exit.Stopped: "⚠️"}[v], "❌")
}

// brief returns a sentence of a comment, whose texts are bounded.
func brief(s text) string { return prose(clipped(s)) }

// markdown collects blocks of Markdown, a blank line between them.
type markdown struct{ strings.Builder }

// block writes a block that is Markdown already; of nothing it writes nothing.
func (m *markdown) block(text string) {
	if text == "" {
		return
	}
	if m.Len() > 0 && m.String() != marker {
		m.WriteByte('\n')
	}
	m.WriteString(text + "\n")
}

func (m *markdown) heading(level int, text string) { m.block(strings.Repeat("#", level) + " " + text) }

func (m *markdown) list(items []string) {
	m.block(strings.Join(kit.Map(items, func(item string) string { return "- " + item }), "\n"))
}

// table writes a table without the columns that are empty.
func (m *markdown) table(header []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	line := func(cells []string) string {
		var kept []string
		for i, cell := range cells {
			used := slices.ContainsFunc(rows, func(row []string) bool { return row[i] != "" })
			if used {
				kept = append(kept, strings.ReplaceAll(cell, "|", `\|`))
			}
		}
		return "| " + strings.Join(kept, " | ") + " |"
	}
	all := []string{line(header), line(slices.Repeat([]string{"---"}, len(header)))}
	m.block(strings.Join(append(all, kit.Map(rows, line)...), "\n"))
}

// fold writes blocks that GitHub folds, or below a line that names them.
func (m *markdown) fold(folds, open bool, title string, blocks func()) {
	if !folds {
		m.block("**" + title + "**")
		blocks()
		return
	}
	m.block("<details" + strings.Repeat(" open", count(open)) + ">\n<summary>" + title + "</summary>")
	blocks()
	m.block("</details>")
}

// state writes why a run did not end well.
func (m *markdown) state(d document) {
	if d.Meaning != "" {
		m.block(fmt.Sprintf("Exit status %d: %s.", d.Status, brief(d.Meaning)))
	}
	for _, problem := range d.Problems {
		m.block(brief(problem))
	}
}

// failures writes why servers did not answer, and which have no saved snapshot.
func (m *markdown) failures(servers []documentServer) {
	for _, s := range servers[:min(len(servers), mostCauses)] {
		if s.State == "" {
			m.block(code(clipped(s.Names)) + ": " + brief(s.Unsaved) + ".")
			continue
		}
		m.block("🔴 **" + s.State + "** " + code(clipped(s.Names)) + " – " + brief(s.Says))
		for _, says := range []multiline{s.Text, s.Stderr} {
			if says != "" {
				m.block(fence("text", says.String()))
			}
		}
	}
	if more := len(servers) - mostCauses; more > 0 {
		m.block(fmt.Sprintf("… and %d more causes for which servers failed.", more))
	}
}

// group writes the findings with one cause.
func (m *markdown) group(g documentGroup) {
	rows := []string{icons[g.Level] + " **" + g.Level + "** " + brief(g.Title)}
	for _, hint := range g.Hints {
		rows = append(rows, "→ "+brief(hint))
	}
	rows = append(rows, kit.Map(g.Waivers, brief)...)
	rules := strings.Join(kit.Map(g.Rules, func(rule text) string { return code(clipped(rule)) }), ", ")
	name := " " + code(text(g.Fingerprint))
	if g.Accept != "" {
		name = " accept by " + code(clipped(g.Accept))
	}
	rows = append(rows, kit.Join(", ", rules, g.Verdict.String())+","+name)
	m.block(strings.Join(rows, "  \n"))
	m.block(fenced(g.Lines))
}

var icons = map[string]string{"breaking": "🔴", "warning": "🟡", "info": "🔵", "waived": "⚪"}

func levelWord(f finding.Finding) string {
	if f.Waiver != nil {
		return "waived"
	}
	return f.Level.String()
}

// clipped returns a text of at most longProse columns, in which what cannot be seen is spelled out.
func clipped(s text) text { return text(displaywidth.TruncateString(s.String(), longProse, "…")) }

// commentMarks are what begins and ends a comment in HTML and in Markdown, and how they are shown.
var commentMarks = strings.NewReplacer("<!--", "\x00&lt;!--\x00", "-->", "\x00--&gt;\x00")

// code returns a line of text as code, with as many backticks around it as it needs. What would begin or end
// a comment is not code: marks in a file are found by their text.
func code(s text) string {
	var b strings.Builder
	for i, part := range strings.Split(commentMarks.Replace(s.String()), "\x00") {
		inner := strings.TrimSpace(part)
		if i%2 == 1 || inner == "" {
			b.WriteString(part)
		} else {
			before, after, _ := strings.Cut(part, inner)
			b.WriteString(before + codeSpan(inner) + after)
		}
	}
	return b.String()
}

func codeSpan(s string) string {
	ticks := strings.Repeat("`", longestRun(s)+1)
	if s[0] == '`' || s[len(s)-1] == '`' {
		s = " " + s + " "
	}
	return ticks + s + ticks
}

// longestRun returns the length of the longest run of backticks.
func longestRun(s string) (longest int) {
	for _, run := range backticks().FindAllString(s, -1) {
		longest = max(longest, len(run))
	}
	return longest
}

// fenced returns lines as a block of code whose lines GitHub colours by their signs; of no lines nothing.
func fenced(all []line) string {
	var rows []string
	for _, l := range all {
		parts := pieces(l.spans)
		texts := kit.Map(parts, func(p piece) string { return string(p.text) })
		if len(parts) == 3 && parts[0].style == red && parts[2].style == green {
			rows = append(rows, signed("- ", texts[0]), signed("+ ", texts[2])) // what was, and what is
			continue
		}
		row := strings.Repeat(" ", l.indent) + strings.Join(texts, "")
		if strings.HasPrefix(row, gone) {
			row = signed("- ", row)
		}
		rows = append(rows, strings.TrimRight(row, " "))
	}
	if len(rows) == 0 {
		return ""
	}
	return fence("diff", strings.Join(rows, "\n"))
}

// gone is the sign of what is gone, as people read it.
const gone = "− "

// signed returns a line with one sign.
func signed(sign, line string) string {
	return sign + strings.TrimPrefix(strings.TrimPrefix(line, gone), "+ ")
}

// fence returns a text as a block of code, with as many backticks around it as it needs.
func fence(language, text string) string {
	ticks := strings.Repeat("`", max(3, longestRun(text)+1))
	return ticks + language + "\n" + text + "\n" + ticks
}

var (
	// calm is a word that no reader of Markdown takes for anything but a word, and hash one that may be taken
	// for the name of a commit.
	calm = kit.Pattern(`^[("']*[\p{L}\p{M}\p{So}]+(['’-][\p{L}\p{M}]+)*[)"',.;:!?…]*$|` +
		`^[0-9]{1,4}([.,:-][0-9]{1,4})*%?[,.;:)]*$`)
	hash = kit.Pattern(`^[0-9a-f]{7,}$`)
	// sign is a word of the middle of a sentence, but not of the beginning of a line.
	sign = kit.Pattern(`^([-–—→…&+=/(]|i\.e\.|e\.g\.|and/or)[,:]?$|^[,.;:!?)"']+$`)
	// closing is the punctuation at the end of a word.
	closing   = kit.Pattern(`[)"',.;:!?]*$`)
	backticks = kit.Pattern("`+")
	// ordinal begins a list when a line begins with it.
	ordinal = kit.Pattern(`^([0-9]+)([.)])( |$)`)
)

// prose returns a sentence in which every word that Markdown or GitHub may take for something else, such as a
// path, @name, #12 or a commit, is code. Adjacent code is joined.
func prose(s text) string {
	var fragments []fragment
	add := func(code bool, word string) {
		last := len(fragments) - 1
		switch {
		case word == "":
		case code && last >= 0 && fragments[last].code:
			fragments[last].text += word
		case code && last >= 1 && fragments[last].text == " " && fragments[last-1].code:
			fragments[last-1].text += " " + word
			fragments = fragments[:last]
		default:
			fragments = append(fragments, fragment{word, code})
		}
	}
	for i, part := range strings.Split(oneLine(s.String()), "`") {
		if i%2 == 1 {
			add(true, part)
			continue
		}
		for part != "" {
			blank := len(part) - len(strings.TrimLeft(part, " "))
			add(false, part[:blank])
			whole := firstWord(part[blank:])
			part = part[blank+len(whole):]
			quiet := calm().MatchString(whole) && !hash().MatchString(whole) ||
				len(fragments) > 0 && sign().MatchString(whole)
			before, word, after := unwrapped(whole)
			add(false, before)
			add(!quiet, word)
			add(false, after)
		}
	}
	line := strings.Join(kit.Map(fragments, func(t fragment) string {
		if t.code {
			return code(text(t.text))
		}
		return t.text
	}), "")
	return ordinal().ReplaceAllString(strings.TrimSpace(line), `$1\$2$3`)
}

// firstWord returns the beginning of a text up to a blank that is in no brackets, as in f(a, b).
func firstWord(s string) string {
	var open []rune
	for i, r := range s {
		switch at := strings.IndexRune("([{", r); {
		case at >= 0 && (i > 0 || r != '('): // a remark in parentheses is several words
			open = append(open, rune(")]}"[at]))
		case len(open) > 0 && r == open[len(open)-1]:
			open = open[:len(open)-1]
		case r == ' ' && len(open) == 0:
			return s[:i]
		}
	}
	if len(open) == 0 {
		return s
	}
	word, _, _ := strings.Cut(s, " ") // they are never closed
	return word
}

// unwrapped returns a word without the parentheses and punctuation around it, and these, and without a quote
// that begins or ends several words. What the word closes itself stays, as in f(a).
func unwrapped(whole string) (before, word, after string) {
	word = strings.TrimLeft(whole, `("'`)
	end := closing().FindStringIndex(word)[0]
	word, after = word[:end], word[end:]
	for missing := strings.Count(word, "(") - strings.Count(word, ")"); missing > 0; missing-- {
		closed, rest, found := strings.Cut(after, ")")
		if !found {
			break
		}
		word, after = word+closed+")", rest
	}
	if word == "" {
		return "", whole, ""
	}
	before = whole[:len(whole)-len(word)-len(after)]
	for strings.Count(word, "(") < strings.Count(word, ")") && strings.HasSuffix(before, "(") {
		before, word = strings.TrimSuffix(before, "("), "("+word
	}
	for _, quote := range []string{`"`, "'"} {
		if strings.HasSuffix(before, quote) && strings.HasPrefix(after, quote) {
			return strings.TrimSuffix(before, quote), quote + word + quote, strings.TrimPrefix(after, quote)
		}
	}
	return before, word, after
}

// fragment is a part of a sentence: code, or words that are written as they are.
type fragment struct {
	text string
	code bool
}
