package call

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/pkg/schema"
)

// Check is what a schema finds wrong with a value. sure is false where that cannot be told; there are no problems then.
func Check(against, value json.RawMessage) (problems []Problem, sure bool) {
	decoded, err := decode(against)
	if err != nil {
		return nil, false
	}
	v, err := decode(value)
	if err != nil {
		return []Problem{{Message: fmt.Sprintf("is no JSON: %v", err)}}, true
	}
	parsed, err := schema.Parse(against)
	if err != nil {
		return nil, false
	}
	faults, sure := parsed.Faults("", v)
	root := shape{decoded, decoded}
	for _, f := range faults {
		problems = append(problems, root.explain(f, v)...)
	}
	return problems, sure
}

// explain makes a fault one that a person can mend.
func (s shape) explain(f schema.Fault, whole any) []Problem {
	at, value := s.follow(f.Path, whole)
	if f.Keyword == "required" || f.Keyword == "additionalProperties" {
		var all []Problem
		for _, name := range f.Names {
			p := Problem{Path: f.Path + pointer(name), Message: "is required, and missing"}
			if f.Keyword != "required" {
				p.Message, p.Word, p.Words = "is not taken", name, at.names()
			}
			all = append(all, p)
		}
		return all
	}
	p := Problem{Path: f.Path, Message: brief(value) + " " + f.Reason}
	switch {
	case f.Keyword == "type":
		p.Message = fmt.Sprintf("%s is %s; %s is wanted", brief(value), typeOf(json.RawMessage(brief(value))), alternatives(f.Want))
	case f.Keyword == "enum" || f.Keyword == "const":
		p.Message = fmt.Sprintf("%s is not allowed; %s is", brief(value), alternatives(f.Want))
		p.Word, _ = value.(string)
		for _, want := range f.Want {
			p.Words = append(p.Words, word(json.RawMessage(want)))
		}
	case len(f.Want) > 0:
		p.Message = fmt.Sprintf("%s is against %s %s", brief(value), f.Keyword, strings.Join(f.Want, ", "))
	}
	return []Problem{p}
}

// follow is the place and the value behind a JSON pointer.
func (s shape) follow(path string, value any) (shape, any) {
	for token := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		switch v := value.(type) {
		case map[string]any:
			if path != "" {
				s, value = s.property(token), v[token]
			}
		case []any:
			var i int
			if _, err := fmt.Sscan(token, &i); err == nil && i >= 0 && i < len(v) {
				s, value = s.items(), v[i]
			}
		}
	}
	return s, value
}

// alternatives is "a, b or c", cut when there are many.
func alternatives(words []string) string {
	const most = 12
	var distinct []string
	for _, w := range words {
		if !slices.Contains(distinct, w) {
			distinct = append(distinct, w)
		}
	}
	if more := len(distinct) - most; more > 0 {
		return fmt.Sprintf("%s or one of %d more", strings.Join(distinct[:most], ", "), more)
	}
	last := len(distinct) - 1
	if last < 1 {
		return strings.Join(distinct, "")
	}
	return strings.Join(distinct[:last], ", ") + " or " + distinct[last]
}
