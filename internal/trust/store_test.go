package trust

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/lists"
)

var (
	noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	some = Subject{File: "/p/.mcp.json", Server: "files", Essence: []string{"npx", "-y", "files"}}
)

func store(t *testing.T) Store {
	t.Helper()
	return Store{Folder: filepath.Join(t.TempDir(), "mcpctl", "trust")}
}

func agree(t *testing.T, s Store, about Subject) {
	t.Helper()
	if err := s.Agree(about, noon); err != nil {
		t.Fatal(err)
	}
}

func wantState(t *testing.T, s Store, about Subject, want State) {
	t.Helper()
	if got, err := s.State(about); got != want || err != nil {
		t.Errorf("State(%v) = %v, %v, want %v", about, got, err, want)
	}
}

func TestAgreementHoldsForTheVerySubject(t *testing.T) {
	s := store(t)
	wantState(t, s, some, Unknown)
	agree(t, s, some)
	wantState(t, s, some, Agreed)
	wantState(t, s, Subject{File: "/q/.mcp.json", Server: "files", Essence: some.Essence}, Unknown)
	wantState(t, s, Subject{File: some.File, Server: "other", Essence: some.Essence}, Unknown)
	for _, essence := range [][]string{nil, {"npx", "-y"}, {"npx", "-yfiles"}, {"npx", "-y", "files", ""}, {"npx-y", "", "files"}, {"-y", "npx", "files"}} {
		wantState(t, s, Subject{File: some.File, Server: some.Server, Essence: essence}, Changed)
	}
	changed := Subject{File: some.File, Server: some.Server, Essence: []string{"other"}}
	agree(t, s, changed)
	wantState(t, s, changed, Agreed)
	wantState(t, s, some, Changed)
	if err := s.Revoke(some.File, some.Server); err != nil {
		t.Fatal(err)
	}
	wantState(t, s, changed, Unknown)
	if err := s.Revoke(some.File, some.Server); err != nil {
		t.Errorf("revoking twice: %v", err)
	}
}

func TestFilesArePrivateAndTellNothing(t *testing.T) {
	s := store(t)
	secret := Subject{File: some.File, Server: some.Server, Essence: []string{"npx", "hunter2"}}
	agree(t, s, secret)
	path := filepath.Join(s.Folder, fileName(some.File, some.Server))
	data, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(data), "hunter2") || strings.Contains(string(data), "npx") {
		t.Errorf("the file tells what was agreed to: %s, %v", data, err)
	}
	if runtime.GOOS == "windows" {
		return // permissions are those of the user's folder there
	}
	for path, want := range map[string]fs.FileMode{path: 0o600, s.Folder: 0o700, filepath.Dir(s.Folder): 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v, want %v", path, info.Mode().Perm(), err, want)
		}
	}
}

func TestSaltsDiffer(t *testing.T) {
	s := store(t)
	agree(t, s, some)
	before, _ := s.List()
	agree(t, s, some)
	after, _ := s.List()
	if cmp.Equal(before[0].Salt, after[0].Salt) || cmp.Equal(before[0].Digest, after[0].Digest) {
		t.Error("two agreements to one subject look alike")
	}
}

// TestDamagedIsNeverAgreed spoils a good file in every way and wants an error that names it.
func TestDamagedIsNeverAgreed(t *testing.T) {
	s := store(t)
	agree(t, s, some)
	path := filepath.Join(s.Folder, fileName(some.File, some.Server))
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	but := func(change func(*Agreement)) string {
		a, _ := parse(good)
		change(&a)
		data, _ := json.Marshal(a)
		return string(data)
	}
	for name, data := range map[string]string{
		"empty": "", "cut off": string(good[:len(good)/2]), "not JSON": "yes", "null": "null", "trailing": string(good) + "{}",
		"unknown key": strings.Replace(string(good), `"since"`, `"more": 1, "since"`, 1), "huge": string(good) + strings.Repeat(" ", maxFile),
		"newer": but(func(a *Agreement) { a.Format = format + 1 }), "no format": but(func(a *Agreement) { a.Format = 0 }),
		"no file": but(func(a *Agreement) { a.File = "" }), "no time": but(func(a *Agreement) { a.Since = time.Time{} }),
		"a short salt": but(func(a *Agreement) { a.Salt = a.Salt[1:] }), "a short digest": but(func(a *Agreement) { a.Digest = a.Digest[1:] }),
	} {
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := s.State(some); got != Unknown || err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		if all, err := s.List(); len(all) != 0 || err == nil {
			t.Errorf("%s: List gives %v, %v", name, all, err)
		}
	}
	older := strings.Replace(string(good), `"mcpctl": 2`, `"mcpctl": 1`, 1) // of when less was covered
	if err := os.WriteFile(path, []byte(older), 0o600); err != nil {
		t.Fatal(err)
	}
	wantState(t, s, some, Changed)
	if err := os.WriteFile(path, good, 0o600); err != nil {
		t.Fatal(err)
	}
	wantState(t, s, some, Agreed)
}

func TestWhatOthersCanWriteProvesNothing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: Windows has no permission bits")
	}
	s := store(t)
	agree(t, s, some)
	path := filepath.Join(s.Folder, fileName(some.File, some.Server))
	for _, open := range []string{path, s.Folder, filepath.Dir(s.Folder)} {
		for _, bit := range []os.FileMode{0o020, 0o002} { // of the group, of everybody
			info, _ := os.Stat(open)
			if err := os.Chmod(open, info.Mode().Perm()|bit); err != nil {
				t.Fatal(err)
			}
			if got, err := s.State(some); got != Unknown || err == nil || !strings.Contains(err.Error(), "others") {
				t.Errorf("%s with %o: %v, %v", open, bit, got, err)
			}
			_ = os.Chmod(open, info.Mode().Perm())
		}
	}
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	if err := errors.Join(os.Rename(path, elsewhere), os.Symlink(elsewhere, path)); err != nil {
		t.Fatal(err)
	}
	if got, err := s.State(some); got != Unknown || err == nil {
		t.Errorf("a link: %v, %v", got, err)
	}
	if err := s.Revoke(some.File, some.Server); err != nil {
		t.Errorf("revoking what is damaged: %v", err)
	}
	wantState(t, s, some, Unknown)
}

// TestCopiesHoldForNothing renames one agreement to where that of another file, or of another server of the file, would be.
func TestCopiesHoldForNothing(t *testing.T) {
	for _, other := range []Subject{
		{File: "/evil/.mcp.json", Server: some.Server, Essence: some.Essence},
		{File: some.File, Server: "another", Essence: some.Essence},
	} {
		s, shown := store(t), some
		shown.Shown = []string{"starts npx"}
		agree(t, s, shown)
		if err := os.Rename(filepath.Join(s.Folder, fileName(some.File, some.Server)), filepath.Join(s.Folder, fileName(other.File, other.Server))); err != nil {
			t.Fatal(err)
		}
		wantState(t, s, other, Unknown)
		if earlier := s.Earlier(other.File, other.Server); earlier != nil {
			t.Errorf("what another server could do is told as what it could do earlier: %q", earlier)
		}
		if all, err := s.List(); len(all) != 0 || err != nil {
			t.Errorf("List gives %v, %v", all, err)
		}
	}
}

func TestEarlierIsWhatWasShown(t *testing.T) {
	s, shown := store(t), some
	shown.Shown = []string{"starts npx"}
	if got := s.Earlier(some.File, some.Server); got != nil {
		t.Errorf("before anybody agreed: %q", got)
	}
	agree(t, s, shown)
	if diff := cmp.Diff(shown.Shown, s.Earlier(some.File, some.Server)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWhatCannotBeKeptIsAnError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := (Store{Folder: filepath.Join(file, "trust")}).Agree(some, noon); err == nil {
		t.Error("an agreement was kept below a file")
	}
	if _, err := (Store{Folder: file}).List(); err == nil {
		t.Error("a folder that cannot be read has no agreements, it says")
	}
}

// TestOtherFilesAreNotRead puts files beside an agreement that are none, as a run that was killed or an editor may leave them.
func TestOtherFilesAreNotRead(t *testing.T) {
	s := store(t)
	agree(t, s, some)
	for _, name := range []string{"notes.txt", ".tmp-1" + ".json", "README"} {
		if err := os.WriteFile(filepath.Join(s.Folder, name), []byte("no agreement"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if all, err := s.List(); len(all) != 1 || err != nil {
		t.Errorf("List gives %v, %v", all, err)
	}
}

func TestRunsAtTheSameTimeLoseNothing(t *testing.T) {
	s := store(t)
	var all sync.WaitGroup
	names := strings.Split("abcdefghijklmnop", "")
	for _, name := range append(names, names...) {
		all.Go(func() {
			if err := s.Agree(Subject{File: some.File, Server: name}, noon); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	agree(t, s, Subject{File: "/first/.mcp.json", Server: "z"})
	kept, err := s.List()
	servers := strings.Join(lists.Map(kept, func(a Agreement) string { return a.Server }), "")
	if want := "zabcdefghijklmnop"; servers != want || err != nil {
		t.Errorf("%s kept, %v, want %s", servers, err, want)
	}
}

// FuzzParse wants every text that is read as an agreement to be whole.
func FuzzParse(f *testing.F) {
	s := Store{Folder: filepath.Join(f.TempDir(), "t")}
	if err := s.Agree(some, noon); err != nil {
		f.Fatal(err)
	}
	good, _ := os.ReadFile(filepath.Join(s.Folder, fileName(some.File, some.Server)))
	f.Add(good)
	f.Add([]byte(`{"mcpctl":1,"file":"/x","server":"s","since":"2026-01-01T00:00:00Z","salt":"","digest":""}`))
	f.Add([]byte("null"))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := parse(data)
		if err == nil && (a.Format < 1 || a.Format > format || a.File == "" || len(a.Salt) != saltSize || len(a.Digest) != 32 || a.Since.IsZero()) {
			t.Errorf("%q was taken for an agreement: %+v", data, a)
		}
		if err != nil && (a.File != "" || a.Digest != nil) {
			t.Errorf("%q: an error, and %+v", data, a)
		}
	})
}
