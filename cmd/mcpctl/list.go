package main

import (
	"context"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

func listCommand(inv *invocation) *cli.Command {
	var view listView
	return &cli.Command{
		Name:      "list",
		Usage:     "what servers offer: a row per server, or per item",
		ArgsUsage: "[SOURCE…] [-- CMD ARG…]",
		Flags: inv.reachFlags(
			&cli.BoolFlag{Name: "items", Usage: "a row per item, also for several servers", Destination: &view.items},
			&cli.StringFlag{Name: "kind", Usage: "only tools, prompts, resources or templates", Destination: &view.kind},
			&cli.StringFlag{Name: "filter", Usage: "only items whose name or URI matches `GLOB`", Destination: (*string)(&view.filter)},
		),
		Action: func(c *cli.Context) error { return inv.list(c.Context, c.Args().Slice(), view) },
	}
}

// listView says which items a list shows.
type listView struct {
	items  bool
	kind   string
	filter match.Filter
}

func (inv *invocation) list(ctx context.Context, words []string, view listView) error {
	if err := view.check(); err != nil {
		return err
	}
	surfaces, _, err := inv.survey(ctx, words)
	if err != nil {
		return err
	}
	for i := range surfaces {
		view.fill(&surfaces[i])
	}
	r := newReport("list", surfaces)
	r.Status = status(surfaces)
	asked := view.items || view.kind != "" || view.filter != ""
	return inv.emit(ctx, r, report.Options{Items: asked, Fleet: len(words) == 0 && inv.command == nil})
}

// check finds mistakes in the flags before anything is contacted.
func (v listView) check() error {
	if !v.filter.Valid() {
		return exit.Usagef("--filter %q is not a pattern such as create_*", v.filter)
	}
	if words := []string{"", "tools", "prompts", "resources", "templates"}; !slices.Contains(words, v.kind) {
		return exit.Usagef("--kind is tools, prompts, resources or templates, not %q%s", v.kind, match.DidYouMean(v.kind, words[1:]))
	}
	return nil
}

// fill puts the items that the view shows into the report of s.
func (v listView) fill(s *surface) {
	if s.snapshot == nil {
		return
	}
	s.Tokens = s.tokens()
	s.Tools = v.choose("tools", s.snapshot.Tools)
	s.Prompts = v.choose("prompts", s.snapshot.Prompts)
	s.Resources = v.choose("resources", s.snapshot.Resources)
	s.ResourceTemplates = v.choose("templates", s.snapshot.Templates)
}

func (v listView) choose(kind string, list snapshot.List) report.Items {
	if list.State == snapshot.NotOffered || list.State == snapshot.Unread || v.kind != "" && v.kind != kind {
		return nil
	}
	if v.filter == "" {
		return items(list)
	}
	chosen := report.Items{}
	for _, item := range list.Items() {
		if v.filter.Match(item.Key) {
			chosen = append(chosen, item.Raw)
		}
	}
	return chosen
}
