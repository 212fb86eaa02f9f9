package trust

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/report"
)

// Promise is what trusting an entry means and what it does not; docs/security.md has the same sentence.
const Promise = "mcpctl asks again when an entry changes; the code it starts can change without that. " +
	"Use --sandbox for code you do not trust."

// subject is what one yes is about: an entry, or all entries of one application's file.
type subject struct {
	entries []config.Entry
	name    string   // escaped
	lines   []string // what it would do, escaped
	marked  bool     // a person decides about it alone
	risk    string   // what a marked one could do, for its question
}

// ask shows what entries would do and stores what the user trusts. Marked subjects come last and are asked
// singly; what does not fit one screen is asked in parts that do.
func (g Gate) ask(ctx context.Context, t *host.Terminal, entries []config.Entry) error {
	err := g.askAll(ctx, t, entries)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, host.ErrNoAnswer):
		t.Printf("\n")
		return nil
	}
	return err
}

func (g Gate) askAll(ctx context.Context, t *host.Terminal, entries []config.Entry) error {
	plain, marked := subjectsOf(entries)
	width, height := host.Size(t.Out)
	if width == 0 || height == 0 {
		width, height = 80, 24
	}
	space := max(height-10, 6) // the heading, the promise and the question take the rest
	t.Printf("Found in %s, not trusted yet:\n\n", foundIn(entries))
	for part := range screens(plain, width, space) {
		for _, s := range part {
			t.Printf("%s", s.block(width))
		}
		t.Printf("\n%s\n", wrapped(Promise, width, ""))
		if err := g.decide(ctx, t, part, "Trust "+namesOf(part)+"?"); err != nil {
			return err
		}
		t.Printf("\n")
	}
	for i, s := range marked {
		t.Printf("%s\n", s.block(width))
		if len(plain) == 0 && i == 0 {
			t.Printf("%s\n", wrapped(Promise, width, ""))
		}
		if err := g.decide(ctx, t, []subject{s}, "Trust "+s.name+"?"+s.risk); err != nil {
			return err
		}
	}
	return nil
}

// decide asks one question and stores a yes.
func (g Gate) decide(ctx context.Context, t *host.Terminal, about []subject, question string) error {
	answer, err := t.Choose(ctx, question+" [y/N] ", "yes", "no")
	if err != nil {
		return fmt.Errorf("asking whether to trust: %w", err)
	}
	if answer != "yes" {
		return nil
	}
	return g.Keep(ctx, kit.Flat(about, func(s subject) []config.Entry { return s.entries }))
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

// subjectsOf groups the entries of each application's file, and separates what must be asked singly.
func subjectsOf(entries []config.Entry) (plain, marked []subject) {
	files := map[string]int{}
	for _, e := range entries {
		x := e.Effects()
		if e.Application() {
			file, _ := e.Declared()
			i, seen := files[file]
			if !seen {
				i, files[file] = len(plain), len(plain)
				plain = append(plain, subject{name: report.Visible(e.File)})
			}
			plain[i].entries = append(plain[i].entries, e)
			plain[i].lines = []string{"your own application; also trusts servers added to this file later",
				namesOfEntries(plain[i].entries)}
			continue
		}
		s := subject{
			entries: []config.Entry{e}, name: report.Visible(e.Server.Name), lines: report.Effects(x).Lines(),
			marked: x.Marked(), risk: riskOf(x),
		}
		if s.marked {
			marked = append(marked, s)
		} else {
			plain = append(plain, s)
		}
	}
	return plain, marked
}

// riskOf names what a marked entry could do.
func riskOf(x config.Effects) string {
	switch {
	case len(x.Receives) > 0 && len(x.Addresses) > 0:
		_, address, _ := strings.Cut(x.Addresses[0], "=")
		host := address
		if _, rest, ok := strings.Cut(address, "://"); ok {
			host, _, _ = strings.Cut(rest, "/")
		}
		return " It may send " + report.Visible(x.Receives[0]) + " to " + report.Visible(host)
	case x.Shell:
		return " It runs a shell"
	}
	return ""
}

// screens returns the subjects in parts that fit one screen each.
func screens(all []subject, width, space int) func(yield func([]subject) bool) {
	return func(yield func([]subject) bool) {
		var part []subject
		used := 0
		for _, s := range all {
			lines := strings.Count(s.block(width), "\n")
			if len(part) > 0 && used+lines > space {
				if !yield(part) {
					return
				}
				part, used = nil, 0
			}
			part, used = append(part, s), used+lines
		}
		if len(part) > 0 {
			yield(part)
		}
	}
}

// nameWidth is the column of names; a longer one has a line of its own.
const nameWidth = 9

// block returns a subject as it is shown: the name, then what it would do, wrapped to the screen.
func (s subject) block(width int) string {
	lead := "  "
	if s.marked {
		lead = "! "
	}
	indent := strings.Repeat(" ", len(lead)+nameWidth+1)
	var text strings.Builder
	name := lead + s.name
	if len([]rune(s.name)) > nameWidth {
		text.WriteString(name + "\n")
		name = ""
	}
	for _, line := range s.lines {
		for _, row := range strings.Split(wrapped(line, width-len(indent), ""), "\n") {
			fmt.Fprintf(&text, "%-*s%s\n", len(indent), name, row)
			name = ""
		}
	}
	return text.String()
}

// wrapped breaks a text at blanks so that no line is wider than width, unless one word is.
func wrapped(text string, width int, indent string) string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len([]rune(line))+1+len([]rune(word)) > max(width, 20) {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return strings.Join(append(lines, line), "\n"+indent)
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

func namesOfEntries(entries []config.Entry) string {
	return strings.Join(kit.Map(entries,
		func(e config.Entry) string { return report.Visible(e.Server.Name) }), ", ")
}

// foundIn names where the entries come from.
func foundIn(entries []config.Entry) string {
	var names []string
	project := false
	for _, e := range entries {
		project = project || e.Found == config.Searched
		if file := report.Visible(e.File); !slices.Contains(names, file) {
			names = append(names, file)
		}
	}
	where := strings.Join(names, ", ")
	if len(names) > 3 {
		where = fmt.Sprintf("%s and %d more files", strings.Join(names[:3], ", "), len(names)-3)
	}
	if project {
		return "this project (" + where + ")"
	}
	return where
}
