package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/host"
)

// mostSegments is how many objects there may be before all that is known is written into one.
const mostSegments = 1000

// segments are the objects of a journal in a store, where nothing can be appended to: N.ndjson is what was written at once, numbered
// without holes, and N.base.ndjson is all that was known after it. Who writes a number that is there already is not alone.
type segments struct {
	store host.Store
	at    string
	last  int           // number of the newest one
	base  int           // number of the newest base
	due   int           // number after which the next one is written
	names []string      // all of them, in order
	pause time.Duration // before it is tried again
}

// OpenStored is Open for a folder in a store, with a file of its own beside it for as long as it runs.
func OpenStored(ctx context.Context, s host.Store, at string, note func(format string, args ...any)) (*Journal, map[string][]byte, error) {
	dir, err := os.MkdirTemp("", "mcpctl-journal-")
	if err != nil {
		return nil, nil, err
	}
	file, g := filepath.Join(dir, "journal"), &segments{store: s, at: strings.TrimRight(at, "/"), pause: firstPause}
	j, surfaces, err := (*Journal)(nil), map[string][]byte(nil), g.fetch(ctx, file)
	if err == nil {
		j, surfaces, err = Open(file, note)
	}
	if err != nil {
		_ = os.RemoveAll(dir)
		return nil, nil, err
	}
	j.disk.stored, j.disk.name = g, at
	return j, surfaces, nil
}

// fetch writes what is there to a file, and what was there before the newest base to the file before it.
func (g *segments) fetch(ctx context.Context, file string) (err error) {
	if g.names, err = g.store.List(ctx, g.at); err != nil {
		return err
	}
	var parts [2]bytes.Buffer // the generation before, and this one
	for _, name := range g.names {
		data, err := g.store.Get(ctx, name)
		if errors.Is(err, fs.ErrNotExist) { // somebody else cleans up
			continue
		}
		if err != nil {
			return err
		}
		number, isBase, ok := numberOf(name)
		if !ok {
			return errNoJournal
		}
		if g.last = number; isBase {
			g.base = number
			parts[0], parts[1] = parts[1], bytes.Buffer{}
		}
		parts[1].Write(data)
	}
	g.due = g.base + mostSegments
	if g.base > 0 {
		err = os.WriteFile(file+".1", parts[0].Bytes(), 0o600)
	}
	return errors.Join(err, os.WriteFile(file, parts[1].Bytes(), 0o600))
}

// numberOf reads the name of an object. That of a base sorts behind its number's other one.
func numberOf(name string) (number int, isBase, ok bool) {
	rest, ok := strings.CutSuffix(path.Base(name), ".ndjson")
	rest, isBase = strings.CutSuffix(rest, "~base")
	n, err := fmt.Sscanf(rest, "%d", &number)
	return number, isBase, ok && n == 1 && err == nil
}

func (g *segments) name(number int, suffix string) string {
	return fmt.Sprintf("%s/%010d%s.ndjson", g.at, number, suffix)
}

// write keeps what was written to the file. While the store is away it is tried again, until giveUp says otherwise.
func (g *segments) write(text []byte, giveUp func() bool) error {
	name := g.name(g.last+1, "")
	for {
		ctx, cancel := context.WithTimeout(context.Background(), writeTime)
		err := g.store.Create(ctx, name, text)
		cancel()
		if err == nil {
			g.last, g.names, g.pause = g.last+1, append(g.names, name), firstPause
			return nil
		}
		if errors.Is(err, host.ErrChanged) {
			return errors.New("another mcpctl writes it: give each run a journal of its own")
		}
		for wait := time.Duration(0); wait < g.pause; wait += giveUpEvery {
			if giveUp() {
				return err
			}
			time.Sleep(giveUpEvery)
		}
		g.pause = min(2*g.pause, time.Minute)
	}
}

// How long one write may take, when it is tried again at first, and how often it is asked whether to give up.
const (
	writeTime   = 30 * time.Second
	firstPause  = time.Second
	giveUpEvery = 100 * time.Millisecond
)

// rebase writes all that is known, which is in a file, and removes what nobody needs for it nor for the events before.
func (g *segments) rebase(file string) error {
	g.due = g.last + mostSegments
	known, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), writeTime)
	defer cancel()
	name := g.name(g.last, "~base")
	if err := g.store.Put(ctx, name, known); err != nil {
		return err
	}
	for len(g.names) > 0 {
		if number, _, _ := numberOf(g.names[0]); number >= g.base {
			break
		}
		if err := g.store.Remove(ctx, g.names[0]); err != nil {
			return err
		}
		g.names = g.names[1:]
	}
	g.base, g.names = g.last, append(g.names, name)
	return nil
}
