package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// opened is the journal in a file, which gives it back at the end of the test; noted are the remarks on it.
func opened(t *testing.T, path string, limit int64) (j *Journal, surfaces map[string]string, noted *[]string) {
	t.Helper()
	noted = new([]string)
	j, raw, err := open(path, limit, func(format string, args ...any) { *noted = append(*noted, fmt.Sprintf(format, args...)) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.End() })
	surfaces = map[string]string{}
	for server, surface := range raw {
		surfaces[server] = string(surface)
	}
	return j, surfaces, noted
}

// TestGoesOn after a restart: numbers, places of outputs, surfaces and what can be replayed are as they were.
func TestGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	j, _, _ := opened(t, path, rotateAt)
	addWith(j, "a", "one", true, `{"tools": [1]}`)
	add(j, "b", "", false)
	j.Pass("--webhook", 1)
	addWith(j, "a", "two", true, "{\n  \"tools\": [2]\n}\n")
	if err := j.End(); err != nil {
		t.Fatal(err)
	}
	_, id := j.Last()
	next, surfaces, _ := opened(t, path, rotateAt)
	add(next, "a", "three", true)
	next.Settle(t.Context())
	if diff := cmp.Diff([]string{"1 a 1 1", "2 b 1 0", "3 a 2 2", "4 a 3 3"}, places(next.After(0).Entries)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"a": `{"tools":[2]}`}, surfaces); diff != "" {
		t.Errorf("surfaces (-want +got):\n%s", diff)
	}
	if n, known := next.Passed("--webhook"); n != 1 || !known {
		t.Errorf("the webhook is at %d (%v)", n, known)
	}
	if n, known := next.NumberOf(id); n != 3 || !known {
		t.Errorf("a reader of the run before is at %d (%v)", n, known)
	}
	if _, newID := next.Last(); strings.Split(newID, "-")[0] == strings.Split(id, "-")[0] {
		t.Errorf("%s and %s are of one run", id, newID)
	}
}

// TestKilled at any byte: what was whole stays, what was torn goes, and what comes then can be read. An event has its surface, or
// neither is there: otherwise the next run would tell its change again, or never.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	j, _, _ := opened(t, path, rotateAt)
	for i := range 3 {
		addWith(j, "a", fmt.Sprint(i), true, fmt.Sprintf(`{"n":%d}`, i))
	}
	if err := j.End(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range whole {
		torn := filepath.Join(t.TempDir(), "j")
		if err := os.WriteFile(torn, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		lines := strings.Count(string(whole[:cut]), "\n")
		if cut > 0 && cut < len(`{"mcpctl"`) {
			continue // nobody's file
		}
		j, surfaces, noted := opened(t, torn, rotateAt)
		events, want := lines/2, map[string]string{}
		if events > 0 {
			want["a"] = fmt.Sprintf(`{"n":%d}`, events-1)
		}
		add(j, "a", "next", true)
		j.Settle(t.Context())
		entries := j.After(0).Entries
		if len(entries) != events+1 || entries[events].Change != events+1 || !cmp.Equal(want, surfaces) || len(*noted) > 0 {
			t.Fatalf("cut at %d: %v, surfaces %v, noted %q", cut, places(entries), surfaces, *noted)
		}
		if err := j.End(); err != nil {
			t.Fatal(err)
		}
		if again, kept, _ := opened(t, torn, rotateAt); len(again.After(0).Entries) != events+1 || !cmp.Equal(want, kept) {
			t.Fatalf("cut at %d: %v and surfaces %v after another restart", cut, places(again.After(0).Entries), kept)
		}
	}
}

// TestRotates begins new files that know all that is to be known, and keeps one file before.
func TestRotates(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "j")
	j, _, _ := opened(t, path, 2000)
	addWith(j, "quiet", "", false, `{"tools":["q"]}`)
	for i := range 100 {
		addWith(j, "a", fmt.Sprint(i), true, fmt.Sprintf(`{"n":%d}`, i))
		j.Pass("--exec", i)
		j.Settle(t.Context())
	}
	if err := j.End(); err != nil {
		t.Fatal(err)
	}
	var size int64
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		info, _ := f.Info()
		size += info.Size()
	}
	if len(files) != 3 || size > 10_000 { // the lock is one
		t.Errorf("%d files of %d bytes", len(files), size)
	}
	for _, killed := range []bool{false, true} {
		if killed { // between two renames
			if err := os.Rename(path, path+".1"); err != nil {
				t.Fatal(err)
			}
		}
		j, surfaces, _ := opened(t, path, 2000)
		entries := j.After(0).Entries
		last := entries[len(entries)-1]
		if diff := cmp.Diff(map[string]string{"quiet": `{"tools":["q"]}`, "a": `{"n":99}`}, surfaces); diff != "" || last.Number != 101 || last.Change != 100 {
			t.Errorf("killed %v: the last is %d with change %d, surfaces (-want +got):\n%s", killed, last.Number, last.Change, diff)
		}
		if n, _ := j.Passed("--exec"); n != 99 {
			t.Errorf("killed %v: the output is at %d", killed, n)
		}
		if err := j.End(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRefused are files that are no journal, or somebody else's now; nothing is done to them.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"notes": "my notes\n", "no line": "precious", "json": `{"tools":[]}` + "\n", "newer": `{"mcpctl":2,"event":"state"}` + "\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Open(path, t.Logf); err == nil {
			t.Errorf("%s was taken", name)
		}
		if now, _ := os.ReadFile(path); string(now) != text {
			t.Errorf("%s is %q now", name, now)
		}
	}
	if _, _, err := Open(dir, t.Logf); err == nil {
		t.Error("a folder was taken")
	}
	path := filepath.Join(dir, "j")
	opened(t, path, rotateAt)
	if _, _, err := Open(path, t.Logf); err == nil || !strings.Contains(err.Error(), "another mcpctl") {
		t.Errorf("a second one: %v", err)
	}
}

// TestFullDisk tells, once, and what was there stays whole.
func TestFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	j, _, noted := opened(t, path, rotateAt)
	add(j, "a", "one", true)
	j.Settle(t.Context())
	file := j.disk.file
	j.disk.file, _ = os.Open("/dev/full") // not for writing: nothing can be written
	add(j, "a", "two", true)
	add(j, "a", "three", true)
	j.Settle(t.Context())
	if n := len(j.After(0).Entries); n != 3 {
		t.Errorf("readers see %d events", n)
	}
	_ = file.Close()
	if err := j.End(); err == nil || len(*noted) != 1 {
		t.Errorf("%v, noted %q", err, *noted)
	}
	if next, _, _ := opened(t, path, rotateAt); len(next.After(0).Entries) != 1 {
		t.Errorf("%v", places(next.After(0).Entries))
	}
}

// TestTakenAway while it is written: that is told, and the next run begins with what somebody left of it.
func TestTakenAway(t *testing.T) {
	for name, take := range map[string]func(path string) error{
		"removed": os.Remove,
		"emptied": func(path string) error { return os.Truncate(path, 0) },
		"moved":   func(path string) error { return os.Rename(path, path+".old") },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "j")
			j, _, noted := opened(t, path, rotateAt)
			add(j, "a", "one", true)
			j.Settle(t.Context())
			if err := take(path); err != nil {
				t.Skipf("NOT TESTED: this system lets nobody do that: %v", err)
			}
			add(j, "a", "two", true)
			j.Settle(t.Context())
			if n := len(j.After(0).Entries); n != 2 {
				t.Errorf("readers see %d events", n)
			}
			if err := j.End(); err == nil || len(*noted) != 1 {
				t.Errorf("%v, noted %q", err, *noted)
			}
			if next, _, _ := opened(t, path, rotateAt); len(next.After(0).Entries) != 0 {
				t.Errorf("%v", places(next.After(0).Entries))
			}
		})
	}
}

// TestRoomAgain after a full disk: what was not written is no place for a new file to take surfaces from.
func TestRoomAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	j, _, _ := opened(t, path, 2000)
	addWith(j, "a", "one", true, `{"n":1}`)
	j.Settle(t.Context())
	file := j.disk.file
	j.disk.file, _ = os.Open("/dev/full") // not for writing: nothing can be written
	addWith(j, "a", strings.Repeat("two", 100), true, `{"n":2}`)
	j.Settle(t.Context())
	_ = j.disk.file.Close()
	j.disk.file = file
	for i := range 50 {
		add(j, "b", fmt.Sprint(i), true)
	}
	if err := j.End(); err == nil {
		t.Error("an event is missing, and nobody is told")
	}
	if _, err := os.Stat(path + ".1"); err != nil {
		t.Errorf("no new file was begun: %v", err)
	}
	if _, surfaces, _ := opened(t, path, 2000); surfaces["a"] != `{"n":1}` {
		t.Errorf("surfaces %v", surfaces)
	}
}

// TestNoNewFile can be begun: the old one takes all that comes, nothing is missing, and nothing is left lying about.
func TestNoNewFile(t *testing.T) {
	for name, spoil := range map[string]func(*testing.T, *disk){
		"it cannot be made": func(t *testing.T, d *disk) {
			if err := os.Mkdir(d.path+".new", 0o700); err != nil {
				t.Fatal(err)
			}
		},
		"it cannot be filled": func(_ *testing.T, d *disk) { d.servers["a"] = &known{from: 1 << 40, length: 1} },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "j")
			j, _, noted := opened(t, path, 2000)
			spoil(t, j.disk)
			for i := range 100 {
				add(j, "a", fmt.Sprint(i), true)
			}
			j.Settle(t.Context())
			if err := j.End(); err != nil {
				t.Errorf("nothing is missing, and yet: %v", err)
			}
			if len(*noted) == 0 || slices.ContainsFunc(*noted, func(s string) bool { return !strings.Contains(s, "it goes on in the same file") }) {
				t.Errorf("noted %q", *noted)
			}
			if info, err := os.Stat(path + ".new"); err == nil && !info.IsDir() {
				t.Error("what was begun of the new file is still there")
			}
			if next, _, _ := opened(t, path, rotateAt); len(next.After(0).Entries) != 100 {
				t.Errorf("%d events are there", len(next.After(0).Entries))
			}
		})
	}
}
