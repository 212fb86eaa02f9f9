package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// ItemFilter says which items a list shows. The zero value shows all.
type ItemFilter struct {
	Kind string         // one of KindWords, or its singular; empty = all
	Name kit.NameFilter // of names and URIs
	Text *regexp.Regexp // of any text of an item, the names of its members too; nil = all
}

// Check returns an error for an invalid filter.
func (f ItemFilter) Check() error {
	if !f.Name.Valid() {
		return errFilter(string(f.Name))
	}
	if words := KindWords(); f.Kind != "" && !slices.Contains(words, f.Kind) &&
		!slices.Contains(words, f.Kind+"s") {
		return errKind(f.Kind, words)
	}
	return nil
}

// None says that no item passes the filter, such as "no skills".
func (f ItemFilter) None() string {
	none := "no items"
	if f.Kind != "" {
		none = "no " + strings.TrimSuffix(f.Kind, "s") + "s"
	}
	if f.Name != "" {
		none += " match"
	}
	return none
}

// KindWords returns the values of --kind.
func KindWords() []string {
	return kit.Map(snapshot.Kinds(), func(kind snapshot.Kind) string { return kind.Word() + "s" })
}

// List returns the surfaces that SOURCEs name, in their order, with the items that the filter lets through
// and what those cost. Of their documents nothing else is kept.
func (f *Fleet) List(ctx context.Context, from []source.Source, filter ItemFilter) ([]Surface, error) {
	targets, err := f.Resolve(ctx, from)
	if err != nil {
		return nil, err
	}
	return f.Each(ctx, targets, func(_ int, s *Surface) error {
		s.describe(filter)
		s.LetGo()
		return nil
	})
}

// describe adds to the report the introduction of the server, its cost, and the items that match the filter.
func (s *Surface) describe(filter ItemFilter) {
	if s.Snapshot == nil {
		return
	}
	s.Server.Tokens = s.TokenCost()
	s.ServerInfo, s.Capabilities = s.Snapshot.Server, s.Snapshot.Capabilities
	s.Instructions, s.SupportedVersions = s.Snapshot.Instructions, s.Snapshot.Supported
	s.Unknown = s.Snapshot.Extra
	for _, kind := range snapshot.Kinds() {
		list := s.Snapshot.List(kind)
		if list.State == snapshot.NotOffered || list.State == snapshot.Unread ||
			filter.Kind != "" && strings.TrimSuffix(filter.Kind, "s") != kind.Word() {
			continue
		}
		items := seen.Items{}
		for _, item := range list.Items() {
			if filter.Name.Match(item.Key) && (filter.Text == nil || mentions(item.Raw, filter.Text)) {
				items = append(items, compact(item.Raw))
			}
		}
		*s.Items(kind) = items
	}
}

// Offered returns what was seen of the server, with all of its items.
func (s Surface) Offered() seen.Server {
	s.describe(ItemFilter{})
	return s.Server
}

// compact returns a copy of an item without space between its tokens. The item itself shares the memory of
// the reply that it came in, and would keep all of it.
func compact(raw json.RawMessage) json.RawMessage {
	var text bytes.Buffer
	text.Grow(len(raw))
	if json.Compact(&text, raw) != nil {
		return bytes.Clone(raw)
	}
	return bytes.Clone(text.Bytes())
}

// mentions reports whether a text in a value, or the name of a member, matches.
func mentions(raw json.RawMessage, pattern *regexp.Regexp) bool {
	tokens := json.NewDecoder(bytes.NewReader(raw)) // which read each byte once, however deep it lies
	tokens.UseNumber()
	for {
		token, err := tokens.Token()
		if err != nil {
			return false
		}
		if text, is := token.(string); is && pattern.MatchString(text) {
			return true
		}
	}
}

// Show adds all items, or the wanted ones, to the reports of servers. One name may belong to several kinds.
// An item that no server offers is an error.
func Show(surfaces []Surface, wanted []string) error {
	found := map[string]bool{}
	for i := range surfaces {
		s := &surfaces[i]
		if len(wanted) == 0 {
			s.describe(ItemFilter{})
		}
		if s.Snapshot == nil {
			continue
		}
		for _, kind := range snapshot.Kinds() {
			slot := s.Items(kind)
			for _, item := range s.Snapshot.List(kind).Items() {
				for _, want := range wanted {
					if want == item.Key || want == kind.ID(item.Key) {
						*slot, found[want] = append(*slot, item.Raw), true
					}
				}
			}
		}
	}
	for _, want := range wanted {
		if !found[want] {
			return notOffered(surfaces, want)
		}
	}
	return nil
}

// notOffered returns the error for an item that no surface offers, or nil if one did not answer in full.
func notOffered(surfaces []Surface, missing string) error {
	var names, known []string
	for _, s := range surfaces {
		if !s.Whole() {
			return nil
		}
		names = append(names, s.Name)
		for _, kind := range snapshot.Kinds() {
			for _, item := range s.Snapshot.List(kind).Items() {
				known = append(known, item.Key)
			}
		}
	}
	return errNotOffered(names, known, missing)
}
