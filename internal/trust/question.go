package trust

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/report"
)

// Promise is what trusting an entry means and what it does not; docs/security.md has the same sentence.
const Promise = "mcpctl asks again when an entry changes; the code it starts can change without that. " +
	"Use --sandbox for code you do not trust."

// Ask asks the user about the entries that are not trusted, and stores each yes. Without a terminal, or with
// CI set, nothing is asked, and what is not trusted fails.
func (g Gate) Ask(ctx context.Context, entries []config.Entry) error {
	t, err := host.OpenTerminal(g.Process)
	if err != nil {
		return nil
	}
	defer t.Close()
	return g.ask(ctx, t, entries)
}

// ask shows what entries would do and stores what the user trusts. Marked subjects come last and are asked
// singly; what does not fit one screen is asked in parts that do. An entry that could not run is left out.
func (g Gate) ask(ctx context.Context, t *host.Terminal, entries []config.Entry) error {
	_, untrusted := g.Trusted(entries)
	runnable := kit.Filter(untrusted,
		func(e config.Entry) bool { return e.Err() == nil || len(e.Asks()) > 0 })
	if len(runnable) == 0 {
		return nil
	}
	width, height := host.Size(t.Out)
	if width == 0 || height == 0 {
		width, height = 80, 24
	}
	t.Printf("Found in %s, not trusted yet:\n\n", foundIn(runnable))
	for i, part := range screens(subjectsOf(runnable), width, height) {
		for _, s := range part {
			t.Printf("%s", s.block(width))
		}
		t.Printf("\n")
		if i == 0 || !part[0].marked {
			t.Printf("%s\n", host.Fold(Promise, width, ""))
		}
		answer, err := t.Choose(ctx, "Trust "+namesOf(part)+"?"+part[0].risk+" [y/N] ", "yes", "no")
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, host.ErrNoAnswer):
			t.Printf("\n")
			return nil
		case err == nil && answer == "yes":
			err = g.Keep(ctx, kit.Flat(part, func(s subject) []config.Entry { return s.entries }))
		}
		if err != nil {
			return fmt.Errorf("asking whether to trust: %w", err)
		}
		if !part[0].marked {
			t.Printf("\n")
		}
	}
	return nil
}

// Keep stores entries as trusted.
func (g Gate) Keep(ctx context.Context, entries []config.Entry) error {
	store, err := g.Store()
	if err == nil {
		err = store.Trust(ctx, entries, g.Process.Now)
	}
	if err != nil {
		return fmt.Errorf("%w; use --trust to start it in this run without storing", err)
	}
	return nil
}

// subject is what one yes is about: an entry, or all entries of one application's file.
type subject struct {
	entries []config.Entry
	name    string   // escaped
	lines   []string // what it would do, escaped
	marked  bool     // the user decides about it alone
	risk    string   // what a marked one could do, for its question
}

// subjectsOf groups the entries of each application's file; what must be asked singly comes last.
func subjectsOf(entries []config.Entry) []subject {
	var plain, marked []subject
	files := map[string]int{} // the subjects of files, in plain
	for _, e := range entries {
		x := e.Effects()
		file, _ := e.Declared()
		i, seen := files[file]
		switch {
		case !e.Application():
			s := subject{entries: []config.Entry{e}, name: report.Visible(e.Server.Name),
				lines: report.EffectLines(x), marked: x.Marked(), risk: riskOf(x)}
			if s.marked {
				marked = append(marked, s)
			} else {
				plain = append(plain, s)
			}
		case !seen:
			files[file] = len(plain)
			plain = append(plain, subject{entries: []config.Entry{e}, name: report.Visible(e.File),
				lines: []string{"your own application; also trusts servers added to this file later",
					report.Visible(e.Server.Name)}})
		default:
			plain[i].entries = append(plain[i].entries, e)
			plain[i].lines[1] += ", " + report.Visible(e.Server.Name)
		}
	}
	return append(plain, marked...)
}

// riskOf names what a marked entry could do.
func riskOf(x config.Effects) string {
	switch {
	case len(x.Receives) > 0 && len(x.Addresses) > 0:
		_, address, _ := strings.Cut(x.Addresses[0], "=")
		if _, rest, ok := strings.Cut(address, "://"); ok {
			address, _, _ = strings.Cut(rest, "/")
		}
		return " It may send " + report.Visible(x.Receives[0]) + " to " + report.Visible(address)
	case x.Shell:
		return " It runs a shell"
	}
	return ""
}

// screens returns the subjects in parts that fit one screen each; a marked one is a part by itself.
func screens(all []subject, width, height int) (parts [][]subject) {
	space := max(height-10, 6) // the heading, the promise and the question take the rest
	used := 0
	for _, s := range all {
		lines := strings.Count(s.block(width), "\n")
		if len(parts) == 0 || s.marked || used+lines > space {
			parts, used = append(parts, nil), 0
		}
		last := len(parts) - 1
		parts[last], used = append(parts[last], s), used+lines
	}
	return parts
}

// nameWidth is the column of names; a longer one has a line of its own.
const nameWidth = 9

// block returns a subject as it is shown: the name, then what it would do, wrapped to the screen.
func (s subject) block(width int) string {
	name := "  " + s.name
	if s.marked {
		name = "! " + s.name
	}
	indent := strings.Repeat(" ", 2+nameWidth+1)
	rows := kit.Map(s.lines, func(line string) string { return host.Fold(line, width-len(indent), "") })
	text := indent + strings.ReplaceAll(strings.Join(rows, "\n"), "\n", "\n"+indent) + "\n"
	if utf8.RuneCountInString(s.name) > nameWidth {
		return name + "\n" + text
	}
	return fmt.Sprintf("%-*s", len(indent), name) + text[len(indent):]
}

// namesOf names the subjects of one question.
func namesOf(all []subject) string {
	names := kit.Map(all, func(s subject) string { return s.name })
	switch len(names) {
	case 1:
		return names[0]
	case 2, 3, 4:
		return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
	}
	return fmt.Sprintf("these %d", len(names))
}

// foundIn names the files that the entries come from, the first three in full.
func foundIn(entries []config.Entry) string {
	names := kit.Distinct(kit.Map(entries, func(e config.Entry) string { return report.Visible(e.File) }))
	where := strings.Join(names[:min(len(names), 3)], ", ")
	if more := len(names) - 3; more > 0 {
		where += fmt.Sprintf(" and %d more files", more)
	}
	if slices.ContainsFunc(entries, func(e config.Entry) bool { return e.Found == config.Searched }) {
		return "this project (" + where + ")"
	}
	return where
}
