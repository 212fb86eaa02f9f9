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
	"github.com/mcpctl/mcpctl/internal/printable"
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
	return g.ask(ctx, t, entries, notAsked)
}

// ask shows what entries would do and stores what the user trusts. Marked subjects come last and are asked
// singly; what does not fit one screen is asked in parts that do, and an entry that does not fit by itself is
// only listed, unless whole has it shown. An entry with a mistake is listed, too: it is not known what it
// would do.
func (g Gate) ask(ctx context.Context, t *host.Terminal, entries []config.Entry, whole longer) error {
	_, untrusted := g.Trusted(entries)
	untrusted = kit.Filter(untrusted, func(e config.Entry) bool { return !e.Refused() })
	if len(untrusted) == 0 {
		return nil
	}
	s := newScreen(host.Size(t.Out))
	s.whole = whole
	s.heading, s.short = "Found in "+foundIn(untrusted)+", not trusted yet:", "Not trusted yet:"
	if slices.ContainsFunc(untrusted, func(e config.Entry) bool { return len(effectsOf(e).Notable) > 0 }) {
		s.heading = "Found in " + foundIn(untrusted) + ", not trusted yet (" + config.NotableMeans + "):"
	}
	if s.height < lowScreen {
		t.Printf("%s\n\n", strings.Join(host.Wrap(Promise, s.width), "\n"))
	}
	return g.askIn(ctx, t, s, subjectsOf(untrusted, config.Entry.OwnFile))
}

// askIn asks about subjects. What an entry of an application's file names is looked at once that is trusted;
// one that starts something of a repository is then asked about for itself.
func (g Gate) askIn(ctx context.Context, t *host.Terminal, s screen, all []decision) error {
	var again []config.Entry
	for _, part := range s.parts(all) {
		t.Printf("%s\n", strings.Join(part.rows, "\n"))
		if part.question == "" {
			continue
		}
		answer, err := t.Choose(ctx, part.question, "yes", "no")
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, host.ErrNoAnswer):
			t.Printf("\n")
			return nil
		case err == nil && answer == "yes":
			keep := kit.Flat(part.asked(), func(s decision) []config.Entry { return s.entries })
			if file := part.file(); file != nil {
				inRepository := func(e config.Entry) bool { return !e.Application() }
				again = append(again, kit.Filter(file, inRepository)...)
				keep = kit.Filter(keep, func(e config.Entry) bool { return !e.OwnFile() || e.Application() })
			}
			if len(keep) > 0 {
				err = g.Keep(ctx, keep)
			}
		}
		if err != nil {
			return fmt.Errorf("asking whether to trust: %w", err)
		}
		if !part.asked()[0].marked {
			t.Printf("\n")
		}
	}
	if len(again) == 0 {
		return nil
	}
	s.heading = "These start something of a repository:"
	s.short = s.heading
	return g.askIn(ctx, t, s, subjectsOf(again, func(config.Entry) bool { return false }))
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

// decision is what one yes is about: an entry, or all entries of one application's file.
type decision struct {
	entries []config.Entry
	name    string   // escaped
	lines   []string // what it would do, escaped
	marked  bool     // the user decides about it alone
	risk    string   // what a marked one could do, for its question
	file    bool     // the entries are all of an application's file
	listed  bool     // it is shown and not asked about
	command string   // that shows it whole
}

// subjectsOf groups the entries of each application's file, as ownFile has it; what must be asked singly
// comes last.
func subjectsOf(entries []config.Entry, ownFile func(config.Entry) bool) []decision {
	var plain, listed, marked []decision
	files := map[string]int{} // the subjects of files, in plain
	for _, e := range entries {
		file, _ := e.Declared()
		i, seen := files[file]
		s := decision{entries: []config.Entry{e}, name: subjectName(e.Server.Name), command: trustCommand(e)}
		switch mistake := e.Mistake(); {
		case mistake != nil:
			s.listed = true
			s.lines = []string{printable.Message("has a mistake, and is asked about when it is corrected: " +
				mistake.Message)}
			listed = append(listed, s)
		case !ownFile(e):
			x := effectsOf(e)
			s.lines, s.marked, s.risk = x.Lines(), x.Marked(), riskOf(x)
			if s.marked {
				marked = append(marked, s)
			} else {
				plain = append(plain, s)
			}
		case !seen:
			files[file] = len(plain)
			s.name, s.file, s.command = printable.Message(e.File), true, "mcpctl trust --discover"
			s.lines = append([]string{ownFileMeans}, linesInFile(e)...)
			plain = append(plain, s)
		default:
			plain[i].entries = append(plain[i].entries, e)
			plain[i].lines = append(plain[i].lines, linesInFile(e)...)
		}
	}
	return slices.Concat(plain, listed, marked)
}

// ownFileMeans is what a yes to an application's file covers besides what is shown below it.
const ownFileMeans = "your own application; a yes covers all servers of this file, also those added later:"

// linesInFile returns what an entry of an application's file would do, each line under its name.
func linesInFile(e config.Entry) []string {
	x := effectsOf(e)
	lines := x.Lines()
	if risk := riskOf(x); risk != "" {
		lines = append(lines, strings.TrimSpace(risk)+" !")
	}
	name := subjectName(e.Server.Name)
	return kit.Map(lines, func(line string) string { return name + ": " + line })
}

// subjectName returns a name that cannot pass for a name with a command.
func subjectName(name string) string {
	if shown := printable.Message(name); strings.TrimSpace(shown) == shown && !strings.Contains(shown, "  ") {
		return shown
	}
	return printable.Message(printable.ShellWord(name))
}

// trustCommand returns the command that shows an entry whole and asks about it.
func trustCommand(e config.Entry) string {
	command := "mcpctl trust "
	if e.Found == config.Discovered {
		command += "--discover "
	}
	return printable.Message(command + printable.ShellWord(e.Server.Name))
}

// riskOf names what a marked entry could do.
func riskOf(x config.Effects) string {
	const most = 3
	visible := func(names []string) string { return kit.And(kit.Map(names, printable.Message), most) }
	var risks []string
	if len(x.Secrets) > 0 {
		to := kit.Map(x.Addresses, printable.ASCII)
		risks = append(risks, "may send "+visible(x.Secrets)+" to "+visible(to))
	}
	if x.Tokens != "" {
		risks = append(risks, printable.Message("sends "+printable.ASCII(x.Tokens)))
	}
	if x.Code != "" {
		risks = append(risks, "runs "+x.Code)
	}
	if len(risks) == 0 {
		return ""
	}
	return " It " + strings.Join(risks, ", and ")
}

// foundIn names the files that the entries come from, the first three in full.
func foundIn(entries []config.Entry) string {
	names := kit.Distinct(kit.Map(entries, func(e config.Entry) string { return printable.Message(e.File) }))
	where := strings.Join(names[:min(len(names), 3)], ", ")
	if more := len(names) - 3; more > 0 {
		where += fmt.Sprintf(" and %d more files", more)
	}
	if slices.ContainsFunc(entries, func(e config.Entry) bool { return e.Found == config.Searched }) {
		return "this project (" + where + ")"
	}
	return where
}
