package main

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/probe"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// open connects to a server, and waits a moment to learn whether it announces changes.
func (v *vigil) open(ctx context.Context, server probe.Server) (watch.Session, error) {
	if !v.develop.mayStart(ctx) {
		return nil, context.Cause(ctx)
	}
	select {
	case v.places <- struct{}{}:
		defer func() { <-v.places }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	session, err := probe.Open(ctx, server, v.options)
	if err != nil {
		return nil, err
	}
	select {
	case <-session.Listen():
	case <-time.After(listenWait):
	case <-ctx.Done():
	}
	return &listened{Session: session}, nil
}

// listenWait is how long the first reading waits for announcements to begin. Those that begin later are heeded too.
const listenWait = time.Second

// listened is a session as a watcher wants it.
type listened struct {
	*probe.Session
	read bool // everything was read before
}

// News is what the session has to tell.
func (l *listened) News() watch.News { return watch.News(l.Session.News()) }

// List reads lists. Before everything is read once more, the server is asked whether it is still the same.
func (l *listened) List(ctx context.Context, kinds ...snapshot.Kind) ([]snapshot.List, error) {
	if len(kinds) == len(snapshot.Kinds()) {
		if l.read {
			l.Recheck(ctx)
		}
		l.read = true
	}
	return l.Session.List(ctx, kinds...)
}

var errUnsaved = errors.New("nothing is saved to measure from: save it with mcpctl snapshot")

// reader reads the snapshot that was saved of a server. A file that cannot be read is told once, and the last one holds.
func (w *watched) reader(path string, v *vigil) func() *snapshot.Snapshot {
	var last *snapshot.Snapshot
	var told string
	return func() *snapshot.Snapshot {
		saved, err := readFile(path)
		w.Unsaved = errors.Is(err, fs.ErrNotExist)
		w.unread = err != nil && !w.Unsaved
		switch {
		case err == nil:
			last, told = saved.snapshot, ""
		case w.Unsaved:
			last, err = nil, errUnsaved
		}
		if err != nil && err.Error() != told {
			told = err.Error()
			v.Note("%s: %v", report.Visible(w.Name), err)
		}
		return last
	}
}
