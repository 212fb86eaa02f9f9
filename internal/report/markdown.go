package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"html"
	"html/template"
	"io"
	"math"
	"sort"
	"strings"
	"sync"

	"github.com/clipperhouse/displaywidth"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

var (
	//go:embed page/comment.html
	commentSource   string
	commentTemplate = sync.OnceValue(func() *template.Template {
		return template.Must(template.New("comment").Funcs(template.FuncMap{
			"code": code, "prose": prose, "markup": markup, "icon": icon,
			"preformatted": preformatted, "counted": kit.Counted,
		}).Parse(commentSource))
	})
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
)

// comment is what the template of a comment shows.
type comment struct {
	document
	Icon      string
	Levels    map[string]int    // number of groups by level
	Chapters  [][]documentGroup // by level
	Left      int               // groups or rows that are left out
	Reference template.HTML     // of show
}

// writeMarkdown writes a comment for a pull request, in which what does not fit is counted; for show, a page
// about servers.
func writeMarkdown(w io.Writer, r *Report, o Options) error {
	v := view{Options: o, servers: r.roster(), check: r.Command == "check", bare: true}
	groups, limit := o.groups(r.Groups), cmp.Or(o.Limit, commentLimit)
	all := comment{document: documentOf(r, v, groups[:min(len(groups), commentParts)]),
		Levels: map[string]int{}, Icon: cmp.Or(map[Verdict]string{
			Pass: "✅", Incomplete: "⚠️", Unsaved: "⚠️", Interrupted: "⚠️"}[r.Verdict], "❌")}
	if r.Command == "show" {
		all.Rows, all.Reference, limit = nil, reference(r), math.MaxInt
	}
	for i, g := range all.Groups {
		if len(markup(g.Lines)) > limit/2 {
			all.Groups[i].Lines = lineOf(
				span{"too long for a comment: see the report as json or html", plain})
		}
	}
	for _, g := range groups {
		all.Levels[levelWord(g.Members[0])]++
	}
	render := func(parts int) (string, error) {
		c, out := all, strings.Builder{}
		c.Rows = all.Rows[:min(parts, len(all.Rows))]
		c.Summary = all.Summary[:min(max(parts, mostRows), len(all.Summary))]
		c.More += len(all.Summary) - len(c.Summary)
		c.Left = max(len(groups)-parts, len(all.Rows)-parts, 0)
		c.Chapters = kit.Group(all.Groups[:min(parts, len(all.Groups))],
			func(g documentGroup) string { return g.Level })
		err := commentTemplate().Execute(&out, c)
		return printable.References.Without(marker + out.String()), err
	}
	fits := sort.Search(commentParts, func(left int) bool {
		text, _ := render(commentParts - left)
		return len(text) <= limit
	})
	text, err := render(commentParts - fits)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, text)
	return err
}

// reference returns a page about servers that their authors can publish: an index of the items, and a section
// for each of them.
func reference(r *Report) template.HTML {
	var b strings.Builder
	for _, s := range r.Servers {
		info := rawjson.ObjectOf(s.ServerInfo)
		title := join(" ", s.Name, info.Text("name"), info.Text("version"))
		fmt.Fprintf(&b, "<h3>%s</h3>\n%s", prose(text(title)), paragraphs(s.Instructions))
		for _, k := range snapshot.Kinds() {
			if len(*s.Items(k)) == 0 {
				continue
			}
			fmt.Fprintf(&b, "<p><b>%s</b></p>\n<ul>\n", strings.ToLower(heading(k)))
			for _, raw := range *s.Items(k) {
				fmt.Fprintf(&b, "<li>%s %s</li>\n", code(text(key(k, raw))),
					prose(text(firstLine(about(raw)))))
			}
			b.WriteString("</ul>\n")
		}
		for _, k := range snapshot.Kinds() {
			for _, raw := range *s.Items(k) {
				fmt.Fprintf(&b, "<h3>%s</h3>\n%s%s%s", code(text(key(k, raw)+takes(k, raw))),
					paragraphs(about(raw)), paragraphs(strings.Trim(hintsInBrackets(k, raw), "[]")),
					parameterTable("Argument", argumentsOf(k, raw)))
				if k == snapshot.Tools {
					output := rawjson.ObjectOf(rawjson.ObjectOf(raw)["outputSchema"])
					b.WriteString(parameterTable("Result", propertiesOf(output)))
				}
			}
		}
	}
	return template.HTML(b.String())
}

// paragraphs returns the lines of a text.
func paragraphs(says string) string {
	all := kit.Filter(lines(says), func(l string) bool { return l != "" })
	return strings.Join(kit.Map(all, func(l string) string {
		return "<p>" + string(prose(text(l))) + "</p>\n"
	}), "")
}

// parameterTable returns a table of what an item takes or returns; of nothing it is empty.
func parameterTable(title string, all []parameter) string {
	if len(all) == 0 {
		return ""
	}
	table := "<table>\n<tr><th>" + title +
		"</th><th>Type</th><th>Required</th><th>Default</th><th>Description</th></tr>\n"
	for _, one := range requiredFirst(all) {
		cells := kit.Map(parameterRow(one), func(cell span) string { return string(prose(text(cell.text))) })
		cells[0], cells[1] = string(code(text(one.Name))), string(code(text(one.Type())))
		table += "<tr><td>" + strings.Join(cells, "</td><td>") + "</td></tr>\n"
	}
	return table + "</table>\n"
}

func icon(level string) string {
	return map[string]string{"breaking": "🔴", "warning": "🟡", "info": "🔵", "waived": "⚪"}[level]
}

func levelWord(f finding.Finding) string {
	if f.Waiver != nil {
		return "waived"
	}
	return f.Level.String()
}

// preformatted returns a text of several lines for a pre element; none of them is blank.
func preformatted(m multiline) template.HTML {
	return markup(kit.Map(lines(string(m)), func(l string) line { return line{spans: []span{{l, plain}}} }))
}

func code(s text) template.HTML {
	return template.HTML("<code>" + html.EscapeString(clipped(s)) + "</code>")
}

// clipped returns a text of at most longProse columns, in which what cannot be seen is spelled out.
func clipped(s text) string { return displaywidth.TruncateString(s.String(), longProse, "…") }

var (
	// calm is a word that no reader of Markdown takes for anything but a word, and hash one that may be taken
	// for the name of a commit.
	calm = kit.Pattern(`^[("']*[\p{L}]+(['’-][\p{L}]+)*[)"']*[,.;:!?]?$|^[0-9]{1,4}[,.;:]?$`)
	hash = kit.Pattern(`^[0-9a-f]{7,}$`)
	// word is a word between what stands around it.
	word = kit.Pattern(`(\s*\(?)(\S+?)([,.;:!?]*\)?[,.;:!?]*)(\s|$)`)
)

// prose returns a sentence in which every word that Markdown or GitHub may take for something else, such as a
// path, @name, #12 or a commit, stands as code. Adjacent code is joined.
func prose(s text) template.HTML {
	var b strings.Builder
	for i, part := range strings.Split(clipped(text(oneLine(string(s)))), "`") {
		if i%2 == 1 {
			b.WriteString(string(code(text(part))))
			continue
		}
		for _, w := range word().FindAllStringSubmatch(part, -1) {
			b.WriteString(html.EscapeString(w[1]))
			whole := strings.TrimSpace(w[1] + w[2] + w[3])
			if calm().MatchString(whole) && !hash().MatchString(whole) {
				b.WriteString(html.EscapeString(w[2]))
			} else {
				b.WriteString(string(code(text(w[2]))))
			}
			b.WriteString(html.EscapeString(w[3]) + w[4])
		}
	}
	return template.HTML(strings.ReplaceAll(b.String(), "</code> <code>", " "))
}
