package check

import (
	"encoding/json"
	"slices"
	"sync"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// part is a member of an item with all that several rules need of it, each read once.
type part struct {
	raw    json.RawMessage
	value  any       // decoded
	texts  []passage // the key, and all inside
	words  []word    // of the texts, such as may be names of tools
	phrase func() phrase
	places []*place // of a schema
	named  func() naming

	repeated []string // members that an object inside has more than once, as JSON pointers
}

// word is one that could be the name of a tool, and where it stands.
type word struct{ text, path string }

func newPart(name string, raw json.RawMessage) *part {
	p := &part{raw: raw, repeated: rawjson.Repeated(raw)}
	p.value, _ = rawjson.Decode(raw)
	p.texts = passages(nil, nil, "", map[string]any{name: p.value})
	text, _ := p.value.(string)
	p.phrase = sync.OnceValue(func() phrase { return phraseOf(text) })
	if slices.Contains(schemaMembers, name) {
		p.collect((*trail)(nil).to(name), p.value, place{plain: true, value: true})
		p.reach()
		p.named = sync.OnceValue(p.namesOf)
	}
	return p.withWords()
}

// withWords lists the words of the texts that may be names of tools.
func (d *part) withWords() *part {
	for _, text := range d.texts {
		if text.prose {
			for _, one := range composedIn(text.text) {
				d.words = append(d.words, word{one, text.path()})
			}
		}
	}
	return d
}

// ofEachItem is a rule that looks at each item alone.
func ofEachItem(f func(i item, report tell)) look {
	return func(s *server, report tell) {
		for _, i := range s.items {
			if !s.stopped() {
				f(i, report)
			}
		}
	}
}

// ofTexts is a rule that looks at each text alone.
func ofTexts(f func(p passage, at spot)) look {
	return func(s *server, report tell) {
		for _, w := range s.texts {
			for _, p := range w.texts {
				if !s.stopped() {
					f(p, spot{w.item, p.way, report})
				}
			}
		}
	}
}

// ofEachTool is a rule that looks at each tool alone.
func ofEachTool(f func(s *server, t tool, report tell)) look {
	return func(s *server, report tell) {
		for _, t := range s.tools {
			if !s.stopped() {
				f(s, t, report)
			}
		}
	}
}

// ofEachSchema is a rule that looks at each schema of each tool.
func ofEachSchema(f func(s *server, t tool, d *document, report tell)) look {
	return ofEachTool(func(s *server, t tool, report tell) {
		for _, d := range t.schemas {
			if !s.stopped() {
				f(s, t, d, report)
			}
		}
	})
}
