package trust

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/mcpctl/mcpctl/internal/config"
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
	agreed, err := g.askAll(ctx, t, doubtful)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(err, terminal.ErrClosed) {
		t.Printf("\n")
		return nil
	}
	if err != nil {
		return fmt.Errorf("asking whether to trust: %w", err)
	}
	return g.Agree(agreed)
}

// Agree records agreements.
func (g Gate) Agree(entries []config.Entry) error {
	store, err := g.Store()
	for _, e := range entries {
		if err == nil {
			err = store.Agree(subjectOf(e), g.Process.Now)
		}
	}
	if err != nil {
		return fmt.Errorf("%w: mend that, or run once with --yes", err)
	}
	return nil
}

// askAll shows what entries do and gives those that a person agrees to.
func (g Gate) askAll(ctx context.Context, t *terminal.Terminal, entries []config.Entry) ([]config.Entry, error) {
	t.Printf("mcpctl: nobody agreed yet to what was found here:\n\n")
	if err := g.show(t, entries); err != nil {
		return nil, err
	}
	question := "\nTrust it, and remember that until it changes? [y]es, [N]o: "
	if len(entries) > 1 {
		question = fmt.Sprintf("\nTrust all %d, and remember that until they change? [y]es, [N]o, [c]hoose one by one: ", len(entries))
	}
	answer, err := t.Choose(ctx, question, "yes", "no", "choose")
	switch {
	case err != nil:
		return nil, err
	case answer == "yes":
		return entries, nil
	case answer == "choose" && len(entries) > 1:
		return g.askEach(ctx, t, entries)
	}
	return nil, nil
}

// askEach asks about one entry after the other, and shows each again: a long list has scrolled away.
func (g Gate) askEach(ctx context.Context, t *terminal.Terminal, entries []config.Entry) ([]config.Entry, error) {
	var agreed []config.Entry
	for _, e := range entries {
		t.Printf("\n")
		if err := g.show(t, []config.Entry{e}); err != nil {
			return nil, err
		}
		answer, err := t.Choose(ctx, fmt.Sprintf("Trust %s? [y]es, [N]o: ", report.Visible(e.Server.Name)), "yes", "no")
		if err != nil {
			return nil, err
		}
		if answer == "yes" {
			agreed = append(agreed, e)
		}
	}
	return agreed, nil
}

// show writes what entries do to the terminal, as mcpctl trust does.
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
