package report

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Docs are the blocks of a file, which check compares with servers.
type Docs []docBlock

// docBlock is what stands in a file between the marks of a server, which mcpctl show replaces.
type docBlock struct {
	Server     string
	Line       int    // of the first mark
	Text       string // between the marks, with line feeds only
	start, end int    // of that text in the file
}

var (
	// docsMark matches the first and the last mark of a block.
	docsMark = kit.Pattern(`<!--\s*mcpctl:(begin|end)(?:[ \t]+(\S[^\n]*?))?\s*-->`)
	// fenceMark matches a line that may begin or end a block of code.
	fenceMark = kit.Pattern("^ {0,3}(`{3,}|~{3,})(.*)")
)

// fences keeps whether lines of Markdown, read one after the other, are in a block of code.
type fences struct{ sign string }

// read reads a line, and reports whether it is code or a fence.
func (f *fences) read(row string) bool {
	m := fenceMark().FindStringSubmatch(row)
	inside := f.sign != ""
	switch {
	case m == nil, m[1][0] == '`' && strings.Contains(m[2], "`"): // code in a line
		return inside
	case !inside:
		f.sign = m[1]
	case m[1][0] == f.sign[0] && len(m[1]) >= len(f.sign) && strings.TrimSpace(m[2]) == "":
		f.sign = ""
	}
	return true
}

// ReadDocs returns the blocks of a file. Marks in code are examples. A mark without its other one is an error
// with its line.
func ReadDocs(file string, text []byte) (all Docs, err error) {
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return nil, exit.UsageHint("save it as UTF-8", "%s is UTF-16", file)
	}
	var open *docBlock
	wrong := func(line int, format string, args ...any) error {
		return exit.UsageHint("a block is <!-- mcpctl:begin SERVER --> … <!-- mcpctl:end -->",
			"%s:%d: %s", file, line, fmt.Sprintf(format, args...))
	}
	var code fences
	line, at := 0, 0
	for row := range bytes.Lines(text) {
		line++
		begin := at
		at += len(row)
		if code.read(string(row)) {
			continue
		}
		for _, m := range docsMark().FindAllSubmatchIndex(row, -1) {
			if bytes.Count(row[:m[0]], []byte("`"))%2 == 1 {
				continue
			}
			name := ""
			if m[4] >= 0 {
				name = string(row[m[4]:m[5]])
			}
			switch first := row[m[2]] == 'b'; {
			case first && name == "":
				return nil, wrong(line, "<!-- mcpctl:begin --> names no server")
			case first && open != nil:
				return nil, wrong(open.Line, unclosed, open.Server)
			case first:
				open = &docBlock{Server: name, Line: line, start: begin + m[1]}
			case open == nil:
				return nil, wrong(line, "<!-- mcpctl:end --> has no <!-- mcpctl:begin SERVER --> before it")
			default:
				open.end = begin + m[0]
				open.Text = strings.ReplaceAll(string(text[open.start:open.end]), "\r\n", "\n")
				all = append(all, *open)
				open = nil
			}
		}
	}
	if open != nil {
		return nil, wrong(open.Line, unclosed, open.Server)
	}
	return all, nil
}

const unclosed = "<!-- mcpctl:begin %s --> has no <!-- mcpctl:end --> behind it"

// of returns the blocks of a server: those of its name; of one that has no name in the configuration the only
// block of the file.
func (d Docs) of(server string, adHoc bool) Docs {
	own := kit.Filter(d, func(block docBlock) bool { return block.Server == server })
	if len(own) == 0 && adHoc && len(d) == 1 {
		return d
	}
	return own
}

// documentation returns the page of a server that stands between marks: what its author documents, in the
// order of the names.
func documentation(s seen.Server) string {
	var m markdown
	for _, k := range snapshot.Kinds() {
		if items := *s.Items(k); len(items) > 0 {
			m.items(k, sorted("name", k, items), blockLevel, true)
		}
	}
	if m.Len() == 0 {
		m.block("No tools, prompts or resources.")
	}
	return "\n\n" + printable.SpelledOut.Without(m.String()) + "\n"
}

// blockLevel is the level of the heading that a block stands below.
const blockLevel = 2

// Servers returns the names of the servers that the file has marks of.
func (d Docs) Servers() []string {
	return kit.Distinct(kit.Map(d, func(d docBlock) string { return d.Server }))
}

// Describes reports whether the file has marks of a server.
func (d Docs) Describes(server string, adHoc bool) bool {
	return len(d.of(server, adHoc)) > 0
}

// Outdated returns the items of a server that are not as it offers them.
func (d Docs) Outdated(s seen.Server, adHoc bool) []check.OutdatedItem {
	return kit.Flat(d.of(s.Name, adHoc),
		func(block docBlock) []check.OutdatedItem { return block.outdated(s) })
}

// outdated returns the items of a block that are not as the server offers them. How programs lay out Markdown
// makes no difference.
func (d docBlock) outdated(s seen.Server) (all []check.OutdatedItem) {
	page := documentation(s)
	was, is := sectionsOf(d.Text), sectionsOf(page)
	find := func(sections []docsSection, one docsSection) int {
		return slices.IndexFunc(sections, func(other docsSection) bool { return other.id == one.id })
	}
	for _, now := range is {
		item := check.OutdatedItem{Kind: now.kind, Name: now.name, Now: now.text}
		item.Text.Line = d.Line
		i := find(was, now)
		if i >= 0 {
			item.Text = check.DeclaredText{Text: was[i].text, Line: d.Line + was[i].line}
		}
		if plainly(item.Text.Text) != plainly(item.Now) && (i >= 0 || now.kind != "") {
			all = append(all, item)
		}
	}
	for _, old := range was {
		if find(is, old) < 0 && old.text != old.id {
			all = append(all, check.OutdatedItem{Kind: old.kind, Name: old.name,
				Text: check.DeclaredText{Text: old.text, Line: d.Line + old.line}})
		}
	}
	if len(all) == 0 && plainly(d.Text) != plainly(page) {
		all = append(all, check.OutdatedItem{Text: check.DeclaredText{Line: d.Line}})
	}
	return all
}

// dashes match what is between the head of a table and its rows.
var dashes = kit.Pattern("-{3,}")

// plainly returns Markdown without the space that aligns it.
func plainly(s string) string { return dashes().ReplaceAllString(oneLine(s), "---") }

// docsSection is a part of a block: an item, or what stands before the first one of a kind.
type docsSection struct {
	id   string
	kind snapshot.Kind // empty = no item
	name string
	line int // from the line of the first mark
	text string
}

// sectionsOf returns the parts of a block.
func sectionsOf(block string) []docsSection {
	all, code := []docsSection{{}}, fences{}
	kind, times := snapshot.Kind(""), map[string]int{}
	for i, row := range strings.Split(block, "\n") {
		isCode := code.read(row)
		for _, k := range snapshot.Kinds() {
			if !isCode && row == strings.Repeat("#", blockLevel+1)+" "+kindTitle(k) {
				kind = k
				all = append(all, docsSection{id: row, line: i})
			}
		}
		if name, is := strings.CutPrefix(row, strings.Repeat("#", blockLevel+2)+" "); is && !isCode {
			id := string(kind) + " " + name
			times[id]++
			all = append(all, docsSection{id: fmt.Sprint(id, " ", times[id]), kind: kind,
				name: strings.Trim(name, "` "), line: i})
		}
		all[len(all)-1].text += row + "\n"
	}
	for i := range all {
		all[i].text = strings.TrimSpace(all[i].text)
	}
	return all
}

// maxDocs bounds a file with marks, in bytes.
const maxDocs = 4 << 20

// docsFile is a file with marks that a command rewrites.
type docsFile struct {
	text   []byte
	blocks Docs
}

// docsOf reads the file of --output if show writes Markdown into it; without marks it has no blocks.
func docsOf(p host.Process, o Output) (docsFile, error) {
	if o.File == "" || o.format() != "markdown" {
		return docsFile{}, nil
	}
	text, err := files.ReadRegular(files.From(p.Dir, o.File), maxDocs)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, files.ErrNotRegular) {
		return docsFile{}, nil
	}
	if err != nil {
		return docsFile{}, fmt.Errorf("reading %s: %w", o.File, err)
	}
	blocks, err := ReadDocs(o.File, text)
	if err != nil {
		return docsFile{}, err
	}
	if mark := docsMark().FindIndex(text); mark != nil && len(blocks) == 0 {
		line := 1 + bytes.Count(text[:mark[0]], []byte("\n"))
		return docsFile{}, exit.UsageHint("write the marks outside of code, or name another file",
			"%s:%d: the marks are in code, and the file would be replaced", o.File, line)
	}
	if len(blocks) == 0 && len(bytes.TrimSpace(text)) > 0 {
		return docsFile{}, exit.UsageHint(
			"remove it, or add <!-- mcpctl:begin NAME --> and <!-- mcpctl:end --> around the place",
			"%s exists and has no marks of a server", o.File)
	}
	return docsFile{text, blocks}, nil
}

// HasDocs reports whether a file in a directory has the marks of a server.
func HasDocs(dir, file string) bool {
	text, err := files.ReadRegular(files.From(dir, file), maxDocs)
	if err != nil {
		return false
	}
	blocks, err := ReadDocs(file, text)
	return err == nil && len(blocks) > 0
}

// CheckDocs finds mistakes in the marks of the file that show writes, before a server is contacted. server is
// a name in the configuration; empty = an ad-hoc SOURCE.
func CheckDocs(p host.Process, o Output, server string, chosen bool) error {
	docs, err := docsOf(p, o)
	if err != nil || len(docs.blocks) == 0 {
		return err
	}
	if chosen {
		return exit.UsageHint("leave out the ITEM, or name another file",
			"%s documents whole servers between its marks", o.File)
	}
	if server == "" { // the servers of a saved SOURCE have names, too
		return nil
	}
	return docs.missing(o, server)
}

// missing returns the error for a server that has no marks in a file with marks of others.
func (d docsFile) missing(o Output, server string) error {
	names := d.blocks.Servers()
	if slices.Contains(names, server) {
		return nil
	}
	if server == "" {
		return exit.UsageHint("name the server as the configuration does",
			"%s has marks of several servers: %s", o.File, kit.Some(names))
	}
	return exit.UsageHint(fmt.Sprintf("add <!-- mcpctl:begin %s --> and <!-- mcpctl:end --> to it, or name "+
		"another file", server), "%s has marks of %s only", o.File, kit.Some(names))
}

// writeDocs replaces what stands between the marks of the servers; done is false for a file without marks. A
// server that did not answer in full changes nothing.
func (b *Show) writeDocs(ctx context.Context, p host.Process, o Output) (done bool, err error) {
	docs, err := docsOf(p, o)
	if err != nil || len(docs.blocks) == 0 {
		return err != nil, err
	}
	for _, s := range b.Servers {
		if s.State != seen.OK {
			p.Reason("%s was not changed: %s did not answer in full", o.File, printable.Message(s.Name))
			return true, nil
		}
	}
	switch text, replaced := docs.replaced(b.Servers, b.AdHoc); {
	case !replaced:
		return true, docs.missing(o, "")
	case bytes.Equal(text, docs.text):
		return true, nil
	default:
		return true, o.Bytes(ctx, p, text)
	}
}

// replaced returns the file with the pages of servers between their marks, in the line ends that it has
// there.
func (d docsFile) replaced(servers []Server, adHoc bool) (text []byte, replaced bool) {
	text = d.text
	for _, block := range slices.Backward(d.blocks) { // so that the places before it stay
		i := slices.IndexFunc(servers, func(s Server) bool {
			return slices.Contains(d.blocks.of(s.Name, adHoc && len(servers) == 1), block)
		})
		if i < 0 {
			continue
		}
		page := documentation(servers[i].Server)
		if endsInCRLF(text, block.start) {
			page = strings.ReplaceAll(page, "\n", "\r\n")
		}
		text, replaced = slices.Concat(text[:block.start], []byte(page), text[block.end:]), true
	}
	return text, replaced
}

// endsInCRLF reports whether the line at a place of a text ends in CR LF.
func endsInCRLF(text []byte, at int) bool {
	end := bytes.IndexByte(text[at:], '\n')
	return end > 0 && text[at+end-1] == '\r'
}
