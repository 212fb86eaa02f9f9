package report

import (
	"cmp"
	_ "embed"
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
	commentSource string
	//go:embed page/reference.html
	referenceSource string
	commentTemplate = sync.OnceValue(func() *template.Template {
		return template.Must(template.New("comment").Funcs(template.FuncMap{
			"code": code, "prose": prose, "markup": markup, "counted": kit.Counted,
			"icon":         func(level string) string { return icons[level] },
			"preformatted": func(m multiline) template.HTML { return markup(paragraph(string(m), plain)) },
			"text":         func(parts ...string) text { return text(strings.Join(parts, "")) },
			"title":        referenceTitle, "kinds": snapshot.Kinds, "heading": heading,
			"items": func(s Server, k snapshot.Kind) Items { return *s.Items(k) },
			"key":   key, "about": about, "takes": takes, "hints": hintsInBrackets, "trim": strings.Trim,
			"lower": strings.ToLower, "lines": lines, "firstLine": firstLine,
			"arguments": argumentsOf, "results": resultsOf, "cells": parameterCells,
		}).Parse(commentSource + referenceSource))
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
	Reference []Server          // of show: a page about them that their authors can publish
}

// writeMarkdown writes a comment for a pull request, in which what does not fit is counted; for show, a page
// about servers.
func writeMarkdown(w io.Writer, r *Report, o Options) error {
	v := r.view(o)
	v.bare = true
	groups, limit := o.groups(r.Groups), cmp.Or(o.Limit, commentLimit)
	all := comment{document: documentOf(r, v, groups[:min(len(groups), commentParts)]),
		Levels: map[string]int{}, Icon: cmp.Or(map[Verdict]string{
			Pass: "✅", Incomplete: "⚠️", Unsaved: "⚠️", Interrupted: "⚠️"}[r.Verdict], "❌")}
	if r.Command == "show" {
		all.Rows, all.Reference, limit = nil, r.Servers, math.MaxInt
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

// referenceTitle returns the name of a server, as it is configured and as the server has it, and its version.
func referenceTitle(s Server) text {
	info := rawjson.ObjectOf(s.ServerInfo)
	return text(join(" ", s.Name, info.Text("name"), info.Text("version")))
}

// parameterCells returns the cells of what an item takes or returns: name and type first.
func parameterCells(all []parameter) [][]text {
	return kit.Map(requiredFirst(all), func(p parameter) []text {
		return kit.Map(parameterRow(p), func(cell span) text { return text(cell.text) })
	})
}

var icons = map[string]string{"breaking": "🔴", "warning": "🟡", "info": "🔵", "waived": "⚪"}

func levelWord(f finding.Finding) string {
	if f.Waiver != nil {
		return "waived"
	}
	return f.Level.String()
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
