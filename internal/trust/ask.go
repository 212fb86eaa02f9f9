package trust

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/terminal"
)

// Ask asks a person, once for all of them, about the entries of a run that nobody agreed to, and keeps every yes.
// Without a terminal nobody is asked, and each entry tells that it is not trusted.
func (g Gate) Ask(ctx context.Context, cfg *config.Config, entries []config.Entry) error {
	var doubtful []config.Entry
	for _, e := range entries {
		if g.Deny(cfg, e) != nil {
			doubtful = append(doubtful, e)
		}
	}
	if len(doubtful) == 0 {
		return nil
	}
	t, err := terminal.Open(g.Process)
	if err != nil {
		return nil
	}
	defer t.Close()
	err = g.askAll(ctx, t, doubtful)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(err, terminal.ErrClosed) {
		t.Printf("\n")
		return nil
	}
	return err
}

// Agree records agreements: one for all that are the user's own, if own is set, and one for each of the others.
func (g Gate) Agree(entries []config.Entry, own bool) error {
	store, err := g.Store()
	for _, e := range entries {
		about := subjectOf(e)
		if own && e.Own() {
			about = Own()
		}
		if err == nil {
			err = store.Agree(about, g.Process.Now)
		}
	}
	if err != nil {
		return fmt.Errorf("%w: mend that, or run once with --yes", err)
	}
	return nil
}

// askAll shows what entries do, and keeps what a person agrees to.
func (g Gate) askAll(ctx context.Context, t *terminal.Terminal, entries []config.Entry) error {
	t.Printf("mcpctl: nobody agreed yet to what was found here:\n\n%s\n", g.question(entries))
	question := "Trust it, and remember that until it changes? [y]es, [N]o, [?] details: "
	if len(entries) > 1 {
		question = fmt.Sprintf("Trust all %d, and remember that until they change? [y]es, [N]o, [c]hoose one by one, [?] details: ", len(entries))
	}
	for {
		answer, err := t.Choose(ctx, question, "yes", "no", "choose", "?")
		switch {
		case err != nil:
			return asking(err)
		case answer == "yes":
			return g.Agree(entries, true)
		case answer == "?":
			if err := g.show(t, entries); err != nil {
				return err
			}
			t.Printf("\n")
			continue
		case answer == "choose" && len(entries) > 1:
			return g.askEach(ctx, t, entries)
		}
		return nil
	}
}

func asking(err error) error {
	if errors.Is(err, terminal.ErrClosed) {
		return err
	}
	return fmt.Errorf("asking whether to trust: %w", err)
}

// askEach asks about one entry after the other, with all that each can do.
func (g Gate) askEach(ctx context.Context, t *terminal.Terminal, entries []config.Entry) error {
	var agreed []config.Entry
	for _, e := range entries {
		t.Printf("\n")
		if err := g.show(t, []config.Entry{e}); err != nil {
			return err
		}
		answer, err := t.Choose(ctx, fmt.Sprintf("Trust %s? [y]es, [N]o: ", report.Visible(e.Server.Name)), "yes", "no")
		if err != nil {
			return asking(err)
		}
		if answer == "yes" {
			agreed = append(agreed, e)
		}
	}
	return g.Agree(agreed, false)
}

// question is a line for each entry, further ones for what is unusual about it or changed, and totals. Texts of the
// configuration in it are fit for a terminal.
func (g Gate) question(entries []config.Entry) string {
	var all strings.Builder
	widest := 0
	for _, e := range entries {
		widest = max(widest, min(len(e.Server.Name), 24))
	}
	programs, own, marked := 0, 0, 0
	var secrets []string
	for _, e := range entries {
		m := e.Manifest()
		text, unusual := m.Brief()
		fmt.Fprintf(&all, "  %-*s  %s\n", widest, report.Visible(e.Server.Name), report.Visible(text))
		if len(m.Starts) > 0 {
			programs++
		}
		if e.Own() {
			own++
		}
		added, gone := g.changes(e)
		for _, line := range added {
			fmt.Fprintf(&all, "      + %s\n", report.Visible(line))
		}
		for _, line := range gone {
			fmt.Fprintf(&all, "      - %s\n", report.Visible(line))
		}
		for _, l := range unusual {
			marked++
			if !slices.Contains(added, l.String()) && l.What != "starts" {
				fmt.Fprintf(&all, "      ! %s (%s)\n", report.Visible(l.String()), l.Unusual)
			} else {
				fmt.Fprintf(&all, "      ! %s\n", l.Unusual)
			}
		}
		for _, f := range m.Gives {
			if !slices.Contains(secrets, f.From.String()) {
				secrets = append(secrets, f.From.String())
			}
		}
	}
	fmt.Fprintf(&all, "\n%s: %s, %s; %s\n", match.Counted(len(entries), "server"), match.Counted(programs, "program"),
		match.Counted(len(entries)-programs, "address", "es"), match.Counted(len(secrets), "value")+" of yours handed on; "+match.Counted(marked, "line")+" to look at (!)")
	if own > 0 {
		fmt.Fprintf(&all, "%s of your own applications, in files that only you can write: a yes to all holds for what you add there, too\n", match.Counted(own, "server"))
	}
	return all.String()
}

// show writes all that entries can do to the terminal, as mcpctl trust does.
func (g Gate) show(t *terminal.Terminal, entries []config.Entry) error {
	r := &report.Report{Command: "trust"}
	for _, e := range entries {
		r.Servers = append(r.Servers, g.proposed(e))
	}
	var text bytes.Buffer
	err := report.Write(&text, "table", r, report.Options{Width: t.Width()})
	t.Printf("%s", text.String())
	return err
}

// proposed is an entry as a person decides about it, whatever else it may lack.
func (g Gate) proposed(e config.Entry) report.Server {
	s := g.Describe(e)
	s.State, s.Error, s.MoreErrors = report.OK, nil, nil
	return s
}
