package diff

import (
	"encoding/json"
	"strings"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// places finds values of one document by their pointers, and reads no object twice: a schema may have as many changes as members.
type places struct {
	document json.RawMessage
	members  map[string]view            // of objects and arrays, by their pointers
	required map[string]map[string]bool // the names that schemas require, by their pointers
}

func newPlaces(document json.RawMessage) places {
	return places{document, map[string]view{}, map[string]map[string]bool{}}
}

// find is the value that a pointer leads to; nil when there is none.
func (p *places) find(pointer string) json.RawMessage {
	if pointer == "" {
		return p.document
	}
	i := strings.LastIndexByte(pointer, '/')
	if i < 0 {
		return nil
	}
	within, known := p.members[pointer[:i]]
	if !known {
		within = view{}
		for _, m := range rawjson.Children(p.find(pointer[:i])) {
			within[m.Key] = m.Value
		}
		p.members[pointer[:i]] = within
	}
	return within[rawjson.Split(pointer[i:])[0]]
}

// requires tells whether the schema at a pointer requires a member.
func (p *places) requires(pointer, name string) bool {
	names, known := p.required[pointer]
	if !known {
		names = map[string]bool{}
		for _, one := range rawjson.Texts(viewOf(p.find(pointer))["required"]) {
			names[one] = true
		}
		p.required[pointer] = names
	}
	return names[name]
}
