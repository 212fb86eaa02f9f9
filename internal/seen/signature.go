package seen

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Argument is one thing that a caller can give to an item.
type Argument struct {
	Name     string
	Required bool
	Schema   json.RawMessage // of its values
}

// Properties returns those of an object schema, in the order in which they were sent, with those of what it
// refers to in a document and of all arms of allOf.
func Properties(s rawjson.Object, document json.RawMessage) []Argument {
	m := members{document: &rawjson.Part{Raw: document}, followed: map[string]bool{},
		required: map[string]bool{}}
	m.read(s)
	seen := map[string]bool{}
	all := kit.Filter(m.all, func(p Argument) bool {
		again := seen[p.Name]
		seen[p.Name] = true
		return !again &&
			!slices.ContainsFunc(m.closed, func(names map[string]bool) bool { return !names[p.Name] })
	})
	return kit.Map(all, func(p Argument) Argument {
		p.Required = m.required[p.Name]
		return p
	})
}

// members are what the arms of an object schema say of properties.
type members struct {
	document *rawjson.Part
	followed map[string]bool // references, each once
	all      []Argument
	required map[string]bool
	closed   []map[string]bool // the names that each closed arm knows; it refuses others
}

func (m *members) read(s rawjson.Object) {
	own, _ := rawjson.Members(s["properties"])
	for _, p := range own {
		m.all = append(m.all, Argument{Name: p.Key, Schema: p.Value})
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

// RequiredFirst puts what is required before what may be left out.
func RequiredFirst(all []Argument) []Argument {
	required := kit.Filter(all, func(p Argument) bool { return p.Required })
	return append(required, kit.Filter(all, func(p Argument) bool { return !p.Required })...)
}

// Mark returns the name, followed by ? unless it is required.
func (p Argument) Mark() string {
	if p.Required {
		return p.Name
	}
	return p.Name + "?"
}

// Arguments returns what a caller names when it uses an item, in the order in which they were sent.
func Arguments(kind snapshot.Kind, raw json.RawMessage) []Argument {
	item := rawjson.ObjectOf(raw)
	switch kind {
	case snapshot.Tools:
		return Properties(rawjson.ObjectOf(item["inputSchema"]), item["inputSchema"])
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
				names = append(names, kit.Map(Arguments(kind, item.Raw),
					func(p Argument) string { return p.Name + "=" })...)
			}
		}
	}
	return names
}

// promptArgument returns an argument of a prompt, which is a string. Its schema holds what else is said of
// it.
func promptArgument(raw json.RawMessage) Argument {
	a := rawjson.ObjectOf(raw)
	required, marked := a.Bool("required")
	_, named := rawjson.Text(a["name"])
	schema := kit.Filter(rawjson.MembersIn(raw), func(m rawjson.Member) bool {
		return !(m.Key == "name" && named || m.Key == "required" && marked)
	})
	if a["type"] == nil {
		schema = append(schema, rawjson.Member{Key: "type", Value: rawjson.Quote("string")})
	}
	return Argument{a.Text("name"), required, rawjson.Build(schema...)}
}

// callText returns an item as one would call it, without the types of its arguments.
func callText(name string, all []Argument) string {
	return name + "(" + strings.Join(kit.Map(all, Argument.Mark), ", ") + ")"
}

// orderAs puts old arguments into the new ones' order, each that is gone behind the one that it followed.
func orderAs(old, new []Argument) {
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
	slices.SortStableFunc(old, func(a, b Argument) int { return place[a.Name] - place[b.Name] })
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
		before := map[string][]Argument{}
		was, is := old.List(k), new.List(k)
		for _, item := range was.Items() {
			before[item.Key] = Arguments(k, item.Raw)
		}
		for _, item := range is.Items() {
			arguments, both := before[item.Key]
			now := Arguments(k, item.Raw)
			orderAs(arguments, now)
			change := SignatureChange{k.ID(item.Key), callText(item.Key, arguments), callText(item.Key, now)}
			if both && change.Old != change.New {
				all = append(all, change)
			}
		}
	}
	return all
}
