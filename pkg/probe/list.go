package probe

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// limits bound what one list may be. Over one of them the list is Truncated, and the error says so.
type limits struct {
	pages, items, bytes int
}

func standardLimits() limits { return limits{pages: 1000, items: 100_000, bytes: 256 << 20} }

// reading is a list under way.
type reading struct {
	surface surface
	limits  limits
	modern  bool // the revision is 2026-07-28 or later

	items   []json.RawMessage
	pages   int
	last    []json.RawMessage // the items of the newest page
	asked   []string          // cursors that were followed, in order
	bytes   int
	ttl     time.Duration // the longest of the pages
	notices []Notice
}

// list reads all pages of one list. With an error it is what arrived before, and is not whole.
func (c caller) list(ctx context.Context, s surface, declared standing, bounds limits) (snapshot.List, []Notice, error) {
	r, err := c.pages(ctx, s, bounds)
	if hasCode(err, codeInvalidParams) && len(r.asked) > 0 {
		refused := err
		r, err = c.pages(ctx, s, bounds)
		r.note(NoticeListRestarted, "a cursor of %s was refused (%v); the list was read from its start again", s.method, refused)
	}
	if hasCode(err, codeMethodNotFound) && len(r.asked) == 0 {
		if declared == untold {
			return snapshot.List{Kind: s.kind}, nil, nil
		}
		r.note(NoticeNotImplemented, "the server declares the capability %q and answers %s with %q",
			s.capability, s.method, "method not found")
		return snapshot.List{Kind: s.kind}, r.notices, nil
	}
	if err != nil {
		return snapshot.NewPart(s.kind, r.items, err.Error()), r.notices, err
	}
	c.record.keep(s.kind, r.ttl)
	list := snapshot.NewList(s.kind, r.items)
	return list, append(r.notices, s.keys(list)...), nil
}

// pages follows the cursors to the end.
func (c caller) pages(ctx context.Context, s surface, bounds limits) (*reading, error) {
	r := &reading{surface: s, limits: bounds, modern: c.version >= modern}
	params := map[string]any{}
	for {
		raw, err := c.call(ctx, s.method, params)
		if err != nil {
			return r, r.onPage(err)
		}
		next, err := r.take(raw)
		if err != nil || next == nil {
			return r, err
		}
		params = map[string]any{"cursor": next}
	}
}

// onPage tells on which page err happened, when it is not the first.
func (r *reading) onPage(err error) error {
	if len(r.asked) == 0 {
		return err
	}
	return fmt.Errorf("page %d: %w", len(r.asked)+1, err)
}

// take adds a page and returns the cursor of the next one, nil at the end.
func (r *reading) take(raw json.RawMessage) (json.RawMessage, error) {
	p, err := r.surface.readPage(raw)
	if err != nil {
		r.add(p, len(raw)) // its items are good where only its cursor is not
		return nil, r.onPage(err)
	}
	r.notices = append(r.notices, p.notices...)
	if r.modern && len(p.missing) > 0 && len(r.asked) == 0 {
		r.note(NoticeFieldsMissing, "the result of %s has no %s", r.surface.method, strings.Join(p.missing, ", "))
	}
	if slices.Contains(r.asked, string(p.next)) {
		return nil, r.endless(p)
	}
	r.add(p, len(raw))
	if p.next != nil {
		r.asked = append(r.asked, string(p.next))
	}
	return p.next, r.bounded()
}

func (r *reading) add(p page, size int) {
	r.items = append(r.items, p.items...)
	r.pages++
	r.last = p.items
	r.bytes += size
	r.ttl = max(r.ttl, p.ttl)
}

// endless ends a list whose cursor leads back. A server that sends its first page once more knows of no cursors, so that
// page is all there is; behind any other page that names a cursor again there may be what nobody has seen.
func (r *reading) endless(p page) error {
	repeats := slices.EqualFunc(r.last, p.items, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })
	first := r.pages == 1
	if !repeats {
		r.add(p, 0)
	}
	cursor := clip(string(p.next), shortText)
	if repeats && first {
		r.note(NoticeCursorRepeated, "%s takes no notice of the cursor %s and gives its first page again; the list was ended there with %d items",
			r.surface.method, cursor, len(r.items))
		return nil
	}
	r.note(NoticeCursorRepeated, "%s names the cursor %s again; the list was ended there with %d items", r.surface.method, cursor, len(r.items))
	return r.onPage(circle.errorf("%s names the cursor %s again, so what comes behind its %d items cannot be read", r.surface.method, cursor, len(r.items)))
}

// bounded tells which limit the list is over.
func (r *reading) bounded() error {
	switch {
	case len(r.asked) >= r.limits.pages:
		return limit.errorf("%s goes on after %d pages", r.surface.method, r.limits.pages)
	case len(r.items) > r.limits.items:
		return limit.errorf("%s has more than %d items", r.surface.method, r.limits.items)
	case r.bytes > r.limits.bytes:
		return limit.errorf("%s is larger than %d MiB", r.surface.method, r.limits.bytes>>20)
	}
	return nil
}

func (r *reading) note(code, format string, args ...any) {
	r.notices = append(r.notices, r.surface.notice(code, format, args...))
}
