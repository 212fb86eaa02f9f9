package check

import (
	"cmp"
	"context"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/tokens"
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
	metas   *metas
	items   []item    // all that it offers, in the order of the lists
	tools   []tool    // those of them that are tools
	texts   []passage // every string that the server wrote, keys of objects included
}

// metas are the meta-schemas that were read, for all servers of a run.
type metas struct {
	mu   sync.Mutex
	read map[schema.Draft]*schema.Schema
}

func (m *metas) of(draft schema.Draft) *schema.Schema {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.read == nil {
		m.read = map[schema.Draft]*schema.Schema{}
	}
	if m.read[draft] == nil {
		m.read[draft] = schema.Meta(draft)
	}
	return m.read[draft]
}

// item is one tool, prompt, resource or template.
type item struct {
	snapshot.Item
	kind   snapshot.Kind
	id     string         // such as "tool/search"
	fields map[string]any // decoded; nil when the item is no object
}

// tool is one tool with its schemas, which are nil where they are missing.
type tool struct {
	item
	input, output *document
}

// passage is one string.
type passage struct {
	item  string // id of the item; empty for the server itself
	way   *trail
	text  string
	prose bool // written for a model or a person to read: a description, a title, instructions
	key   bool // the name of a member, not its value
}

// path is the JSON pointer of the passage, as findings tell it.
func (p passage) path() string { return p.way.place() }

// maxRead is how large an item may be, in bytes, to be looked into.
const maxRead = 4 << 20

func newServer(ctx context.Context, subject Subject, options Options, known *metas) *server {
	s := &server{Subject: subject, ctx: ctx, options: options, metas: known}
	s.texts = append(s.texts, passage{way: &trail{token: "/instructions"}, text: s.Snapshot.Instructions, prose: true})
	info, _ := rawjson.Decode(s.Snapshot.Server)
	s.texts = append(s.texts, passages("", &trail{token: "/serverInfo"}, "serverInfo", info)...)
	for _, kind := range snapshot.Kinds() {
		for _, raw := range s.Snapshot.List(kind).Items() {
			if s.stopped() {
				return s
			}
			i := item{Item: raw, kind: kind, id: kind.ID(raw.Key)}
			if len(raw.Raw) <= maxRead {
				value, _ := rawjson.Decode(raw.Raw)
				i.fields, _ = value.(map[string]any)
			}
			s.items = append(s.items, i)
			s.texts = append(s.texts, passages(i.id, nil, "", i.fields)...)
			if kind == snapshot.Tools {
				s.tools = append(s.tools, tool{i, documentOf(ctx, i, "inputSchema"), documentOf(ctx, i, "outputSchema")})
			}
		}
	}
	for _, t := range s.tools {
		pool := &schema.Pool{Left: min(cmp.Or(s.options.Steps, DefaultSteps)/len(s.tools)+len(t.Raw), mostSteps)}
		for _, d := range t.schemas() {
			d.pool = pool
		}
	}
	return s
}

// DefaultSteps is the work on the schemas of one server, in steps of some microsecond: tools have equal shares, and one more for
// each byte.
const DefaultSteps = 500_000

const mostSteps = 250_000 // for one tool

// of are the items of a kind.
func (s *server) of(kind snapshot.Kind) []item {
	return slices.DeleteFunc(slices.Clone(s.items), func(i item) bool { return i.kind != kind })
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

// described tells of the arguments of a prompt which have a description; of several with one name the first counts.
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

// hints are the annotations of a tool.
func (t tool) hints() map[string]any {
	hints, _ := t.fields["annotations"].(map[string]any)
	return hints
}

// schemas are the documents of a tool that are there.
func (t tool) schemas() []*document {
	return slices.DeleteFunc([]*document{t.input, t.output}, func(d *document) bool { return d == nil })
}

// passages are the strings inside a value, in the order of their keys.
func passages(item string, way *trail, key string, value any) []passage {
	switch v := value.(type) {
	case string:
		return []passage{{item: item, way: way, text: v, prose: key == "description" || key == "title"}}
	case []any:
		var found []passage
		for i, element := range v {
			found = append(found, passages(item, way.element(i), "", element)...)
		}
		return found
	case map[string]any:
		var found []passage
		for _, name := range slices.Sorted(maps.Keys(v)) {
			inner := way.to(name)
			found = append(found, passage{item: item, way: inner, text: name, key: true})
			found = append(found, passages(item, inner, name, v[name])...)
		}
		return found
	}
	return nil
}

// trail is the way to a value, written out only when it is told: in what is nested deep, JSON pointers written out take
// more room than the values.
type trail struct {
	up    *trail // nil at the start
	token string // a JSON pointer from up to here, escaped
}

// to is the way on, through the members of objects.
func (t *trail) to(keys ...string) *trail { return &trail{t, rawjson.Join("", keys...)} }

// element is the way on, through the element of an array.
func (t *trail) element(n int) *trail { return &trail{t, "/" + strconv.Itoa(n)} }

// longestPointer is the length up to which a way is written out, in bytes.
const longestPointer = 1 << 10

// String is the whole way as a JSON pointer.
func (t *trail) String() string { return strings.Join(t.tokens(), "") }

func (t *trail) tokens() []string {
	var tokens []string
	for ; t != nil; t = t.up {
		tokens = append(tokens, t.token)
	}
	slices.Reverse(tokens)
	return tokens
}

// place is the way as findings tell it: where that would be too long, to the nearest value around. A long name over many short
// values would be repeated for each.
func (t *trail) place() string {
	tokens, length := t.tokens(), 0
	end := slices.IndexFunc(tokens, func(token string) bool {
		length += len(token)
		return length > longestPointer
	})
	if end >= 0 {
		tokens = tokens[:end]
	}
	return strings.Join(tokens, "")
}

// lazy is a regular expression that is read when it is used first: a program that checks nothing pays for none.
type lazy = func() *regexp.Regexp

// Tokens is what a server costs every conversation that has it, in tokens of o200k_base: its instructions and its tools.
// Prompts and resources cost nothing until they are used.
func Tokens(s *snapshot.Snapshot) int { return TokensOf(s)[0] }

// TokensOf is Tokens of several snapshots. A tool that they share is counted once, which is what makes comparing two
// versions of a server cheap.
func TokensOf(snapshots ...*snapshot.Snapshot) []int {
	all, known := make([]int, len(snapshots)), map[string]int{}
	var counter tokens.Counter
	for i, s := range snapshots {
		all[i] = counter.Count(s.Instructions)
		for _, t := range s.Tools.Items() {
			n, counted := known[string(t.Raw)]
			if !counted {
				n = counter.Count(string(handedOn(t)))
				known[string(t.Raw)] = n
			}
			all[i] += n
		}
	}
	return all
}

// ToolTokens is what one tool costs: its name, description and arguments, which are what clients hand to models, as one
// line of canonical JSON.
func ToolTokens(tool snapshot.Item) int { return tokens.Count(string(handedOn(tool))) }

func handedOn(tool snapshot.Item) []byte {
	var parts []rawjson.Member
	o := rawjson.ObjectOf(tool.Raw)
	for _, name := range []string{"name", "description", "inputSchema"} {
		if value := o[name]; value != nil {
			parts = append(parts, rawjson.Member{Key: name, Value: value})
		}
	}
	canonical, err := rawjson.Canonical(rawjson.Build(parts...))
	if err != nil {
		return tool.Raw
	}
	return canonical
}
