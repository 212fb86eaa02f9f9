package check

import (
	"hash/maphash"
	"sync"
	"sync/atomic"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

// quiet are the rules that have nothing to say of a tool, as bits. In a fleet the same tool is offered by many servers, and each of
// these rules looks at it once.
type quiet [2]atomic.Uint64

// mostQuiet is how many tools are remembered: some three megabytes.
const mostQuiet = 1 << 15

var (
	quietSeed  = maphash.MakeSeed() // of which nobody knows how to make two tools one
	quietMutex sync.Mutex
	quietTools = map[uint64]*quiet{}
)

// quietOf is what is remembered of a tool.
func quietOf(raw []byte) *quiet {
	sum := maphash.Bytes(quietSeed, raw)
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

// ofEachTool is a rule that looks at each tool alone. One in the table of rules is remembered where it was silent; one that is made
// while rules are looked for may know more than the tool.
func ofEachTool(f func(s *server, t tool, report tell)) look {
	id := int64(-1)
	if toolRulesAreMade.Load() == 0 {
		id = toolRules.Add(1) - 1
	}
	return func(s *server, report tell) {
		for _, t := range s.tools {
			if s.stopped() || t.quiet.has(id) {
				continue
			}
			said := false
			f(s, t, func(one finding.Finding) { said = true; report(one) })
			if !said && !s.stopped() && t.cheap() {
				t.quiet.note(id)
			}
		}
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

// cheap tells whether the tool took no more work than it is allowed in every server: what was decided here is decided there.
func (t tool) cheap() bool {
	for _, d := range t.schemas() {
		if d.pool.Spent() || t.share-d.pool.Left > len(t.Raw) {
			return false
		}
	}
	return true
}
