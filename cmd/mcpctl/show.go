package main

import (
	"context"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/report"
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
		return exit.Usagef("show which server? see mcpctl show --help")
	}
	surfaces, _, err := inv.survey(ctx, source)
	if err != nil {
		return err
	}
	missing := wanted
	for i := range surfaces {
		found := exhibit(&surfaces[i], wanted)
		missing = slices.DeleteFunc(slices.Clone(missing), func(want string) bool { return slices.Contains(found, want) })
	}
	if err := nowhere(surfaces, missing); err != nil {
		return err
	}
	r := newReport("show", surfaces)
	r.Status = status(surfaces)
	return inv.emit(ctx, r, report.Options{Raw: raw})
}

// exhibit puts what show tells into the report of s: the server and all items, or only the wanted ones. It gives those
// that s has.
func exhibit(s *surface, wanted []string) (found []string) {
	if s.snapshot == nil {
		return nil
	}
	if len(wanted) == 0 {
		s.ServerInfo, s.Capabilities, s.Instructions = s.snapshot.Server, s.snapshot.Capabilities, s.snapshot.Instructions
		listView{}.fill(s)
	}
	return slices.DeleteFunc(slices.Clone(wanted), func(want string) bool { return !exhibitItem(s, want) })
}

// nowhere is the error for an item that no surface offers. One variant of a server may lack what another has, and one
// that did not answer in full may have anything.
func nowhere(surfaces []surface, missing []string) error {
	var names, known []string
	for _, s := range surfaces {
		if !s.whole() {
			return nil
		}
		names, known = append(names, s.Name), append(known, keys(s.snapshot)...)
	}
	if len(missing) == 0 {
		return nil
	}
	return exit.Usagef("%s offers no %q%s: see mcpctl list", strings.Join(names, ", "), missing[0], match.DidYouMean(missing[0], known))
}

func exhibitItem(s *surface, want string) bool {
	found := false
	for _, kind := range snapshot.Kinds() {
		for _, item := range s.snapshot.List(kind).Items() {
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
		for _, item := range s.List(kind).Items() {
			all = append(all, item.Key)
		}
	}
	return all
}
