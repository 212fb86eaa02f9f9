package watchrun

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestReloadPauses: files that change shortly after a restart wait ever longer, others do not.
func TestReloadPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := plant(t, "a.ts")
		files, err := newFileWatcher(t.Context(), dir, []string{"*.ts"})
		if err != nil {
			t.Fatal(err)
		}
		reloads := make(chan WatchEvent, 1)
		b := &rebuilder{files: files, emit: func(e WatchEvent) { reloads <- e }, restart: make(chan struct{}, 1)}
		go b.run(t.Context())
		var got []time.Duration
		for n, wait := range []time.Duration{time.Minute, time.Second, time.Second, time.Second, time.Minute} {
			time.Sleep(wait)
			began := time.Now()
			write(t, dir, fmt.Sprintf("a.ts=%0*d", n+1, 0))
			if e := <-reloads; !slices.Equal(e.Files, []string{"a.ts"}) {
				t.Errorf("files %q", e.Files)
			}
			got = append(got, time.Since(began).Truncate(time.Second))
		}
		want := []time.Duration{0, time.Second, 2 * time.Second, 4 * time.Second, 0}
		if !slices.Equal(got, want) {
			t.Errorf("pauses %v, want %v", got, want)
		}
	})
}
