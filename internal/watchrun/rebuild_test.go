package watchrun

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/internal/host"
)

// TestBuildLoop pauses between builds that keep setting off the next, until a file is saved in a pause.
func TestBuildLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var notes bytes.Buffer
		b := &rebuilder{process: host.Process{Err: &notes}}
		build := func() (at string) { // one that writes a file
			b.begin(t.Context(), false)
			b.ended = time.Time{}
			time.Sleep(time.Second)
			files := b.due(fileChange{Files: []string{"made"}, After: b.began, Noticed: time.Now()})
			b.ended = time.Now()
			if len(files) > 0 {
				return "at once"
			}
			began := time.Now()
			<-b.later()
			return time.Since(began).String()
		}
		var got []string
		for range 7 {
			got = append(got, build())
		}
		want := []string{"at once", "at once", "2s", "4s", "10s", "10s", "10s"}
		if !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		if n := strings.Count(notes.String(), "made changes with every build"); n != 1 {
			t.Errorf("%d notes: %s", n, notes.String())
		}
		saved := b.due(fileChange{Files: []string{"src"}, After: time.Now(), Noticed: time.Now()})
		if !slices.Equal(saved, []string{"made", "src"}) || build() != "at once" {
			t.Errorf("after a save in the pause: %q", saved)
		}
	})
}
