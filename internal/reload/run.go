package reload

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Run tells changes until ctx ends. Those that come while nobody takes the last one are told together.
func (w *Watcher) Run(ctx context.Context, told chan<- Change) {
	var first time.Time        // when what is waited for began
	var ready <-chan time.Time // when it is over
	var untold Change
	for {
		var out chan<- Change
		if len(untold.Files) > 0 || untold.Err != nil {
			out = told
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
			untold = w.again(ctx, untold, first)
		case out <- untold:
			untold = Change{}
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
func (w *Watcher) again(ctx context.Context, untold Change, first time.Time) Change {
	before := w.seen
	err := w.lookAround(ctx)
	if files := w.look.changed(before, w.seen); len(files) > 0 {
		if len(untold.Files) == 0 {
			untold.Since = first
		}
		untold.Files = union(untold.Files, files)
	}
	switch {
	case err == nil:
		w.said = ""
	case err.Error() != w.said:
		w.said, untold.Err = err.Error(), err
	}
	return untold
}

// concerns tells whether an announcement may be of a change: of a file that a glob names, of rules, or of a folder.
func (w *Watcher) concerns(e fsnotify.Event) bool {
	if e.Op == fsnotify.Chmod {
		return false
	}
	if w.seen.folders[e.Name] || filepath.Base(e.Name) == ".gitignore" {
		return true
	}
	info, err := os.Lstat(e.Name)
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
