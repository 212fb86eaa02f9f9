package watchrun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

// fileOptions are the files to watch.
type fileOptions struct {
	Dir   string        // where relative globs begin; empty = the current folder
	Globs []string      // with ** for any folders; a folder stands for all that is in it
	Quiet time.Duration // without another change until one is reported, ten times that at most; 0 = 100 ms
}

// fileChange is one change of files.
type fileChange struct {
	Files []string  // those that came, changed or went, sorted; relative to Dir when they are in it
	Since time.Time // when the first of them was announced
	Err   error     // something can no longer be watched
}

// fileWatcher watches files until it is closed.
type fileWatcher struct {
	quiet    time.Duration
	look     scanner
	seen     view
	system   *fsnotify.Watcher
	events   <-chan fsnotify.Event
	failing  <-chan error
	reported string // the last error that was reported
}

// openFiles reads all files once and begins to watch. The error is that of a glob which cannot be read, of
// too many files, or of the system's limits, and says what to do.
func openFiles(ctx context.Context, o fileOptions) (*fileWatcher, error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("finding the current folder: %w", err)
	}
	w := &fileWatcher{quiet: cmp.Or(o.Quiet, 100*time.Millisecond), look: scanner{dir: dir}}
	for _, text := range o.Globs {
		g, err := parseGlob(dir, text)
		if err != nil {
			return nil, err
		}
		w.look.globs = append(w.look.globs, g)
	}
	if w.system, err = fsnotify.NewWatcher(); err != nil {
		return nil, limited("files", err)
	}
	w.events, w.failing = w.system.Events, w.system.Errors
	if err = w.lookAround(ctx); err != nil {
		_ = w.system.Close()
		return nil, err
	}
	return w, nil
}

// Close ends watching.
func (w *fileWatcher) Close() error { return w.system.Close() }

// Unmatched returns the globs that no file matches, as they were written.
func (w *fileWatcher) Unmatched() []string {
	var none []string
	for i, g := range w.look.globs {
		if w.seen.matched[i] == 0 {
			none = append(none, g.text)
		}
	}
	return none
}

// lookAround looks at all files, again as long as there are new folders: before they are watched nothing is
// announced.
func (w *fileWatcher) lookAround(ctx context.Context) error {
	for {
		now, err := w.look.all(ctx, w.seen)
		if err != nil {
			return err
		}
		w.seen = now
		if more, err := w.attend(); err != nil || !more {
			return err
		}
	}
}

// attend watches the directories of the view and reports whether new ones are among them.
func (w *fileWatcher) attend() (more bool, _ error) {
	watched := map[string]bool{}
	for _, folder := range w.system.WatchList() {
		watched[folder] = true
		if !w.seen.folders[folder] {
			_ = w.system.Remove(folder) // it may be gone
		}
	}
	var failures []error
	for folder := range w.seen.folders {
		if watched[folder] {
			continue
		}
		err := w.system.Add(folder)
		harmless := errors.Is(err, syscall.ENOENT) || errors.Is(err, fs.ErrPermission) // on the way of a link
		if err != nil && !harmless {
			failures = append(failures, limited(w.look.name(folder), err))
		}
		more = more || err == nil
	}
	return more, cmp.Or(failures...)
}

// limited returns the error of watching, with what to do about a limit of the system.
func limited(what string, err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("watching %s: the limit of watched directories for this user: name fewer, or raise"+
			" fs.inotify.max_user_watches (sudo sysctl fs.inotify.max_user_watches=524288)", what)
	case errors.Is(err, syscall.EMFILE) && strings.Contains(err.Error(), "inotify"):
		return fmt.Errorf("watching %s: this user watches files with too many programs: end some, or raise"+
			" fs.inotify.max_user_instances (sudo sysctl fs.inotify.max_user_instances=512)", what)
	case errors.Is(err, syscall.EMFILE):
		return fmt.Errorf("watching %s: too many open files: name fewer, or raise ulimit -n", what)
	}
	return fmt.Errorf("watching %s: %w", what, err)
}

// Run sends changes until ctx ends. Those that come before the last one was received are joined.
func (w *fileWatcher) Run(ctx context.Context, changes chan<- fileChange) {
	var first time.Time        // when what is waited for began
	var ready <-chan time.Time // when it is over
	var pending fileChange
	for {
		var out chan<- fileChange
		if len(pending.Files) > 0 || pending.Err != nil {
			out = changes
		}
		news := false
		select {
		case <-ctx.Done():
			return
		case e := <-w.events:
			news = w.concerns(e)
		case <-w.failing: // announcements were lost
			news = true
		case <-ready:
			ready = nil
			pending = w.again(ctx, pending, first)
		case out <- pending:
			pending = fileChange{}
		}
		if news && ready == nil {
			first = time.Now()
		}
		if news {
			ready = time.After(min(w.quiet, time.Until(first.Add(10*w.quiet))))
		}
	}
}

// again looks at all files once more and adds what has changed to what is not told yet.
func (w *fileWatcher) again(ctx context.Context, pending fileChange, first time.Time) fileChange {
	before := w.seen
	err := w.lookAround(ctx)
	if files := w.look.changed(before, w.seen); len(files) > 0 {
		if len(pending.Files) == 0 {
			pending.Since = first
		}
		pending.Files = union(pending.Files, files)
	}
	switch {
	case err == nil:
		w.reported = ""
	case err.Error() != w.reported:
		w.reported, pending.Err = err.Error(), err
	}
	return pending
}

// concerns reports whether an announcement may be of a change: of a file that a glob names, of rules, or of a
// folder.
func (w *fileWatcher) concerns(e fsnotify.Event) bool {
	if e.Op == fsnotify.Chmod {
		return false
	}
	linked := w.seen.linked[e.Name] || w.seen.linked[filepath.Dir(e.Name)]
	if linked || w.seen.folders[e.Name] || filepath.Base(e.Name) == ".gitignore" {
		return true
	}
	info, err := os.Stat(e.Name) // a link to a folder is one
	folder := err == nil && info.IsDir()
	for i, g := range w.look.globs {
		switch way := below(g.base, e.Name); {
		case folder && (way == "" || !filepath.IsLocal(way)):
			return true // it may lead to where the glob begins
		case !filepath.IsLocal(way), w.seen.rules[i].leavesOut(e.Name, folder):
		case folder, g.matches(way):
			return true
		}
	}
	return false
}

// In how many rounds in a row a file may change: up to tolerated the next round comes at once, up to doubted
// after 1, 3 and 9 seconds, in which people save and builds do not; then it is an output.
const (
	tolerated = 2
	doubted   = 5
)

// buildOutputs finds the files that a build writes, so that a build does not lead to the next for ever: those
// that change in every round and never in the growing pauses between. The zero value knows none.
type buildOutputs struct {
	rounds  map[string]int  // how many rounds in a row a file changed in
	touched map[string]bool // changed in this round
}

// buildDecision is what changed files are a reason for.
type buildDecision struct {
	Now     []string      // a round at once
	Later   []string      // a round after a pause, unless something else is changed before
	Pause   time.Duration // how long, once this round is over
	Outputs []string      // nothing, from now on
}

// Begin begins a round. Files that did not change in the one before are outputs no more.
func (o *buildOutputs) Begin() {
	for file := range o.rounds {
		if !o.touched[file] {
			delete(o.rounds, file)
		}
	}
	o.touched = map[string]bool{}
}

// Decide sorts changed files. What changes between two rounds was changed by people.
func (o *buildOutputs) Decide(files []string, duringRound bool) (d buildDecision) {
	for _, file := range files {
		if !duringRound {
			delete(o.rounds, file)
			d.Now = append(d.Now, file)
			continue
		}
		n, first := o.count(file)
		switch {
		case n <= tolerated:
			d.Now = append(d.Now, file)
		case n <= doubted:
			d.Later = append(d.Later, file)
			d.Pause = max(d.Pause, [...]time.Duration{1, 3, 9}[n-tolerated-1]*time.Second)
		case n == doubted+1 && first:
			d.Outputs = append(d.Outputs, file)
		}
	}
	return d
}

// count is in how many rounds in a row a file changed, and whether it is the first time in this one.
func (o *buildOutputs) count(file string) (n int, first bool) {
	if o.rounds == nil {
		o.rounds, o.touched = map[string]int{}, map[string]bool{}
	}
	if first = !o.touched[file]; first {
		o.touched[file] = true
		o.rounds[file]++
	}
	return o.rounds[file], first
}
