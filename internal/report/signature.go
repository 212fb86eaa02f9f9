package report

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// parameter is one thing that a caller can give to an item.
type parameter struct {
	Name     string
	Required bool
	Schema   json.RawMessage // of its values
}

// propertiesOf returns those of an object schema, in the order in which they were sent, with those of what it
// refers to in a document and of all arms of allOf.
func propertiesOf(s rawjson.Object, document json.RawMessage) []parameter {
	m := members{document: &rawjson.Part{Raw: document}, followed: map[string]bool{},
		required: map[string]bool{}}
	m.read(s)
	seen := map[string]bool{}
	all := kit.Filter(m.all, func(p parameter) bool {
		again := seen[p.Name]
		seen[p.Name] = true
		return !again &&
			!slices.ContainsFunc(m.closed, func(names map[string]bool) bool { return !names[p.Name] })
	})
	return kit.Map(all, func(p parameter) parameter {
		p.Required = m.required[p.Name]
		return p
	})
}

// members are what the arms of an object schema say of properties.
type members struct {
	document *rawjson.Part
	followed map[string]bool // references, each once
	all      []parameter
	required map[string]bool
	closed   []map[string]bool // the names that each closed arm knows; it refuses others
}

func (m *members) read(s rawjson.Object) {
	own, _ := rawjson.Members(s["properties"])
	for _, p := range own {
		m.all = append(m.all, parameter{Name: p.Key, Schema: p.Value})
	}
	for _, name := range rawjson.Texts(s["required"]) {
		m.required[name] = true
	}
	if string(s["additionalProperties"]) == "false" && s["patternProperties"] == nil {
		m.closed = append(m.closed, kit.Set(kit.Map(own, func(p rawjson.Member) string { return p.Key })))
	}
	if ref, local := strings.CutPrefix(s.Text("$ref"), "#"); local && !m.followed[ref] {
		m.followed[ref] = true
		if pointer, err := url.PathUnescape(ref); err == nil {
			m.read(rawjson.ObjectOf(m.document.At(pointer)))
		}
	}
	arms, _ := rawjson.Elements(s["allOf"])
	for _, arm := range arms {
		m.read(rawjson.ObjectOf(arm))
	}
}

// requiredFirst puts what is required before what may be left out.
func requiredFirst(all []parameter) []parameter {
	required := kit.Filter(all, func(p parameter) bool { return p.Required })
	return append(required, kit.Filter(all, func(p parameter) bool { return !p.Required })...)
}

// joinParameters returns the compact form of at most so many parameters: "query, limit?: integer". A string's
// type is left out.
func joinParameters(all []parameter, depth, most int) string {
	var parts []string
	for i, p := range all {
		if i == most && len(all) > most+1 {
			parts = append(parts, "…")
			break
		}
		part := p.mark()
		if kind := shape(p.Schema, depth); kind != "string" {
			part += ": " + kind
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// mark returns the name, followed by ? unless it is required.
func (p parameter) mark() string {
	if p.Required {
		return p.Name
	}
	return p.Name + "?"
}

// signatureOf returns what an item of a kind takes, on one line: "query, limit?: integer".
func signatureOf(kind snapshot.Kind, raw json.RawMessage) string {
	all := requiredFirst(argumentsOf(kind, raw))
	return joinParameters(all, shapeDepth, len(all))
}

// argumentsOf returns what a caller names when it uses an item, in the order in which they were sent.
func argumentsOf(kind snapshot.Kind, raw json.RawMessage) []parameter {
	item := rawjson.ObjectOf(raw)
	switch kind {
	case snapshot.Tools:
		return propertiesOf(rawjson.ObjectOf(item["inputSchema"]), item["inputSchema"])
	case snapshot.Prompts:
		arguments, _ := rawjson.Elements(item["arguments"])
		return kit.Map(arguments, promptArgument)
	}
	return nil
}

// ArgumentNames returns "name=" for each argument of the item of some kinds that has a name in a snapshot.
func ArgumentNames(s *snapshot.Snapshot, kinds []snapshot.Kind, name string) (names []string) {
	for _, kind := range kinds {
		list := s.List(kind)
		for _, item := range list.Items() {
			if item.Key == name {
				names = append(names, kit.Map(argumentsOf(kind, item.Raw),
					func(p parameter) string { return p.Name + "=" })...)
			}
		}
	}
	return names
}

// resultsOf returns the members of what a tool returns, in the order in which they were sent.
func resultsOf(raw json.RawMessage) []parameter {
	schema := rawjson.ObjectOf(raw)["outputSchema"]
	return propertiesOf(rawjson.ObjectOf(schema), schema)
}

// promptArgument returns an argument of a prompt, which is a string. Its schema holds what else is said of
// it.
func promptArgument(raw json.RawMessage) parameter {
	a := rawjson.ObjectOf(raw)
	required, marked := a.Bool("required")
	_, named := rawjson.Text(a["name"])
	schema := kit.Filter(membersIn(raw), func(m rawjson.Member) bool {
		return !(m.Key == "name" && named || m.Key == "required" && marked)
	})
	if a["type"] == nil {
		schema = append(schema, rawjson.Member{Key: "type", Value: rawjson.Quote("string")})
	}
	return parameter{a.Text("name"), required, rawjson.Build(schema...)}
}

// callText returns an item as one would call it, without the types of its arguments.
func callText(name string, all []parameter) string {
	return name + "(" + strings.Join(kit.Map(all, parameter.mark), ", ") + ")"
}

// orderAs puts old arguments into the new ones' order, each that is gone behind the one that it followed.
func orderAs(old, new []parameter) {
	is := make(map[string]int, len(new))
	for i, p := range slices.Backward(new) {
		is[p.Name] = i
	}
	place, last := map[string]int{}, -1
	for _, p := range old {
		if at, both := is[p.Name]; both {
			last = at
		}
		place[p.Name] = last
	}
	slices.SortStableFunc(old, func(a, b parameter) int { return place[a.Name] - place[b.Name] })
}

// SignatureChange is how an item was and is called: its name and arguments in the new order, a ? behind those
// that may be left out.
type SignatureChange struct {
	Item string `json:"item"` // as Finding.Item
	Old  string `json:"old"`
	New  string `json:"new"`
}

// SignatureChanges returns those of the items of both snapshots that are called in another way in the new
// one. A nil snapshot has none.
func SignatureChanges(old, new *snapshot.Snapshot) []SignatureChange {
	if old == nil || new == nil {
		return nil
	}
	var all []SignatureChange
	for _, k := range []snapshot.Kind{snapshot.Tools, snapshot.Prompts} {
		before := map[string][]parameter{}
		was, is := old.List(k), new.List(k)
		for _, item := range was.Items() {
			before[item.Key] = argumentsOf(k, item.Raw)
		}
		for _, item := range is.Items() {
			arguments, both := before[item.Key]
			now := argumentsOf(k, item.Raw)
			orderAs(arguments, now)
			change := SignatureChange{k.ID(item.Key), callText(item.Key, arguments), callText(item.Key, now)}
			if both && change.Old != change.New {
				all = append(all, change)
			}
		}
	}
	return all
}

// concerns reports whether an argument came or went, or became optional or required.
func (c SignatureChange) concerns(argument string) bool {
	old, new := kit.Set(argumentsIn(c.Old)), kit.Set(argumentsIn(c.New))
	return old[argument] != new[argument] || old[argument+"?"] != new[argument+"?"]
}

// argumentsIn returns the arguments of a call, as callText writes them.
func argumentsIn(call string) []string {
	_, list, _ := strings.Cut(strings.TrimSuffix(call, ")"), "(")
	return strings.Split(list, ", ")
}

// omitShared returns a call in which … stands for the arguments that another call has, too.
func omitShared(call, other string) string {
	name, _, _ := strings.Cut(call, "(")
	known := kit.Set(argumentsIn(other))
	var kept []string
	for _, argument := range argumentsIn(call) {
		if !known[argument] {
			kept = append(kept, argument)
		} else if len(kept) == 0 || kept[len(kept)-1] != "…" {
			kept = append(kept, "…")
		}
	}
	return name + "(" + strings.Join(kept, ", ") + ")"
}

// ToolClaims returns in one line what the server says of calling a tool that does not only read, in fixed
// words.
func ToolClaims(tool json.RawMessage) string {
	annotations := rawjson.ObjectOf(rawjson.ObjectOf(tool)["annotations"])
	var claims []string
	claim := func(hint, yes, no string) (known bool) {
		value, known := annotations.Bool(hint)
		if known {
			claims = append(claims, map[bool]string{true: yes, false: no}[value])
		}
		return known
	}
	known := claim("destructiveHint", "may change or destroy something", "only adds something")
	claim("idempotentHint", "changes nothing more when called again", "acts again when called again")
	says := "the server says that it " + strings.Join(claims, " and ")
	switch {
	case len(claims) == 0:
		return "it may change something; the server does not say what"
	case !known:
		return "it may change something; " + says
	}
	return says
}

// ToolHints returns the effective annotations of a tool: those it sends, and the specification's defaults for
// the others.
func ToolHints(tool json.RawMessage) string {
	return strings.Join(kit.Map(toolHints, func(hint toolHint) string {
		if said := hint.in(tool); said != "" {
			return said
		}
		return hint.says + yesNo(hint.value) + " (default)"
	}), ", ")
}

// saidHints returns the hints that a tool sends.
func saidHints(tool json.RawMessage) string {
	return join(", ", kit.Map(toolHints, func(hint toolHint) string { return hint.in(tool) })...)
}

func yesNo(value bool) string { return map[bool]string{true: " yes", false: " no"}[value] }

// in returns what a tool says by the hint; empty if it does not send it.
func (h toolHint) in(tool json.RawMessage) string {
	value, known := rawjson.ObjectOf(rawjson.ObjectOf(tool)["annotations"]).Bool(h.name)
	if !known {
		return ""
	}
	return h.says + yesNo(value)
}

// toolHint is a hint about what calling a tool does.
type toolHint struct {
	name, says string
	value      bool // the default
}

// toolHints are the hints of the specification with their defaults.
var toolHints = []toolHint{
	{"readOnlyHint", "read-only", false}, {"destructiveHint", "destructive", true},
	{"idempotentHint", "idempotent", false}, {"openWorldHint", "open world", true},
}
