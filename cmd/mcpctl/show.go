package main

import (
	"context"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/pkg/report"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

func showCommand(inv *invocation) *cli.Command {
	var raw bool
	return &cli.Command{
		Name:        "show",
		Usage:       "everything about a server or some of its items",
		ArgsUsage:   "SOURCE [ITEM…] [-- CMD ARG…]",
		Description: `An ITEM is a name or URI, or one with its kind in front: tool/create_issue. With "-- CMD" the words are ITEMs.`,
		Flags:       inv.reachFlags(&cli.BoolFlag{Name: "raw", Usage: "the raw JSON of every item too", Destination: &raw}),
		Action:      func(c *cli.Context) error { return inv.show(c.Context, c.Args().Slice(), raw) },
	}
}

func (inv *invocation) show(ctx context.Context, words []string, raw bool) error {
	source, wanted := words, []string(nil)
	if inv.command != nil {
		source, wanted = nil, words
	} else if len(words) > 1 {
		source, wanted = words[:1], words[1:]
	}
	if len(source) == 0 && inv.command == nil {
		return usagef("show which server? see mcpctl show --help")
	}
	surfaces, _, err := inv.survey(ctx, source)
	if err != nil {
		return err
	}
	for i := range surfaces {
		if err := exhibit(&surfaces[i], wanted); err != nil {
			return err
		}
	}
	r := newReport("show", surfaces)
	r.Status = status(surfaces)
	return inv.emit(ctx, r, report.Options{Raw: raw})
}

// exhibit puts what show tells into the report of s: the server and all items, or only the wanted ones.
func exhibit(s *surface, wanted []string) error {
	if s.snapshot == nil {
		return nil
	}
	if len(wanted) == 0 {
		s.ServerInfo, s.Capabilities, s.Instructions = s.snapshot.Server, s.snapshot.Capabilities, s.snapshot.Instructions
		listView{}.fill(s)
		return nil
	}
	for _, want := range wanted {
		if !exhibitItem(s, want) && s.whole() {
			return usagef("%s offers no %q%s: see mcpctl list", s.Name, want, didYouMean(want, keys(s.snapshot)))
		}
	}
	return nil
}

func exhibitItem(s *surface, want string) bool {
	found := false
	for _, kind := range snapshot.Kinds() {
		list := s.snapshot.List(kind)
		if list == nil {
			continue
		}
		for _, item := range list.Items {
			if want == item.Key || want == kind.ID(item.Key) {
				slot := s.itemsOf(kind)
				*slot, found = append(*slot, item.Raw), true
			}
		}
	}
	return found
}

// itemsOf is where the report of s keeps the items of one kind.
func (s *surface) itemsOf(kind snapshot.Kind) *report.Items {
	switch kind {
	case snapshot.Prompts:
		return &s.Prompts
	case snapshot.Resources:
		return &s.Resources
	case snapshot.Templates:
		return &s.ResourceTemplates
	}
	return &s.Tools
}

// keys are the names and URIs of everything in a snapshot.
func keys(s *snapshot.Snapshot) []string {
	var all []string
	for _, kind := range snapshot.Kinds() {
		if list := s.List(kind); list != nil {
			for _, item := range list.Items {
				all = append(all, item.Key)
			}
		}
	}
	return all
}

// unslashed hides slashes from path.Match.
func unslashed(text string) string { return strings.ReplaceAll(text, "/", "\x00") }
