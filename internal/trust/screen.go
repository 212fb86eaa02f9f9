package trust

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
)

// screen is a terminal on which questions are asked. What is asked about is on it whole, with its question.
type screen struct {
	width, height int
	heading       string // of the first part
	short         string // the heading, where it would take more than mostHeading rows
	whole         longer
}

// longer is what is shown whole and asked about though it is longer than the screen.
type longer int

// What of that there is, each with those before it.
const (
	notAsked   longer = iota // it is only listed
	filesWhole               // files of applications, in mcpctl trust
	namedWhole               // what the user named
)

// section is what is shown before one question.
type section struct {
	subjects []decision
	rows     []string
	question string // empty = nothing is asked
}

// asked returns the subjects that a yes is about.
func (p section) asked() []decision {
	return kit.Filter(p.subjects, func(s decision) bool { return !s.listed })
}

// file returns the entries of the application's files that a yes is about.
func (p section) file() []config.Entry {
	return kit.Flat(p.asked(), func(s decision) []config.Entry {
		if s.file {
			return s.entries
		}
		return nil
	})
}

// The columns of names, and the rows of one entry.
const (
	nameWidth   = 9
	widestName  = 20 // a longer one has a row of its own
	mostHeading = 2
	mostRows    = 12
	lowScreen   = 16 // rows of a screen that has no room for the promise beside the entries
	leastColumn = 20 // of lines beside names
)

func newScreen(width, height int) screen {
	if width <= 0 || height <= 0 {
		width, height = 80, 24
	}
	return screen{width: width, height: height}
}

// parts divides subjects into parts that fit: as many as go together, a marked one by itself. One that does
// not fit alone is listed, with the command that shows it.
func (s screen) parts(all []decision) []section {
	var asked, listed, marked []decision
	for _, next := range all {
		whole := s.whole == namedWhole || s.whole == filesWhole && next.file
		if !next.listed && !whole && !s.fits(s.part(true, next)) {
			next.lines = []string{fmt.Sprintf("too long to show here (%s): read it with %s",
				kit.Counted(len(s.block(next, nameWidth)), "row"), next.command)}
			next.listed, next.marked = true, false
		}
		switch {
		case next.listed:
			listed = append(listed, next)
		case next.marked:
			marked = append(marked, next)
		default:
			asked = append(asked, next)
		}
	}
	var parts []section
	for _, next := range slices.Concat(asked, listed, marked) {
		last := len(parts) - 1
		if last >= 0 && !next.marked {
			together := s.part(last == 0, append(slices.Clip(parts[last].subjects), next)...)
			if s.fits(together) {
				parts[last] = together
				continue
			}
		}
		parts = append(parts, s.part(len(parts) == 0, next))
	}
	return parts
}

// part lays subjects out, with the question about those that are asked about.
func (s screen) part(first bool, subjects ...decision) section {
	p := section{subjects: subjects}
	asked := p.asked()
	column := nameWidth
	for _, one := range subjects {
		if size := host.Columns(one.name); size <= widestName && s.width > 2*widestName+leastColumn {
			column = max(column, size)
		}
	}
	if first {
		p.rows = host.Wrap(s.heading, s.width)
		if len(p.rows) > mostHeading { // the names of files may be long; they are not what is asked about
			p.rows = host.Wrap(s.short, s.width)
		}
		p.rows = append(p.rows, "")
	}
	for _, one := range subjects {
		p.rows = append(p.rows, s.block(one, column)...)
	}
	p.rows = append(p.rows, "")
	if len(asked) == 0 {
		return p
	}
	if (first || !asked[0].marked) && s.height >= lowScreen {
		p.rows = append(p.rows, host.Wrap(Promise, s.width)...)
	}
	names := kit.Map(asked, func(one decision) string { return one.name })
	about := fmt.Sprintf("these %d", len(names))
	if len(names) <= 4 {
		about = kit.And(names, len(names))
	}
	p.question = strings.Join(host.Wrap("Trust "+about+"?"+asked[0].risk+" [y/N] ", s.width), "\n")
	return p
}

// fits reports whether a part is on the screen whole.
func (s screen) fits(p section) bool {
	for _, one := range p.asked() {
		if !one.file && len(s.block(one, nameWidth)) > mostRows {
			return false
		}
	}
	return len(p.rows)+strings.Count(p.question, "\n")+1 < s.height // a row is left for the answer
}

// block returns a subject as it is shown: the name, then what it would do, wrapped to the screen.
func (s screen) block(one decision, column int) (rows []string) {
	name := "  " + one.name
	if one.marked {
		name = "! " + one.name
	}
	indent := 2 + column + 1
	beside := host.Columns(one.name) <= column
	if s.width-indent < leastColumn {
		indent, beside = 4, false
	}
	if !beside {
		rows = host.Wrap(name, s.width)
	}
	for _, line := range one.lines {
		for _, row := range host.Wrap(line, s.width-indent) {
			if beside {
				rows, beside = append(rows, name+strings.Repeat(" ", indent-host.Columns(name))+row), false
				continue
			}
			rows = append(rows, strings.Repeat(" ", indent)+row)
		}
	}
	return rows
}
