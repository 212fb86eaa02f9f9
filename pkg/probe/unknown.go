package probe

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// knownCapabilities are those that are no list of their own, or whose lists are read by name. What the specification declares as an
// extension has a name under io.modelcontextprotocol.
var knownCapabilities = []string{"completions", "elicitation", "experimental", "extensions", "logging", "roots", "sampling", "tasks"}

// fileMembers are what an unknown list cannot be called in a snapshot.
var fileMembers = []string{"mcpctl", "protocolVersion", "supportedVersions", "serverInfo", "capabilities", "instructions", "incomplete", "initialize", "nextCursor", "resultType", "ttlMs", "cacheScope"}

const mostUnknown = 10

var listName = match.Pattern(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`)

// unknownLists are the lists that a server may have beyond those of the specification: a capability or an extension "com.acme/widgets"
// that the prober does not know is asked for with widgets/list.
func (p peer) unknownLists() (names []string) {
	capabilities := rawjson.ObjectOf(p.capabilities)
	names = lists.SortedKeys(capabilities)
	for _, name := range lists.SortedKeys(rawjson.ObjectOf(capabilities["extensions"])) {
		if !strings.HasPrefix(name, "io.modelcontextprotocol/") {
			names = append(names, name[strings.LastIndexByte(name, '/')+1:])
		}
	}
	for _, kind := range snapshot.Kinds() {
		names = slices.DeleteFunc(names, func(name string) bool { return name == string(kind) || name == kind.Capability() })
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		return slices.Contains(knownCapabilities, name) || slices.Contains(fileMembers, name) || !listName().MatchString(name)
	})
	return names[:min(len(names), mostUnknown)]
}

// unknown are the lists that the prober does not know, as they came last.
type unknown struct {
	mu     sync.Mutex
	lists  map[string]json.RawMessage
	unread []string // by the last reading
}

// unknownWait is how long the lists may take that a server may not even have.
const unknownWait = 5 * time.Second

// listUnknown reads the lists that the prober does not know. That there is one is a guess, so none makes a server fail: what does not
// arrive is told, and is unread.
func listUnknown(ctx context.Context, s *Session) {
	ctx, cancel := limited(ctx, unknownWait)
	defer cancel()
	var unread []string
	for _, name := range s.peer.unknownLists() {
		way := listMethod{kind: snapshot.Kind(name), stage: ListingUnknown, name: name + "/list"}
		list, _, err := s.caller.list(ctx, way, untold, standardLimits())
		if err != nil {
			unread = append(unread, name)
			s.attempt.seen.note(Notice{ListingUnknown, NoticeUnknownList, "the server may have a list of " + name + ", which mcpctl does not know, and did not give it: " + plain(err)})
			continue
		}
		if s.unknown.keep(name, s.attempt.withoutSecrets(way, list)) {
			s.attempt.seen.note(Notice{ListingUnknown, NoticeUnknownList, "the server has a list of " + name + ", which mcpctl does not know: it is saved and compared as it came"})
		}
	}
	s.unknown.mu.Lock()
	defer s.unknown.mu.Unlock()
	s.unknown.unread = unread
}

// keep takes a list as it is now, and tells whether there is one.
func (u *unknown) keep(name string, list snapshot.List) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.lists == nil {
		u.lists = map[string]json.RawMessage{}
	}
	if delete(u.lists, name); list.State == snapshot.NotOffered {
		return false
	}
	u.lists[name] = rawjson.List(lists.Map(list.Items(), func(item snapshot.Item) json.RawMessage { return item.Raw }))
	return true
}

// into adds to a snapshot what came.
func (u *unknown) into(shot *snapshot.Snapshot) {
	u.mu.Lock()
	defer u.mu.Unlock()
	shot.Extra, shot.Unread = maps.Clone(u.lists), slices.Clone(u.unread)
}
