package declared

import (
	"bytes"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

func isMarkdown(name string) bool {
	if at, err := url.Parse(name); err == nil && isURL(name) {
		name = at.Path
	}
	return strings.HasSuffix(strings.ToLower(name), ".md")
}

// page is a text in Markdown, read line by line.
type page struct {
	found map[snapshot.Kind][]check.DeclaredItem
	lists int // how many lists and tables have begun

	section snapshot.Kind // what the heading above promises; empty = neither tools nor prompts
	level   int           // of that heading
	fence   string        // what ends the code that we are in; empty = none
	table   table
	bullets map[int]int // of the list that we are in, the number of its list at each depth
}

// table is the table that a line may belong to.
type table struct {
	head   []string // its first line, until the next one shows that it is a table
	kind   snapshot.Kind
	column int // of names; -1 = the table is about something else, or there is none
}

// readme reads the tables and lists of tools and prompts in a text for people. Each is a list of its own, since some of them are about
// something else: whether the server has any of the names is for the rules to see.
func readme(name string, data []byte) (check.Declared, error) {
	p := page{found: map[snapshot.Kind][]check.DeclaredItem{}}
	p.end()
	for i, line := range strings.Split(string(bytes.ReplaceAll(data, []byte("\r"), nil)), "\n") {
		if !p.code(line) {
			p.read(line, i+1)
		}
	}
	if len(p.found) == 0 {
		return check.Declared{}, fmt.Errorf("reading %s: %w", name, errOther)
	}
	return check.Declared{File: name, Items: p.found}, nil
}

// code tells whether a line is in a block of code or of a comment, or one of its ends.
func (p *page) code(line string) bool {
	text := strings.TrimSpace(line)
	if p.fence != "" {
		if strings.Contains(text, p.fence) {
			p.fence = ""
		}
		return true
	}
	for begin, end := range map[string]string{"```": "```", "~~~": "~~~", "<!--": "-->"} {
		if rest, ok := strings.CutPrefix(text, begin); ok {
			if !strings.Contains(rest, end) {
				p.fence = end
			}
			return true
		}
	}
	return false
}

func (p *page) read(line string, n int) {
	if title := strings.TrimLeft(line, "#"); title != line && strings.HasPrefix(title, " ") {
		p.heading(len(line)-len(title), title)
		return
	}
	switch names, depth, listed := bullet(line); {
	case strings.Contains(line, "|"):
		p.row(cells(line), n)
	case listed && p.section != "":
		if _, known := p.bullets[depth]; !known {
			p.lists++
			p.bullets[depth] = p.lists
		}
		p.add(p.section, p.bullets[depth], names, n)
	case strings.TrimSpace(line) == "" || strings.HasPrefix(line, " "): // within a list there are blank and indented lines
		p.table = table{column: -1}
	default:
		p.end()
	}
}

// heading begins a section; one below a heading of tools is still about tools.
func (p *page) heading(level int, title string) {
	kind := kindOf(strings.Fields(strings.ToLower(title)))
	if kind != "" || p.section != "" && level <= p.level {
		p.section, p.level = kind, level
	}
	p.end()
}

// end ends the list or table that we are in.
func (p *page) end() { p.bullets, p.table = map[int]int{}, table{column: -1} }

func kindOf(words []string) snapshot.Kind {
	switch {
	case slices.ContainsFunc(words, func(w string) bool { return w == "tools" || w == "tool" }):
		return snapshot.Tools
	case slices.ContainsFunc(words, func(w string) bool { return w == "prompts" || w == "prompt" }):
		return snapshot.Prompts
	}
	return ""
}

var ruler = match.Pattern(`^:?-+:?$`)

func (p *page) row(all []string, n int) {
	switch {
	case p.table.column >= 0 && p.table.column < len(all):
		p.add(p.table.kind, p.lists, names(all[p.table.column]), n)
	case p.table.head != nil && !slices.ContainsFunc(all, func(c string) bool { return !ruler().MatchString(c) }):
		if p.begin(p.table.head); p.table.column >= 0 {
			p.lists++
		}
	default:
		p.table = table{head: all, column: -1}
	}
}

// begin finds the column of names by the heads of a table.
func (p *page) begin(head []string) {
	for i, cell := range head {
		words := strings.Fields(strings.ToLower(strings.Trim(cell, "*_` ")))
		kind := kindOf(words)
		if len(words) == 1 && words[0] == "name" {
			kind = p.section
		}
		if kind != "" && len(words) <= 2 {
			p.table = table{kind: kind, column: i}
			return
		}
	}
	p.table = table{column: -1}
}

func (p *page) add(kind snapshot.Kind, list int, names []string, n int) {
	for _, name := range names {
		p.found[kind] = append(p.found[kind], check.DeclaredItem{Name: check.Said{Text: name, Line: n}, List: list})
	}
}

func cells(line string) []string {
	all := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	return all
}

var (
	bulleted = match.Pattern(`^(\s*)(?:[-*+]|\d+[.)]) +(?:\[[ xX]\] +)?(.*)$`)
	marked   = match.Pattern("`([^`]+)`|\\*\\*([^*]+)\\*\\*|__([^_]+)__|\\[([^\\]]+)\\]\\([^)]*\\)")
	between  = match.Pattern(`^(?:[,;/&\s]|<br ?/?>|and|or)*$`)
	called   = match.Pattern(`^([A-Za-z][A-Za-z0-9_./-]*)(\(.*\))?:?$`)
)

// bullet is the name with which an item of a list begins, if any, and how far it is set in.
func bullet(line string) (name []string, depth int, listed bool) {
	m := bulleted().FindStringSubmatch(line)
	if m == nil {
		return nil, 0, false
	}
	if at := marked().FindStringIndex(m[2]); at != nil && at[0] == 0 {
		name = names(m[2][:at[1]])
	}
	return name, len(m[1]), true
}

// names are what a cell calls things: what is set apart in it, the first alone where more is said of it; else all of it.
func names(cell string) []string {
	all := lists.Map(marked().FindAllStringSubmatch(cell, -1), func(m []string) string { return strings.Trim(strings.Join(m[1:], ""), "`*_ ") })
	switch {
	case len(all) == 0:
		all = []string{cell}
	case !between().MatchString(marked().ReplaceAllString(cell, "")):
		all = all[:1]
	}
	var found []string
	for _, one := range all {
		if m := called().FindStringSubmatch(one); m != nil {
			found = append(found, m[1])
		}
	}
	return found
}
