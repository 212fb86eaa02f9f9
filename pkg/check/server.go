package check

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/wording"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/schema"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// modern is the first revision of the protocol without a handshake.
const modern = "2026-07-28"

const (
	// work on the schemas of one server, in steps of about a microsecond; tools have equal shares, and one
	// step more for each byte
	maxServerSteps = 500_000
	maxToolSteps   = 250_000 // of one tool
	maxItemBytes   = 4 << 20 // larger items are not decoded
	minPhrase      = 7       // bytes of the shortest text that eachPhrase reads
	maxPointer     = 1 << 10 // bytes of a JSON pointer in a finding
	maxSpelledOut  = 16      // how many times longer a value may be as sent
	maxQuotedRunes = 80      // of a text in a message
)

// server is a subject, decoded.
type server struct {
	Subject
	ctx     context.Context
	options Options
	items   []*item // in the order of the lists
	tools   []*item // the items that are tools
	texts   []text  // every string from the server, keys of objects included
	sent    map[string]*rawjson.Part

	vocabulary func() map[string]bool
	orders     func() map[int]wording.Order // the first one in each text that has one, by its index in texts
}

// item is a tool, prompt, resource, template or skill.
type item struct {
	snapshot.Item
	kind   snapshot.Kind
	id     string         // such as "tool/search"
	fields map[string]any // decoded; nil when it is not an object or too large
	texts  []text

	input, output *document // of a tool; nil when missing
	schemas       []*document
}

// text is a string from the server.
type text struct {
	item  string // its id; empty for the server itself
	path  *pointer
	value string
	prose bool // a description, title or instructions
	key   bool // the name of a member
}

// newServer decodes what a server sent and shares the steps for its schemas among its tools. When the context
// ends it returns early, with the items so far, and the schemas have no pool.
func newServer(ctx context.Context, subject Subject, options Options) *server {
	s := &server{Subject: subject, ctx: ctx, options: options, sent: map[string]*rawjson.Part{}}
	s.vocabulary = sync.OnceValue(s.collectVocabulary)
	s.orders = sync.OnceValue(s.findOrders)
	info, _ := rawjson.Decode(s.Snapshot.Server)
	s.texts = []text{{path: root.to("instructions"), value: s.Snapshot.Instructions, prose: true}}
	s.texts = collectTexts(s.texts, "", root.to("serverInfo"), "serverInfo", info)
	for _, kind := range snapshot.Kinds() {
		for _, raw := range s.Snapshot.List(kind).Items() {
			if s.stopped() {
				return s
			}
			i := newItem(ctx, kind, raw)
			s.items, s.texts = append(s.items, i), append(s.texts, i.texts...)
			s.sent[i.id] = &rawjson.Part{Raw: i.Raw}
			if kind == snapshot.Tools {
				s.tools = append(s.tools, i)
			}
		}
	}
	for _, t := range s.tools {
		share := maxServerSteps/len(s.tools) + len(t.Raw)
		pool := &schema.Pool{Left: min(share, maxToolSteps)}
		for _, d := range t.schemas {
			d.pool = pool
		}
	}
	return s
}

// newItem decodes an item. One larger than maxItemBytes has neither fields, texts nor schemas, so that most
// rules pass over it.
func newItem(ctx context.Context, kind snapshot.Kind, raw snapshot.Item) *item {
	i := &item{Item: raw, kind: kind, id: kind.ID(raw.Key)}
	if len(raw.Raw) > maxItemBytes {
		return i
	}
	value, _ := rawjson.Decode(raw.Raw)
	isObject := false
	if i.fields, isObject = value.(map[string]any); !isObject {
		i.texts = collectTexts(nil, i.id, root, "", value)
	}
	for _, name := range kit.SortedKeys(i.fields) {
		i.texts = append(i.texts, text{item: i.id, path: root.to(name), value: name, key: true})
		i.texts = collectTexts(i.texts, i.id, root.to(name), name, i.fields[name])
	}
	i.texts = append(i.texts, i.overriddenTexts()...)
	if kind == snapshot.Tools && i.fields != nil {
		i.input = newDocument(ctx, i, "inputSchema")
		i.output = newDocument(ctx, i, "outputSchema")
		i.schemas = kit.Filter([]*document{i.input, i.output}, func(d *document) bool { return d != nil })
	}
	return i
}

// overriddenTexts returns the texts of members that are sent again: some clients read the first one.
func (i *item) overriddenTexts() (all []text) {
	if len(rawjson.Repeated(i.Raw)) == 0 {
		return nil
	}
	known := kit.Set(kit.Map(i.texts, func(t text) string { return t.value }))
	rawjson.Strings(i.Raw, func(steps []string, value string, isName bool) {
		if known[value] {
			return
		}
		known[value] = true
		last := strings.Join(steps[max(0, len(steps)-1):], "")
		all = append(all, text{item: i.id, path: root.to(steps...), value: value,
			prose: !isName && (last == "description" || last == "title"), key: isName})
	})
	return all
}

// collectTexts appends the strings inside a value, by the order of their keys.
func collectTexts(found []text, id string, path *pointer, key string, value any) []text {
	switch v := value.(type) {
	case string:
		prose := key == "description" || key == "title"
		return append(found, text{item: id, path: path, value: v, prose: prose})
	case []any:
		for n, element := range v {
			found = collectTexts(found, id, path.to(strconv.Itoa(n)), "", element)
		}
	case map[string]any:
		for _, name := range kit.SortedKeys(v) {
			inner := path.to(name)
			found = append(found, text{item: id, path: inner, value: name, key: true})
			found = collectTexts(found, id, inner, name, v[name])
		}
	}
	return found
}

func (s *server) stopped() bool { return s.ctx.Err() != nil }

// modern reports whether HTTP clients may use the revision 2026-07-28.
func (s *server) modern() bool {
	return s.Snapshot.Protocol >= modern || slices.Contains(s.Snapshot.Supported, modern)
}

func (s *server) of(kind snapshot.Kind) []*item {
	return kit.Filter(s.items, func(i *item) bool { return i.kind == kind })
}

// asSent returns the new value of a finding as the server sent it, if it stands at the finding's place.
// Decoded values have lost the order of members, repeated members and halves of surrogate pairs.
func (s *server) asSent(f finding.Finding) json.RawMessage {
	part := s.sent[f.Item]
	if part == nil || len(f.New) == 0 {
		return f.New
	}
	raw := part.At(f.Pointer())
	if len(raw) == 0 || raw[0] != f.New[0] || len(raw) > maxSpelledOut*len(f.New) {
		return f.New
	}
	if value, err := rawjson.Decode(raw); err != nil || !rawjson.Equal(encoded(value), f.New) {
		return f.New
	}
	return raw
}

// string returns a member that is a string, else "".
func (i *item) string(name string) string {
	value, _ := i.fields[name].(string)
	return value
}

func (i *item) hints() map[string]any {
	hints, _ := i.fields["annotations"].(map[string]any)
	return hints
}

// pointer is a JSON pointer that is joined only when it is reported: in deeply nested values the pointers
// take more memory than the values. One beyond maxPointer stays at the nearest enclosing value.
type pointer struct {
	parent *pointer
	token  string // escaped
	length int
	cut    bool
}

var root = &pointer{}

// to returns the pointer to a member or element.
func (p *pointer) to(keys ...string) *pointer { return p.join(rawjson.Join("", keys...)) }

// join appends another pointer.
func (p *pointer) join(token string) *pointer {
	if length := p.length + len(token); !p.cut && length <= maxPointer {
		return &pointer{p, token, length, false}
	}
	return &pointer{p.parent, p.token, p.length, true}
}

// String returns the JSON pointer.
func (p *pointer) String() string {
	tokens := make([]string, 0, 8)
	for ; p != nil; p = p.parent {
		tokens = append(tokens, p.token)
	}
	slices.Reverse(tokens)
	return strings.Join(tokens, "")
}

// location is a place that a rule can report.
type location struct {
	server *server
	item   string
	path   *pointer
	report reporter
}

// at returns a location inside.
func (l location) at(keys ...string) location {
	l.path = l.path.to(keys...)
	return l
}

// below returns the location at a JSON pointer inside.
func (l location) below(pointer string) location {
	l.path = l.path.join(pointer)
	return l
}

// add reports a member of the value at the location, or the value itself if member is empty. The message is
// the rule's title when format is empty.
func (l location) add(member string, value json.RawMessage, format string, args ...any) {
	l.report(finding.Finding{Item: l.item, Path: l.path.String(), Member: member, New: value,
		Message: fmt.Sprintf(format, args...)})
}

// eachItem makes a rule that is applied to each item.
func eachItem(apply func(i *item, at location)) rule {
	return func(s *server, report reporter) {
		for _, i := range s.items {
			if !s.stopped() {
				apply(i, location{s, i.id, root, report})
			}
		}
	}
}

// eachTool makes a rule that is applied to each tool that was decoded.
func eachTool(apply func(t *item, at location)) rule {
	return eachItem(func(i *item, at location) {
		if i.kind == snapshot.Tools && i.fields != nil {
			apply(i, at)
		}
	})
}

// eachPromptArgument makes a rule that is applied to each argument of a prompt.
func eachPromptArgument(apply func(name string, argument map[string]any, at location)) rule {
	return eachItem(func(i *item, at location) {
		values, _ := i.fields["arguments"].([]any)
		for n, value := range values {
			argument, _ := value.(map[string]any)
			if name, ok := argument["name"].(string); ok && i.kind == snapshot.Prompts {
				apply(name, argument, at.at("arguments", strconv.Itoa(n)))
			}
		}
	})
}

// eachText makes a rule that is applied to each text.
func eachText(apply func(t text, at location)) rule {
	return func(s *server, report reporter) {
		for _, t := range s.texts {
			if !s.stopped() {
				apply(t, location{s, t.item, t.path, report})
			}
		}
	}
}

// eachPhrase makes a rule that is applied to each text that can hold a phrase, a name or a secret.
func eachPhrase(apply func(t text, at location)) rule {
	return eachText(func(t text, at location) {
		if len(t.value) >= minPhrase {
			apply(t, at)
		}
	})
}

// eachPhraseOnce is eachPhrase for a rule that looks at nothing but the text: a text about which it had
// nothing to report is not read again, in any server.
func eachPhraseOnce(apply func(t text, at location)) rule {
	quiet := &quietTexts{}
	return eachPhrase(func(t text, at location) {
		key := quiet.key(t)
		if quiet.has(key) {
			return
		}
		report, spoke := at.report, false
		at.report = func(f finding.Finding) {
			spoke = true
			report(f)
		}
		if apply(t, at); !spoke {
			quiet.add(key)
		}
	})
}

// maxQuiet bounds the texts that a rule remembers: some 2 MiB, and 16 MiB for all rules together.
const maxQuiet = 40_000

// quietTexts are the texts about which a rule had nothing to report.
type quietTexts struct {
	mu    sync.Mutex
	known map[[16]byte]struct{}
}

// key returns the digest of a text and of what it is.
func (q *quietTexts) key(t text) (key [16]byte) {
	var prose byte
	if t.prose {
		prose = 1
	}
	sum := sha256.Sum256([]byte(t.value))
	copy(key[:], sum[:])
	key[0] = key[0]&^1 | prose
	return key
}

func (q *quietTexts) has(key [16]byte) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	_, known := q.known[key]
	return known
}

// add remembers a text, and forgets all others when there are too many.
func (q *quietTexts) add(key [16]byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.known == nil || len(q.known) >= maxQuiet {
		q.known = map[[16]byte]struct{}{}
	}
	q.known[key] = struct{}{}
}

// combined makes a rule of several.
func combined(rules ...rule) rule {
	return func(s *server, report reporter) {
		for _, apply := range rules {
			apply(s, report)
		}
	}
}

// before makes a rule that is applied to servers that speak a revision before this one.
func before(revision string, apply rule) rule {
	return func(s *server, report reporter) {
		if s.Snapshot.Protocol < revision {
			apply(s, report)
		}
	}
}

// lazy is a regular expression that is compiled at first use.
type lazy = func() *regexp.Regexp

// quote returns the start of a text for a message.
func quote(text string) string {
	if runes := []rune(text); len(runes) > maxQuotedRunes {
		return string(runes[:maxQuotedRunes]) + "…"
	}
	return text
}

func encoded(value any) json.RawMessage {
	raw, _ := rawjson.Encode(value) // decoded values always encode
	return raw
}
