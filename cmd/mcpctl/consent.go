package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/terminal"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// confirm is a person's yes to calling a tool. One that says that it only reads needs none, and neither does --yes.
func (a *act) confirm(ctx context.Context, tool snapshot.Item, args json.RawMessage) error {
	if a.yes || readOnly(tool) {
		return nil
	}
	t, err := terminal.Open(a.Process)
	if err != nil {
		return exit.Usagef("%s: %s may change things: its server does not say that it only reads (readOnlyHint); nothing was called: look at the request with --dry-run, and call it with --yes",
			report.Visible(a.server.Name), report.Visible(tool.Key))
	}
	defer t.Close()
	t.Printf("mcpctl: about to call a tool\n  server     %s (%s, from %s)\n  tool       %s  %s\n  arguments  %s\n  the server claims: %s\n",
		report.Visible(a.server.Name), a.session.Transport(), report.Visible(a.server.Source), report.Visible(tool.Key),
		report.Visible(firstLineOf(tool)), report.OneLine(args), report.Claims(tool.Raw))
	answer, err := t.Choose(ctx, "Call it? [y]es, [N]o: ", "yes", "no")
	switch {
	case err != nil && !errors.Is(err, terminal.ErrClosed):
		return err
	case answer != "yes":
		return exit.Usagef("%s: %s was not called, as you said", report.Visible(a.server.Name), report.Visible(tool.Key))
	}
	return nil
}

// readOnly tells whether a tool says of itself that it only reads.
func readOnly(tool snapshot.Item) bool {
	annotations := snapshot.Item{Raw: tool.Annotations()}
	return string(annotations.Field("readOnlyHint")) == "true"
}

// firstLineOf is the first line of a tool's description.
func firstLineOf(tool snapshot.Item) string {
	line, _, _ := strings.Cut(strings.TrimSpace(tool.Description()), "\n")
	return line
}
