package diff

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// places finds values of one document by their pointers, and reads no object twice: a schema may have as many changes as members.
type places struct {
	document json.RawMessage
	inside   map[string]func(step string) json.RawMessage // of objects and arrays, by their pointers
	required map[string]map[string]bool                   // the names that schemas require, by their pointers
}

func newPlaces(document json.RawMessage) places {
	return places{document, map[string]func(string) json.RawMessage{}, map[string]map[string]bool{}}
}

func (p *places) find(pointer string) json.RawMessage {
	if pointer == "" {
		return p.document
	}
	i := strings.LastIndexByte(pointer, '/')
	if i < 0 {
		return nil
	}
	inside, known := p.inside[pointer[:i]]
	if !known {
		inside = inner(p.find(pointer[:i]))
		p.inside[pointer[:i]] = inside
	}
	return inside(rawjson.Split(pointer[i:])[0])
}

// inner finds the members of an object, or the elements of an array.
func inner(raw json.RawMessage) func(step string) json.RawMessage {
	if elements, err := rawjson.Elements(raw); err == nil {
		return func(step string) json.RawMessage {
			if i, err := strconv.Atoi(step); err == nil && 0 <= i && i < len(elements) {
				return elements[i]
			}
			return nil
		}
	}
	members := rawjson.ObjectOf(raw)
	return func(step string) json.RawMessage { return members[step] }
}

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
