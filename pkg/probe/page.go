package probe

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// page is one reply to a list request.
type page struct {
	items   []json.RawMessage // exactly as sent
	next    json.RawMessage   // the cursor to go on with; nil at the end
	missing []string          // members that every result has since 2026-07-28
	notices []Notice
	ttl     time.Duration // how long the server takes the page to stay current
}

// readPage splits the result of a list request. A result of another shape is an error: it must not look like an empty list.
func (s surface) readPage(raw json.RawMessage) (page, error) {
	result, err := readObject(raw)
	if err != nil {
		return page{}, shape.errorf("the result of %s %v", s.method, err)
	}
	if err := complete(result); err != nil {
		return page{}, shape.errorf("the result of %s %s", s.method, err)
	}
	p := page{notices: s.oddities(raw, result), missing: missing(result), ttl: ttlOf(result)}
	list := result.members[string(s.kind)]
	if jsonType(list) != "an array" {
		return page{}, shape.errorf("the result of %s has no list: %q is %s", s.method, s.kind, jsonType(list))
	}
	if p.items, err = rawjson.Elements(list); err != nil {
		return page{}, shape.errorf("reading the result of %s: %v", s.method, err)
	}
	p.next, err = s.cursor(result, &p)
	return p, err
}

// missing are the members that a list has to have since 2026-07-28 (specification, basic: resultType; caching) and has not.
func missing(result object) []string {
	var names []string
	for _, name := range []string{"resultType", "ttlMs", "cacheScope"} {
		if result.present(name) == nil {
			names = append(names, name)
		}
	}
	return names
}

// ttlOf is the ttlMs of a result (specification 2026-07-28, caching); what is no positive number of milliseconds is 0.
func ttlOf(result object) time.Duration {
	var ms float64
	if json.Unmarshal(result.present("ttlMs"), &ms) != nil || ms < 0 {
		return 0
	}
	return time.Duration(min(ms, longestTTL)) * time.Millisecond
}

// longestTTL is a day, in milliseconds: nobody keeps a list for longer.
const longestTTL = 24 * 60 * 60 * 1000

// complete tells whether the result is whole (specification 2026-07-28, basic: resultType; absent means complete).
func complete(result object) error {
	raw := result.present("resultType")
	word, text := rawjson.Text(raw)
	switch {
	case raw == nil, word == "complete":
		return nil
	case word == "input_required":
		return fmt.Errorf("asks for input (resultType %q), which a list must not", word)
	case text:
		return fmt.Errorf("has the unknown resultType %q", word)
	}
	return fmt.Errorf("has a resultType that is %s", jsonType(raw))
}

// cursor is the next cursor as it was sent: an empty string is one too (specification, pagination).
func (s surface) cursor(result object, p *page) (json.RawMessage, error) {
	next := result.present("nextCursor")
	switch kind := jsonType(next); kind {
	case "missing", "a string":
		return next, nil
	case "a number":
		p.notices = append(p.notices, s.notice(NoticeCursorOdd, "nextCursor of %s is a number, not a string", s.method))
		return next, nil
	default:
		return nil, shape.errorf("the result of %s cannot be followed: nextCursor is %s, not a string", s.method, kind)
	}
}

func (s surface) oddities(raw json.RawMessage, result object) []Notice {
	var odd []Notice
	if len(result.repeated) > 0 {
		odd = append(odd, s.notice(NoticeMemberRepeated, "the result of %s has %s more than once; the last counts",
			s.method, strings.Join(result.repeated, ", ")))
	}
	if !utf8.Valid(raw) {
		odd = append(odd, s.notice(NoticeInvalidUTF8, "the result of %s is not valid UTF-8", s.method))
	}
	return odd
}

// keys reports items without a name of their own, in one notice for each way.
func (s surface) keys(list snapshot.List) []Notice {
	var odd, twice []string
	seen := map[string]bool{}
	for i, item := range list.Items() {
		switch {
		case item.Key == "":
			_, err := snapshot.KeyOf(s.kind, item.Raw)
			odd = append(odd, fmt.Sprintf("item %d: %v", i+1, err))
		case seen[item.Key]:
			twice = append(twice, strconv.Quote(clip(item.Key, shortText)))
		}
		seen[item.Key] = true
	}
	var notices []Notice
	if len(odd) > 0 {
		notices = append(notices, s.notice(NoticeItemOdd, "%s has items without a usable %s: %s", s.method, s.kind.KeyField(), some(odd)))
	}
	if len(twice) > 0 {
		notices = append(notices, s.notice(NoticeDuplicate, "%s has more than once: %s", s.method, some(twice)))
	}
	return notices
}

// some is the first few of many texts, and how many more there are.
func some(texts []string) string {
	const few = 5
	if more := len(texts) - few; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(texts[:few], ", "), more)
	}
	return strings.Join(texts, ", ")
}
