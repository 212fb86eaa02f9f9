package probe

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// listMethod is how one of the lists of a server is asked for.
type listMethod struct {
	kind  snapshot.Kind // also the member of the result
	stage Stage
	name  string // of the request
	// the capability under which changes are announced: templates have none of their own, and skills none at
	// all
	announced string
}

// listMethods are one for each kind, in the order of snapshot.Kinds.
var listMethods = [...]listMethod{
	{snapshot.Tools, ListingTools, "tools/list", "tools"},
	{snapshot.Prompts, ListingPrompts, "prompts/list", "prompts"},
	{snapshot.Resources, ListingResources, "resources/list", "resources"},
	{snapshot.Templates, ListingTemplates, "resources/templates/list", "resources"},
	{snapshot.Skills, ListingSkills, "skills/list", ""},
}

func (m listMethod) notice(code, format string, args ...any) Notice {
	return Notice{Stage: m.stage, Code: code, Message: fmt.Sprintf(format, args...)}
}

// capabilityState is whether a server declares a capability.
type capabilityState int

const (
	undeclared capabilityState = iota
	declared
	unknownState // there are no capabilities to read
	bare         // no capability of any list is declared: some servers have lists all the same
)

// bareWait bounds the wait for a list that a server without any capability may not have.
const bareWait = 2 * time.Second

// state reads the capabilities: true and every object declare one, false and null do not. Extensions must be
// declared.
func (m listMethod) state(p peer) capabilityState {
	_, _, err := rawjson.ReadObject(p.Capabilities)
	switch {
	case err != nil && !m.kind.Extension():
		return unknownState
	case m.kind.DeclaredIn(p.Capabilities) != nil:
		return declared
	case !m.kind.Extension() && !p.declaresLists():
		return bare
	}
	return undeclared
}

// declaresLists reports whether a server declares any list.
func (p peer) declaresLists() bool {
	return slices.ContainsFunc(listMethods[:],
		func(m listMethod) bool { return m.kind.DeclaredIn(p.Capabilities) != nil })
}

// maxPages limits one list, beside snapshot.MostItems. A list over a limit is Truncated, and the error says
// so.
const maxPages = 1000

// pager collects the pages of one list.
type pager struct {
	method listMethod
	modern bool // the revision is 2026-07-28 or later

	items   []json.RawMessage
	pages   int      // read until now
	asked   []string // cursors that were followed, in order
	notices []Notice
}

// list reads all pages of one list. With an error it is what arrived before, and is not whole.
func (c caller) list(ctx context.Context, method listMethod, declares capabilityState) (snapshot.List,
	[]Notice, error) {
	if declares == bare {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, bareWait)
		defer cancel()
	}
	r, err := c.pages(ctx, method)
	if declares == bare {
		// what comes is offered, and everything else is the answer of a server without the list
		if err != nil || len(r.items) == 0 {
			return snapshot.List{Kind: method.kind}, nil, nil
		}
		r.note(NoticeUndeclared, "%s returned %s, but the capability %q is not declared", method.name,
			kit.Counted(len(r.items), "item"), method.kind.Capability())
	}
	if hasCode(err, mcp.INVALID_PARAMS) && len(r.asked) > 0 {
		refused := err
		r, err = c.pages(ctx, method)
		r.note(NoticeListRestarted, "a cursor of %s was refused (%v); the list was read from its start again",
			method.name, refused)
	}
	if hasCode(err, mcp.METHOD_NOT_FOUND) && len(r.asked) == 0 {
		if declares == unknownState {
			return snapshot.List{Kind: method.kind}, nil, nil
		}
		r.note(NoticeNotImplemented, "the server declares the capability %q and answers %s with %q",
			method.kind.Capability(), method.name, "method not found")
		return snapshot.List{Kind: method.kind}, r.notices, nil
	}
	if err != nil {
		return snapshot.NewPart(method.kind, r.items, err.Error()), r.notices, err
	}
	list := snapshot.NewList(method.kind, r.items)
	list.Pages = r.pages
	return list, append(r.notices, method.oddKeys(list)...), nil
}

// pages asks for one page after the other, following the cursors, until the list or the limits end it. The
// pager is never nil: with an error it holds what arrived before.
func (c caller) pages(ctx context.Context, method listMethod) (*pager, error) {
	r := &pager{method: method, modern: c.version >= modern}
	params := map[string]any{}
	for {
		raw, err := c.send(ctx, c.request(method.name, params))
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

// onPage returns err with the number of the page, unless that is the first.
func (r *pager) onPage(err error) error {
	if len(r.asked) == 0 {
		return err
	}
	return fmt.Errorf("page %d: %w", len(r.asked)+1, err)
}

// take adds a page and returns the cursor of the next one, nil at the end.
func (r *pager) take(raw json.RawMessage) (json.RawMessage, error) {
	items, next, err := r.readPage(raw)
	if err != nil {
		r.add(items) // they are good where only the cursor is not
		return nil, r.onPage(err)
	}
	if slices.Contains(r.asked, string(next)) {
		return nil, r.cursorLoop(items, next)
	}
	r.add(items)
	if next != nil {
		r.asked = append(r.asked, string(next))
	}
	return next, r.bounded()
}

func (r *pager) add(items []json.RawMessage) {
	r.items = append(r.items, items...)
	r.pages++
}

// cursorLoop ends a list whose cursor leads back. A server that sends its first page once more knows of no
// cursors, so that page is all there is; after any other page that names a cursor again there may be more.
func (r *pager) cursorLoop(items []json.RawMessage, next json.RawMessage) error {
	repeats := r.pages == 1 &&
		slices.EqualFunc(r.items, items, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })
	if !repeats {
		r.add(items)
	}
	cursor := kit.Clip(string(next), shortText)
	r.note(NoticeCursorRepeated, "%s names the cursor %s again; the list was ended there with %d items",
		r.method.name, cursor, len(r.items))
	if repeats {
		r.pages++ // a list of several pages may change while it is read
		return nil
	}
	return r.onPage(badShape.errorf("%s names the cursor %s again, so what comes behind its %d items "+
		"cannot be read", r.method.name, cursor, len(r.items)))
}

// bounded returns the error of a list that is over one of its limits.
func (r *pager) bounded() error {
	switch {
	case len(r.asked) >= maxPages:
		return overLimit.errorf("%s goes on after %d pages", r.method.name, maxPages)
	case len(r.items) > snapshot.MostItems:
		return overLimit.errorf("%s has more than %d items", r.method.name, snapshot.MostItems)
	}
	return nil
}

func (r *pager) note(code, format string, args ...any) {
	r.notices = append(r.notices, r.method.notice(code, format, args...))
}

// readPage returns the items of a list result, exactly as sent, and the cursor to go on with; nil at the end.
// A result of another shape is an error: it must not look like an empty list.
func (r *pager) readPage(raw json.RawMessage) (items []json.RawMessage, next json.RawMessage, err error) {
	name, kind := r.method.name, string(r.method.kind)
	result, repeated, err := rawjson.ReadObject(raw)
	if err != nil {
		return nil, nil, badShape.errorf("the result of %s %v", name, err)
	}
	if err := complete(result); err != nil {
		return nil, nil, badShape.errorf("the result of %s %s", name, err)
	}
	if len(repeated) > 0 {
		r.note(NoticeMemberRepeated, "the result of %s has %s more than once; the last counts", name,
			strings.Join(repeated, ", "))
	}
	if !utf8.Valid(raw) {
		r.note(NoticeInvalidUTF8, "the result of %s is not valid UTF-8", name)
	}
	if list := rawjson.TypeName(result[kind]); list != "an array" {
		return nil, nil, badShape.errorf("the result of %s has no list: %q is %s", name, kind, list)
	}
	if items, err = rawjson.Elements(result[kind]); err != nil {
		return nil, nil, badShape.errorf("reading the result of %s: %v", name, err)
	}
	next = result.Present("nextCursor") // as it was sent: "" is one too (specification, pagination)
	switch found := rawjson.TypeName(next); found {
	case "missing", "a string":
	case "a number":
		r.note(NoticeCursorOdd, "nextCursor of %s is a number, not a string", name)
	default:
		return items, nil, badShape.errorf("the result of %s cannot be followed: nextCursor is %s, not a "+
			"string", name, found)
	}
	if absent := missing(result); r.modern && len(absent) > 0 && len(r.asked) == 0 {
		r.note(NoticeFieldsMissing, "the result of %s has no %s", name, strings.Join(absent, ", "))
	}
	return items, next, nil
}

// missing returns the members that a list has to have since 2026-07-28 (specification, basic: resultType;
// caching) and has not.
func missing(result rawjson.Object) []string {
	return kit.Filter([]string{"resultType", "ttlMs", "cacheScope"},
		func(name string) bool { return result.Present(name) == nil })
}

// complete reports whether the result is whole (specification 2026-07-28, basic: resultType; absent means
// complete).
func complete(result rawjson.Object) error {
	raw := result.Present("resultType")
	word, text := rawjson.Text(raw)
	switch {
	case raw == nil, word == "complete":
		return nil
	case word == "input_required":
		return fmt.Errorf("asks for input (resultType %q), which a list must not", word)
	case text:
		return fmt.Errorf("has the unknown resultType %q", word)
	}
	return fmt.Errorf("has a resultType that is %s", rawjson.TypeName(raw))
}

// oddKeys reports items without a name of their own, in one notice for each way.
func (m listMethod) oddKeys(list snapshot.List) []Notice {
	var odd, twice []string
	seen := map[string]bool{}
	for i, item := range list.Items() {
		switch {
		case item.Key == "":
			_, err := snapshot.KeyOf(m.kind, item.Raw)
			odd = append(odd, fmt.Sprintf("item %d: %v", i+1, err))
		case seen[item.Key]:
			twice = append(twice, strconv.Quote(kit.Clip(item.Key, shortText)))
		}
		seen[item.Key] = true
	}
	var notices []Notice
	if len(odd) > 0 {
		notices = append(notices, m.notice(NoticeItemOdd, "%s has items without a usable %s: %s", m.name,
			m.kind.KeyField(), kit.Some(odd)))
	}
	if len(twice) > 0 {
		notices = append(notices, m.notice(NoticeDuplicate, "%s has more than once: %s", m.name,
			kit.Some(twice)))
	}
	return notices
}
