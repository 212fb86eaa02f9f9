package watchrun

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/mcpctl/mcpctl/internal/compare"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// comparison returns what changed between two surfaces of a server, judged.
type comparison func(ctx context.Context, old, new *snapshot.Snapshot) ([]finding.Finding, error)

// lag is what one output has not heard of one server. The lock of the queue guards all but the file.
type lag struct {
	server  string
	between comparison

	saved     *snapshot.Snapshot   // what the next run begins with
	confirmed *snapshot.Snapshot   // the last surface that the output confirmed; nil = none is known
	sent      []*snapshot.Snapshot // later ones that it may have heard of; the change under way leads to one
	newest    *snapshot.Snapshot   // that of the newest change that was queued
	behind    bool                 // an earlier run left changes, and this one has not read the server yet
	pending   int                  // deliveries of changes that have not ended
	changes   int                  // changes in them
	outages   int                  // stale and recovered events that have not ended
	merged    *outputEvent         // waits in the queue and takes in what comes; nil = there is none

	file    sync.Mutex // held while the file is written, and guards what follows
	written []*snapshot.Snapshot
	unkept  bool // the file could not be written
}

// Limits of what a file holds beside the confirmed surface: each run that is killed before the output
// confirms anything leaves one that the output may have heard of.
const (
	leastSent = 2
	mostSent  = 16
)

// recent returns the newest surfaces of a list, each once: at least leastSent, and mostSent or maxBytes of
// them at most.
func recent(sent []*snapshot.Snapshot) []*snapshot.Snapshot {
	var kept []*snapshot.Snapshot
	size := 0
	for _, one := range slices.Backward(sent) {
		size += one.Size()
		if len(kept) == mostSent || len(kept) >= leastSent && size > maxBytes {
			break
		}
		if !slices.ContainsFunc(kept, func(other *snapshot.Snapshot) bool { return same(one, other) }) {
			kept = append(kept, one)
		}
	}
	slices.Reverse(kept)
	return kept
}

// wanted returns what the file has to hold: the confirmed surface and those that were sent; nil = no file,
// since the output knows what the next run begins with.
func (l *lag) wanted() []*snapshot.Snapshot {
	if l.confirmed == nil || !l.confirmed.Complete() {
		return nil
	}
	if l.pending == 0 && !l.behind && same(l.confirmed, l.saved) {
		return nil
	}
	return append([]*snapshot.Snapshot{l.confirmed}, recent(l.sent)...)
}

// same reports whether two complete surfaces are the same; nil is none.
func same(a, b *snapshot.Snapshot) bool {
	return a == b || a != nil && b != nil && a.Digest() == b.Digest()
}

// lagFile is the content of a file in a state folder.
type lagFile struct {
	Mcpctl    int               `json:"mcpctl"`
	Confirmed json.RawMessage   `json:"confirmed"`      // a snapshot file
	Sent      []json.RawMessage `json:"sent,omitempty"` // snapshot files
}

// outputSuffix returns the end of the names of an output's files: a hash, since the value may hold a secret,
// of letters, since digits end the names of temporary files.
func outputSuffix(flag, value string) string {
	hash := sha256.Sum256([]byte(flag + "\x00" + value))
	letters := []byte("." + fmt.Sprintf("%x", hash[:8]))
	for i, c := range letters[1:] {
		if c <= '9' {
			letters[1+i] = 'g' + c - '0'
		}
	}
	return string(letters)
}

// isLagFile reports whether a file may be one of an output.
func isLagFile(name string) bool {
	suffix := filepath.Ext(name)
	return len(suffix) == len(outputSuffix("", "")) &&
		!strings.ContainsFunc(suffix[1:], func(c rune) bool { return c < 'a' || c > 'p' })
}

// lagPath returns the file of an output that lags behind.
func (s *stateFolder) lagPath(server, suffix string) string {
	return strings.TrimSuffix(compare.SavedFile(s.path, server), ".json") + suffix
}

// lagOf returns what an earlier run left undelivered: the surface that the output confirmed, and those after
// it that it may have heard of; nil = nothing.
func (s *stateFolder) lagOf(server, suffix string) []*snapshot.Snapshot {
	if s == nil {
		return nil
	}
	data, err := files.ReadRegular(s.lagPath(server, suffix), 3*source.MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var file lagFile
	if err == nil {
		err = json.Unmarshal(data, &file)
	}
	var all []*snapshot.Snapshot
	for _, raw := range append([]json.RawMessage{file.Confirmed}, file.Sent...) {
		one, problem := snapshot.Parse(raw)
		if err = errors.Join(err, problem); err == nil {
			all = append(all, one)
		}
	}
	if err != nil {
		s.process.Note("--state: what an output has not heard of %s is unknown: %v",
			printable.Message(server), err)
		return nil
	}
	return all
}

// stdoutSuffix ends the names of the files for standard output.
var stdoutSuffix = outputSuffix("", "standard output")

// record makes the file of an output what it has to be now. It is called before a change is queued and after
// one was delivered.
func (q *outputQueue) record(l *lag) {
	if q.state == nil {
		return
	}
	l.file.Lock()
	defer l.file.Unlock()
	q.mu.Lock()
	wanted := l.wanted()
	q.mu.Unlock()
	if slices.Equal(wanted, l.written) {
		return
	}
	err := q.state.writeLag(q.state.lagPath(l.server, q.suffix), wanted)
	if l.unkept = err != nil; err != nil {
		q.note("--state: keeping what %s has not heard of %s: %v", q.name, printable.Message(l.server),
			err)
		return
	}
	l.written = wanted
}

func (s *stateFolder) writeLag(path string, surfaces []*snapshot.Snapshot) error {
	if surfaces == nil {
		err := os.Remove(path)
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return err
	}
	file := lagFile{Mcpctl: 1}
	for i, one := range surfaces {
		data, err := one.Encode()
		switch {
		case err != nil:
			return err
		case i == 0:
			file.Confirmed = data
		default:
			file.Sent = append(file.Sent, data)
		}
	}
	data, err := json.Marshal(file)
	if err == nil {
		err = files.ReplaceSecret(path, data)
	}
	return err
}

// catchUp returns what changed from the surface that the output confirmed to the present one. Of surfaces
// that it may have heard of it adds what differs from the present one in another place.
func (l *lag) catchUp(ctx context.Context, base, to *snapshot.Snapshot, sent []*snapshot.Snapshot) (
	[]finding.Finding, error) {
	seen := append([]*snapshot.Snapshot{base}, sent...)
	all, err := watch.Since(seen, func(from *snapshot.Snapshot) ([]finding.Finding, error) {
		return l.between(ctx, from, to)
	})
	if err != nil {
		return nil, err
	}
	finding.Sort(all)
	return all, nil
}
