package check

import (
	"hash/maphash"
	"sync"
	"sync/atomic"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

// quiet are the rules that have nothing to say of a tool, or of a schema in any tool, as bits. In a fleet the same tool is offered by
// many servers, and more tools have the same schema: each of these rules looks at it once.
type quiet [2]atomic.Uint64

// mostQuiet is how many tools and schemas are remembered: some three megabytes.
const mostQuiet = 1 << 15

var (
	quietSeed  = maphash.MakeSeed() // of which nobody knows how to make two tools one
	quietMutex sync.Mutex
	quietTools = map[uint64]*quiet{}
)

// quietOf is what is remembered of a tool, or of the schema that a member of tools is.
func quietOf(member string, raw []byte) *quiet {
	sum := maphash.Comparable(quietSeed, [2]string{member, string(raw)})
	quietMutex.Lock()
	defer quietMutex.Unlock()
	q := quietTools[sum]
	if q == nil {
		if len(quietTools) >= mostQuiet {
			clear(quietTools)
		}
		q = &quiet{}
		quietTools[sum] = q
	}
	return q
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

// ofEachTool is a rule that looks at each tool alone.
func ofEachTool(f func(s *server, t tool, report tell)) look {
	id := ruleID()
	return func(s *server, report tell) {
		for _, t := range s.tools {
			if !s.stopped() {
				t.quiet.unless(id, report, func(report tell) bool {
					f(s, t, report)
					return !s.stopped() && t.cheap(len(t.Raw))
				})
			}
		}
	}
}

// ofEachSchema is a rule that looks at each schema alone, whatever tool has it.
func ofEachSchema(f func(s *server, t tool, d *document, report tell)) look {
	id := ruleID()
	return ofEachTool(func(s *server, t tool, report tell) {
		for _, d := range t.schemas() {
			d.quiet.unless(id, report, func(report tell) bool {
				f(s, t, d, report)
				return !s.stopped() && t.cheap(len(d.raw))
			})
		}
	})
}

// unless looks, if it is not known that the rule is silent, and remembers it when it was, and look says that it always is.
func (q *quiet) unless(id int64, report tell, look func(tell) bool) {
	if q.has(id) {
		return
	}
	said := false
	if always := look(func(one finding.Finding) { said = true; report(one) }); always && !said {
		q.note(id)
	}
}

func (q *quiet) has(id int64) bool {
	return id >= 0 && id < 128 && q[id>>6].Load()&(1<<(id&63)) != 0
}

func (q *quiet) note(id int64) {
	if id >= 0 && id < 128 {
		q[id>>6].Or(1 << (id & 63))
	}
}

// cheap tells whether the tool took no more work than so many bytes are allowed in every server: what was decided here is decided there.
func (t tool) cheap(bytes int) bool {
	for _, d := range t.schemas() {
		if d.pool.Spent() || t.share-d.pool.Left > bytes {
			return false
		}
	}
	return true
}
