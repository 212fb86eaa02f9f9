package fleet

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"hash/maphash"
	"regexp"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// ItemFilter says which items a list shows. The zero value shows all.
type ItemFilter struct {
	Kind string         // one of KindWords, or its singular; empty = all
	Name kit.NameFilter // of names and URIs
	Text *regexp.Regexp // of any text of an item, the names of its members too; nil = all
}

// Check finds mistakes before anything is contacted.
func (f ItemFilter) Check() error {
	if !f.Name.Valid() {
		return exit.Usagef("--filter %q is not a pattern such as create_*", f.Name)
	}
	if words := KindWords(); f.Kind != "" && !slices.Contains(words, f.Kind) && !slices.Contains(words, f.Kind+"s") {
		return exit.Usagef("--kind is one of %s, not %q%s", strings.Join(words, ", "), f.Kind, kit.DidYouMean(f.Kind, words))
	}
	return nil
}

// KindWords are the kinds as --kind has them.
func KindWords() []string {
	return kit.Map(snapshot.Kinds(), func(kind snapshot.Kind) string { return kind.Word() + "s" })
}

// How far the heap may grow beyond what lives while items are collected, since they are most of it: by that share, and by leastGrowth where that
// is more. Of few servers it would collect garbage that another millisecond ends.
const (
	thrift      = 30       // percent
	leastGrowth = 40 << 20 // bytes: in a small heap a share of it is soon full again, and the collector would run all the time
	few         = 20       // servers
	untilNext   = 100      // servers; to set it stops the run for a moment
)

// limitHeap has the collector keep to that, as far as the heap has come.
func limitHeap() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	debug.SetGCPercent(max(thrift, int(leastGrowth*100/max(live[0].Value.Uint64(), 1<<20))))
}

// List is the surfaces that SOURCEs name, in their order, with what servers say of themselves, the items that the filter lets through and what
// those cost in their reports. Of their documents nothing else is kept.
func (f *Fleet) List(ctx context.Context, from []source.Source, filter ItemFilter) ([]Surface, error) {
	targets, err := f.Resolve(ctx, from)
	if err != nil {
		return nil, err
	}
	var visits atomic.Int64
	kept := newShelf()
	return f.Each(ctx, targets, func(_ int, s *Surface) error {
		if visits.Add(1)%untilNext == 1 && len(targets) > few {
			limitHeap()
		}
		s.describe(ctx, filter, kept.item)
		s.ServerInfo, s.Capabilities = kept.same(s.ServerInfo), kept.same(s.Capabilities)
		s.LetGo()
		return nil
	})
}

// describe puts into the report what the server costs and what it offers, as far as the filter lets it through. Where a signal ends that, it is a
// failure of the server.
func (s *Surface) describe(ctx context.Context, filter ItemFilter, keep keeper) {
	if s.Snapshot == nil {
		return
	}
	s.Server.Tokens = s.TokenCost()
	one := *s
	filled, err := host.Await(ctx, func() (Surface, error) {
		filter.fill(&one, keep)
		return one, nil
	})
	if err != nil {
		s.State, s.Interrupted = report.Partial, true
		s.Fail(report.Failure{Stage: "looking at items", Message: err.Error()})
		return
	}
	*s = filled
}

// keeper gives an item as it is kept, of a tool with its digest.
type keeper = func(snapshot.Kind, snapshot.Item) (raw json.RawMessage, digest string)

// shelf keeps once what many servers say word for word, and nothing of the messages around it.
type shelf struct {
	mutex sync.Mutex
	seed  maphash.Seed
	of    map[uint64]shelved
}

type shelved struct {
	raw    json.RawMessage
	digest string // of a tool; empty = it is not known
}

func newShelf() *shelf { return &shelf{seed: maphash.MakeSeed(), of: map[uint64]shelved{}} }

// item is an item as it is kept, of a tool with its digest.
func (k *shelf) item(kind snapshot.Kind, item snapshot.Item) (json.RawMessage, string) {
	one := k.put(item.Raw, "")
	if kind == snapshot.Tools && one.digest == "" {
		one = k.put(one.raw, item.Digest())
	}
	return one.raw, one.digest
}

func (k *shelf) same(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return nil
	}
	return k.put(raw, "").raw
}

func (k *shelf) put(raw json.RawMessage, digest string) shelved {
	sum := maphash.Bytes(k.seed, raw)
	k.mutex.Lock()
	defer k.mutex.Unlock()
	one := k.of[sum]
	if !bytes.Equal(one.raw, raw) {
		one = shelved{raw: bytes.Clone(raw)}
	}
	one.digest = cmp.Or(one.digest, digest)
	k.of[sum] = one
	return one
}

// add puts an item into the report as keep gives it.
func (s *Surface) add(kind snapshot.Kind, item snapshot.Item, keep keeper) {
	raw, digest := keep(kind, item)
	slot := s.Items(kind)
	*slot = append(*slot, raw)
	if item.Key != "" && digest != "" {
		if s.Digests == nil {
			s.Digests = map[string]string{}
		}
		s.Digests[item.Key] = digest
	}
}

// itself is an item as it is, of a tool with its digest.
func itself(kind snapshot.Kind, item snapshot.Item) (raw json.RawMessage, digest string) {
	if kind == snapshot.Tools {
		digest = item.Digest()
	}
	return item.Raw, digest
}

// fill puts what the server says of itself and the items that the filter lets through into its report, as keep gives them.
func (f ItemFilter) fill(s *Surface, keep keeper) {
	s.ServerInfo, s.Capabilities, s.Instructions = s.Snapshot.Server, s.Snapshot.Capabilities, s.Snapshot.Instructions
	for _, kind := range snapshot.Kinds() {
		list := s.Snapshot.List(kind)
		if list.State == snapshot.NotOffered || list.State == snapshot.Unread || f.Kind != "" && strings.TrimSuffix(f.Kind, "s") != kind.Word() {
			continue
		}
		slot := s.Items(kind)
		*slot = report.Items{}
		for _, item := range list.Items() {
			if f.Name.Match(item.Key) && (f.Text == nil || mentions(item.Raw, f.Text)) {
				s.add(kind, item, keep)
			}
		}
	}
}

// mentions tells whether a text in a value, or the name of a member, matches.
func mentions(raw json.RawMessage, pattern *regexp.Regexp) bool {
	tokens := json.NewDecoder(bytes.NewReader(raw)) // which read each byte once, however deep it lies
	tokens.UseNumber()
	for {
		token, err := tokens.Token()
		if err != nil {
			return false
		}
		if text, is := token.(string); is && pattern.MatchString(text) {
			return true
		}
	}
}

// Show puts all, or only the wanted items, into the reports of servers. One that certainly no surface offers is an error.
func Show(ctx context.Context, limit time.Duration, surfaces []Surface, wanted []string) error {
	missing := wanted
	for i := range surfaces {
		found := surfaces[i].show(ctx, limit, wanted)
		missing = slices.DeleteFunc(slices.Clone(missing), func(want string) bool { return slices.Contains(found, want) })
	}
	if len(missing) == 0 {
		return nil
	}
	return notOffered(surfaces, missing[0])
}

func (s *Surface) show(ctx context.Context, limit time.Duration, wanted []string) (found []string) {
	if len(wanted) == 0 {
		s.describe(ctx, ItemFilter{}, itself)
	}
	return slices.DeleteFunc(slices.Clone(wanted), func(want string) bool { return !s.showItem(want) })
}

func (s *Surface) showItem(want string) bool {
	found := false
	if s.Snapshot == nil {
		return false
	}
	for _, kind := range snapshot.Kinds() {
		for _, item := range s.Snapshot.List(kind).Items() {
			if want == item.Key || want == kind.ID(item.Key) {
				s.add(kind, item, itself)
				found = true
			}
		}
	}
	return found
}

// notOffered is the error for an item that no surface offers, unless one did not answer in full.
func notOffered(surfaces []Surface, missing string) error {
	var names, known []string
	for _, s := range surfaces {
		if !s.Whole() {
			return nil
		}
		names = append(names, s.Name)
		for _, kind := range snapshot.Kinds() {
			for _, item := range s.Snapshot.List(kind).Items() {
				known = append(known, item.Key)
			}
		}
	}
	return exit.Usagef("%s offers no %q%s: see mcpctl list", strings.Join(names, ", "), missing, kit.DidYouMean(missing, known))
}
