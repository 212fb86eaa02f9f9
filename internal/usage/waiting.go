package usage

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"time"
)

// waitingCall is a call that was not answered yet.
type waitingCall struct {
	Call
	at int64 // where its line begins
}

const (
	mostWaiting = 4096           // calls that may wait for their answers
	longestWait = 24 * time.Hour // after which nobody expects the answer of a call any more
	mostAgain   = 32 << 20       // bytes that are read again for the sake of calls that wait
)

// answers tells, without reading the line, whether it answers a call that waits: key names whose id follows.
func (r *reader) answers(line []byte, key string) bool {
	for len(r.waiting) > 0 {
		_, rest, found := bytes.Cut(line, []byte(key))
		if !found {
			return false
		}
		_, id, _ := bytes.Cut(rest[:min(len(rest), 256)], []byte(`"`))
		id, _, _ = bytes.Cut(id, []byte(`"`))
		if _, ok := r.waiting[string(id)]; ok {
			return true
		}
		line = rest
	}
	return false
}

// wait keeps a call until it is answered. When too many wait, all are taken as they are.
func (r *reader) wait(c Call) (given []Call) {
	if len(r.waiting) == mostWaiting {
		given, _ = r.unanswered(false)
	}
	r.waiting[c.ID] = waitingCall{c, r.at}
	return given
}

// forget lets go of a call that waits, since its record is whole elsewhere.
func (r *reader) forget(id string) { delete(r.waiting, id) }

// answer is the call that was answered, if it waits.
func (r *reader) answer(id string, failed bool, result json.RawMessage) []Call {
	c, ok := r.waiting[id]
	if !ok {
		return nil
	}
	r.forget(id)
	c.Failed, c.Result = failed, result
	return []Call{c.Call}
}

// unanswered are the calls that wait, in their order; of what grows but for those whose answers may stand in what a later import reads:
// first is where the first of these begins, or where the reader is. Nothing waits afterwards.
func (r *reader) unanswered(grows bool) (calls []Call, first int64) {
	first = r.at
	for _, c := range slices.SortedFunc(maps.Values(r.waiting), func(a, b waitingCall) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.ID, b.ID)) }) {
		if grows && c.Time.After(r.Now.Add(-longestWait)) && r.at-c.at <= mostAgain {
			first = min(first, c.at)
			r.Count.Waiting++
		} else {
			calls = append(calls, c.Call)
		}
	}
	clear(r.waiting)
	return calls, first
}
