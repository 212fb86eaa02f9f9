package check

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/schema"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// modern is the first revision of the protocol without a handshake.
const modern = "2026-07-28"

// server is a subject with what several rules need of it.
type server struct {
	Subject
	ctx     context.Context // of the one call that this is for
	options Options
	items   []item    // all that it offers, in the order of the lists
	tools   []tool    // those of them that are tools
	texts   []written // every string that the server wrote, keys of objects included
	sent    func() map[string]*rawjson.Part
}

type item struct {
	snapshot.Item
	kind   snapshot.Kind
	id     string           // such as "tool/search"
	fields map[string]any   // decoded; nil when the item is no object
	parts  map[string]*part // the same with what is known of each

	repeats bool // it has members of one name
}

// written is a part of an item, or of the server itself where that is empty.
type written struct {
	item string
	*part
}

// tool is one tool with its schemas, which are nil where they are missing.
type tool struct {
	item
	input, output *document
	schemas       []*document // those of them that there are
	share         int         // of the work on schemas
}

type passage struct {
	way   *trail
	text  string
	prose bool // written for a model or a person to read: a description, a title, instructions
	key   bool // the name of a member, not its value
}

// short reports whether the passage is too short for a phrase, a name or a secret.
func (p passage) short() bool { return len(p.text) < leastPhrase }

// path is the JSON pointer of the passage, as findings tell it.
func (p passage) path() string { return p.way.place() }

const maxRead = 4 << 20

func newServer(ctx context.Context, subject Subject, options Options) *server {
	s := &server{Subject: subject, ctx: ctx, options: options}
	s.sent = sync.OnceValue(s.parts)
	var start *trail
	info, _ := rawjson.Decode(s.Snapshot.Server)
	s.write("", passage{way: start.below("/instructions"), text: s.Snapshot.Instructions, prose: true})
	s.write("", passages(nil, start.below("/serverInfo"), "serverInfo", info)...)
	for _, kind := range snapshot.Kinds() {
		for _, raw := range s.Snapshot.List(kind).Items() {
			if s.stopped() {
				return s
			}
			i := readItem(kind, raw)
			s.items = append(s.items, i)
			for _, name := range kit.SortedKeys(i.parts) {
				s.texts = append(s.texts, written{i.id, i.parts[name]})
			}
			if kind == snapshot.Tools {
				s.tools = append(s.tools, newTool(ctx, i))
			}
		}
	}
	for n, t := range s.tools {
		s.tools[n].share = min(cmp.Or(s.options.Steps, DefaultSteps)/len(s.tools)+len(t.Raw), mostSteps)
		pool := &schema.Pool{Left: s.tools[n].share}
		for _, d := range t.schemas {
			d.pool = pool
		}
	}
	return s
}

// parts are the items as they were sent.
func (s *server) parts() map[string]*rawjson.Part {
	all := make(map[string]*rawjson.Part, len(s.items))
	for _, i := range s.items {
		all[i.id] = &rawjson.Part{Raw: i.Raw}
	}
	return all
}

// asSent is the new value of a finding, by the bytes that the server sent where it is the value at its place.
// Rules look at decoded values, which have lost the order of members, repeated ones, and halves of surrogate
// pairs.
func (s *server) asSent(f finding.Finding) json.RawMessage {
	const spelled = 16 // how much longer the same value may be as sent
	item := s.sent()[f.Item]
	if item == nil || len(f.New) == 0 {
		return f.New
	}
	raw := item.At(f.Pointer())
	if len(raw) == 0 || raw[0] != f.New[0] || len(raw) > spelled*len(f.New) || bytes.Equal(raw, f.New) {
		return f.New
	}
	if is, err := rawjson.Decode(raw); err == nil {
		if told, err := rawjson.Decode(f.New); err == nil && bytes.Equal(encoded(is), encoded(told)) {
			return raw
		}
	}
	return f.New
}

func (s *server) write(item string, texts ...passage) {
	s.texts = append(s.texts, written{item, (&part{texts: texts}).withWords()})
}

func readItem(kind snapshot.Kind, raw snapshot.Item) item {
	i := item{Item: raw, kind: kind, id: kind.ID(raw.Key)}
	members, err := rawjson.Members(raw.Raw)
	if err != nil || len(raw.Raw) > maxRead {
		return i
	}
	i.fields, i.parts = make(map[string]any, len(members)), make(map[string]*part, len(members))
	for _, m := range members {
		i.repeats = i.repeats || i.parts[m.Key] != nil
		i.parts[m.Key] = newPart(m.Key, m.Value)
		i.fields[m.Key] = i.parts[m.Key].value
	}
	return i
}

// object is the item as it was sent.
func (i item) object() rawjson.Object {
	if i.parts == nil {
		return rawjson.ObjectOf(i.Raw)
	}
	o := make(rawjson.Object, len(i.parts))
	for name, p := range i.parts {
		o[name] = p.raw
	}
	return o
}

// leastPhrase is the length of the shortest text in which a phrase, a name or a secret is looked for.
const leastPhrase = 7

// DefaultSteps is the work on the schemas of one server, in steps of some microsecond: tools have equal
// shares, and one more for each byte.
const DefaultSteps = 500_000

const mostSteps = 250_000 // for one tool

func (s *server) of(kind snapshot.Kind) []item {
	is := func(i item) bool { return i.kind == kind }
	first := max(0, slices.IndexFunc(s.items, is)) // those of one kind stand together
	of := s.items[first:]
	if end := slices.IndexFunc(of, func(i item) bool { return !is(i) }); end >= 0 {
		of = of[:end]
	}
	return slices.Clip(of)
}

// modern tells whether HTTP clients may reach the server in the revision 2026-07-28.
func (s *server) modern() bool {
	return s.Snapshot.Protocol >= modern || slices.Contains(s.Snapshot.Supported, modern)
}

// text is a member that is a string; empty when it is none.
func (i item) text(name string) string {
	text, _ := i.fields[name].(string)
	return text
}

// described tells of the arguments of a prompt which have a description; of several with one name the first
// counts.
func (i item) described() map[string]bool {
	told := map[string]bool{}
	arguments, _ := i.fields["arguments"].([]any)
	for _, value := range arguments {
		a, _ := value.(map[string]any)
		name, _ := a["name"].(string)
		if _, known := told[name]; !known {
			told[name] = a["description"] != nil
		}
	}
	return told
}

// argumentNames are the arguments of a prompt, in their order.
func (i item) argumentNames() []string {
	var names []string
	arguments, _ := i.fields["arguments"].([]any)
	for _, value := range arguments {
		a, _ := value.(map[string]any)
		if name, ok := a["name"].(string); ok {
			names = append(names, name)
		}
	}
	return names
}

func (t tool) hints() map[string]any {
	hints, _ := t.fields["annotations"].(map[string]any)
	return hints
}

func newTool(ctx context.Context, i item) tool {
	t := tool{item: i, input: documentOf(ctx, i, "inputSchema"), output: documentOf(ctx, i, "outputSchema")}
	t.schemas = kit.Filter([]*document{t.input, t.output}, func(d *document) bool { return d != nil })
	return t
}

// passages adds the strings inside a value, in the order of their keys.
func passages(found []passage, way *trail, key string, value any) []passage {
	switch v := value.(type) {
	case string:
		return append(found, passage{way: way, text: v, prose: key == "description" || key == "title"})
	case []any:
		for i, element := range v {
			found = passages(found, way.element(i), "", element)
		}
	case map[string]any:
		for _, name := range kit.SortedKeys(v) {
			inner := way.to(name)
			found = append(found, passage{way: inner, text: name, key: true})
			found = passages(found, inner, name, v[name])
		}
	}
	return found
}

// trail is the way to a value, written out only when it is told: in what is nested deep, JSON pointers
// written out take more room than the values.
type trail struct {
	up     *trail // nil at the start
	token  string // a JSON pointer from up to here, escaped
	length int    // of the whole way
	shown  *trail // the way as far as findings tell it
}

// longestPointer is the length up to which a way is written out, in bytes.
const longestPointer = 1 << 10

// below is the way on, by a JSON pointer.
func (t *trail) below(pointer string) *trail {
	on := &trail{up: t, token: pointer, length: len(pointer)}
	if on.shown = on; t != nil {
		if on.length += t.length; t.shown != t || on.length > longestPointer {
			on.shown = t.shown
		}
	} else if on.length > longestPointer {
		on.shown = nil
	}
	return on
}

// to is the way on, through the members of objects.
func (t *trail) to(keys ...string) *trail { return t.below(rawjson.Join("", keys...)) }

// element is the way on, through the element of an array.
func (t *trail) element(n int) *trail { return t.below("/" + strconv.Itoa(n)) }

// String is the whole way as a JSON pointer.
func (t *trail) String() string {
	var tokens []string
	for ; t != nil; t = t.up {
		tokens = append(tokens, t.token)
	}
	slices.Reverse(tokens)
	return strings.Join(tokens, "")
}

// place is the way as findings tell it: where that would be too long, to the nearest value around. A long
// name over many short values would be repeated for each.
func (t *trail) place() string {
	if t == nil {
		return ""
	}
	return t.shown.String()
}

// lazy is a regular expression that is read when it is used first: a program that checks nothing pays for
// none.
type lazy = func() *regexp.Regexp
