package check

import (
	"bytes"
	"encoding/json"
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// quiet are the rules that have nothing to say of an item, or of a member in any item, as bits. In a fleet the same tool is offered by
// many servers, and more tools have the same schema: each of these rules looks at it once.
type quiet [3]atomic.Uint64

const (
	mostQuiet   = 1 << 15  // items that are remembered: some three megabytes
	mostOfParts = 1 << 19  // bytes of parts
	largestPart = 64 << 10 // of them
)

// part is a member of an item with all that several rules need of it. What is read is read once, however many items have it.
type part struct {
	raw    json.RawMessage
	value  any       // decoded
	texts  []passage // the key, and all inside
	words  []word    // of the texts, such as may be names of tools
	phrase func() phrase
	places []*place // of a schema
	named  func() naming
	quiet  quiet

	repeated []string // members that an object inside has more than once, as JSON pointers
}

// word is one that could be the name of a tool, and where it stands.
type word struct{ text, path string }

// partOf is a part, which is kept to be read once where it is not large: what was read takes some ten times as much.
func partOf(name string, raw json.RawMessage) *part {
	if len(raw) > largestPart {
		return newPart(name, raw)
	}
	return partsKnown.of(name, raw, len(raw), func() *part { return newPart(name, bytes.Clone(raw)) })
}

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
	return p.index()
}

// index makes the filters of texts; in short ones no phrase is looked for.
func (d *part) index() *part {
	for i, text := range d.texts {
		if len(text.text) >= leastPhrase {
			d.texts[i].grams = match.GramsOf(text.text)
		}
		if text.prose {
			for _, one := range composedIn(text.text) {
				d.words = append(d.words, word{one, text.path()})
			}
		}
	}
	return d
}

// quietOf is what is remembered of an item.
func quietOf(kind string, raw []byte) *quiet {
	return quietItems.of(kind, raw, 1, func() *quiet { return new(quiet) })
}

var (
	quietItems = memo[*quiet]{room: mostQuiet}
	partsKnown = memo[*part]{room: mostOfParts}
	memoSeed   = maphash.MakeSeed() // of which nobody knows how to make two texts one
)

// memo is what was made of texts. Once it is full it forgets them all.
type memo[T any] struct {
	sync.Mutex
	known      map[uint64]T
	room, full int
}

func (m *memo[T]) of(kind string, raw []byte, size int, of func() T) T {
	sum := maphash.Comparable(memoSeed, [2]uint64{maphash.String(memoSeed, kind), maphash.Bytes(memoSeed, raw)})
	m.Lock()
	known, there := m.known[sum]
	m.Unlock()
	if there {
		return known
	}
	made := of()
	m.Lock()
	defer m.Unlock()
	if m.full += size; m.known == nil || m.full > m.room {
		m.known, m.full = map[uint64]T{}, size
	}
	m.known[sum] = made
	return made
}

var toolRules, toolRulesAreMade atomic.Int64

// ruleID numbers a rule on tools or schemas alone. One in the table of rules is remembered where it was silent; one that is made while
// rules are looked for may know more than the tool, and has no number.
func ruleID() int64 {
	if toolRulesAreMade.Load() != 0 {
		return -1
	}
	return toolRules.Add(1) - 1
}

// ofEachItem is a rule that looks at each item alone.
func ofEachItem(f func(i item, report tell)) look {
	id := ruleID()
	return func(s *server, report tell) {
		unless(id, s, report, s.items, func(i *item) *quiet { return i.quiet }, func(i *item, report tell) bool {
			f(*i, report)
			return true
		})
	}
}

// ofTexts is a rule that looks at each text alone.
func ofTexts(f func(p passage, at spot)) look {
	id := ruleID()
	return func(s *server, report tell) {
		unless(id, s, report, s.texts, func(w *written) *quiet { return &w.quiet }, func(w *written, report tell) bool {
			for _, p := range w.texts {
				if !s.stopped() {
					f(p, spot{w.item, p.way, report})
				}
			}
			return true
		})
	}
}

// ofEachTool is a rule that looks at each tool alone.
func ofEachTool(f func(s *server, t tool, report tell)) look {
	id := ruleID()
	return func(s *server, report tell) {
		unless(id, s, report, s.tools, func(t *tool) *quiet { return t.quiet }, func(t *tool, report tell) bool {
			f(s, *t, report)
			return t.cheap(len(t.Raw))
		})
	}
}

// ofEachSchema is a rule that looks at each schema alone, whatever tool has it.
func ofEachSchema(f func(s *server, t tool, d *document, report tell)) look {
	id := ruleID()
	return ofEachTool(func(s *server, t tool, report tell) {
		unless(id, s, report, t.schemas, func(d **document) *quiet { return &(*d).quiet }, func(d **document, report tell) bool {
			f(s, t, *d, report)
			return t.cheap(len((*d).raw))
		})
	})
}

// unless looks at each of what a server has, but where it is known that the rule is silent, and remembers where it was, and look says that
// it always is.
func unless[T any](id int64, s *server, report tell, all []T, silence func(*T) *quiet, look func(*T, tell) bool) {
	var heard *listener // one for all of them, as a megabyte may be 200,000 tools, and none where all is known
	for i := range all {
		q := silence(&all[i])
		if s.stopped() || q.has(id) {
			continue
		}
		if heard == nil {
			heard = listening(report)
		}
		heard.said = false
		if always := look(&all[i], heard.tell); always && !heard.said && !s.stopped() {
			q.note(id)
		}
	}
}

// listener passes on what is told, and remembers that something was.
type listener struct {
	said bool
	tell tell
}

func listening(report tell) *listener {
	l := &listener{}
	l.tell = func(one finding.Finding) { l.said = true; report(one) }
	return l
}

// mostRules is how many rules have a bit.
const mostRules = int64(len(quiet{}) * 64)

func (q *quiet) has(id int64) bool {
	return id >= 0 && id < mostRules && q[id>>6].Load()&(1<<(id&63)) != 0
}

func (q *quiet) note(id int64) {
	if id >= 0 && id < mostRules {
		q[id>>6].Or(1 << (id & 63))
	}
}

// cheap tells whether the tool took no more work than so many bytes are allowed in every server: what was decided here is decided there.
func (t *tool) cheap(bytes int) bool {
	return !slices.ContainsFunc(t.schemas, func(d *document) bool { return d.pool.Spent() || t.share-d.pool.Left > bytes })
}
