package store

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/host"
)

// TestMain is also the helper that the tests start, which misbehaves as MISBEHAVE says.
func TestMain(m *testing.M) {
	if how := os.Getenv("MISBEHAVE"); how != "" {
		misbehave(how)
		return
	}
	goleak.VerifyTestMain(m)
}

func misbehave(how string) {
	in := bufio.NewReader(os.Stdin)
	for {
		var r request
		line, err := in.ReadBytes('\n')
		if err != nil || json.Unmarshal(line, &r) != nil {
			return
		}
		_, _ = io.CopyN(io.Discard, in, int64(r.Size))
		switch how {
		case "dies":
			fmt.Fprint(os.Stderr, "out of luck")
			os.Exit(1)
		case "is silent":
		case "talks":
			fmt.Println("Hello!")
		case "endless line":
			fmt.Print(strings.Repeat("x", 1<<20))
		case "half":
			fmt.Printf("{\"id\":%d,\"size\":1000}\nhalf", r.ID)
			os.Exit(0)
		case "huge":
			fmt.Printf("{\"id\":%d,\"size\":%d}\n", r.ID, int64(1)<<40)
		case "refuses":
			fmt.Printf("{\"id\":%d,\"kind\":\"denied\",\"error\":\"who are\\nyou?\"}\n", r.ID)
		}
	}
}

func client(t *testing.T, how string) *Client {
	folder := t.TempDir()
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, filepath.Join(folder, helperName))
	}
	if err != nil {
		t.Fatal(err)
	}
	c := New(host.Process{Dir: folder, Environ: []string{"PATH=" + folder, "MISBEHAVE=" + how}})
	c.limit = time.Minute
	t.Cleanup(c.Close)
	return c
}

// TestHostileLock: in a folder that others write, too, a lock that is their link makes no file elsewhere, and one that is held or a
// pipe does not keep anybody for ever.
func TestHostileLock(t *testing.T) {
	for how, want := range map[string]string{"held": "has held", "link": lockName, "pipe": ""} {
		t.Run(how, func(t *testing.T) {
			if runtime.GOOS == "windows" && how != "held" {
				t.Skip("links need rights there, and pipes lie in no folder")
			}
			folder, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "made")
			path := filepath.Join(folder, lockName)
			held := flock.New(path)
			err := map[string]func() error{"held": held.Lock, "link": func() error { return os.Symlink(elsewhere, path) }, "pipe": func() error { return exec.Command("mkfifo", path).Run() }}[how]()
			if err != nil {
				t.Fatal(err)
			}
			defer held.Unlock()
			c := client(t, "")
			c.limit = 200 * time.Millisecond
			if how == "pipe" {
				c.limit = time.Minute
			}
			err = c.Put(t.Context(), "file://"+filepath.ToSlash(filepath.Join(folder, "a.json")), []byte("{}"))
			if said := fmt.Sprint(err); (err == nil) != (want == "") || !strings.Contains(said, want) {
				t.Errorf("%v, want %q", err, want)
			}
			if fileThere(elsewhere) {
				t.Error("a file was made behind the link")
			}
		})
	}
}

func fileThere(path string) bool { _, err := os.Lstat(path); return err == nil }

// TestHelperMisbehaves: whatever becomes of mcpctl-store, the error says so, its status is 3, and nothing is left running.
func TestHelperMisbehaves(t *testing.T) {
	for how, want := range map[string]string{
		"dies": `mcpctl-store ended: it wrote "out of luck`, "is silent": "no answer within 300ms", "talks": "mcpctl-store ended",
		"half": "mcpctl-store ended", "huge": "mcpctl-store ended", "refuses": "who are you?",
	} {
		t.Run(how, func(t *testing.T) {
			c := client(t, how)
			if how == "is silent" {
				c.limit = 300 * time.Millisecond
			}
			for range 2 {
				_, err := c.Get(t.Context(), "s3://b/k")
				if err == nil || !strings.HasPrefix(err.Error(), "reading s3://b/k: ") || !strings.Contains(err.Error(), want) || exit.CodeOf(exit.Misuse(err)) != exit.Incomplete {
					t.Errorf("%v", err)
				}
			}
		})
	}
}

// TestNothingIsAskedForEver: of thousands of objects in a store that does not answer only the first are waited for.
func TestNothingIsAskedForEver(t *testing.T) {
	c := client(t, "refuses")
	for range mostFailures {
		_, _ = c.Get(t.Context(), "s3://b/k")
	}
	c.Close()
	if _, err := c.Get(t.Context(), "s3://b/k"); err == nil || c.helper.over() != true || !strings.Contains(err.Error(), "who are you?") {
		t.Errorf("it is asked again: %v", err)
	}
}

func TestInterrupted(t *testing.T) {
	c := client(t, "is silent")
	ctx, cancel := contextWithReason(t, "stopped")
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := c.Get(ctx, "s3://b/k"); err == nil || err.Error() != "stopped" {
		t.Errorf("%v", err)
	}
}

func TestHelperIsMissing(t *testing.T) {
	c := New(host.Process{Environ: []string{"PATH=" + t.TempDir()}})
	_, err := c.Get(t.Context(), "gs://b/k")
	if exit.CodeOf(err) != exit.Usage || !strings.Contains(err.Error(), "go install github.com/mcpctl/mcpctl/mcpctl-store@latest") {
		t.Errorf("%v", err)
	}
	if checked := c.Check("gs://b/k"); checked == nil || checked.Error() != err.Error() {
		t.Errorf("Check: %v", checked)
	}
}

func TestCheck(t *testing.T) {
	for at, good := range map[string]bool{
		"s3://bucket": true, "s3://bucket/a/b.json": true, "gs://b/%2Eb.json": true, "file:///f": true, "azblob://c/k": true, "file:///C:/f": true,
		"s3://": false, "s3:///k": false, "s3://b/k?endpoint=http://evil.example": false, "s3://b/#k": false, "s3://u:p@b/k": false,
		"s3://b/../c": false, "file://host/f": false, "file://": false, "file:///": false, `s3://b\k`: false, "S3://b/k": false, "FILE:///f": false,
	} {
		if err := Check(at); (err == nil) != good || err != nil && exit.CodeOf(err) != exit.Usage {
			t.Errorf("%s: %v", at, err)
		}
	}
	for path, is := range map[string]bool{"s3://b": true, "https://b": false, "a/b": false, "C:/b": false, "file:///x": true, "FILE:///x": true} {
		if Is(path) != is {
			t.Errorf("Is(%q) = %v", path, !is)
		}
	}
}

func TestLayout(t *testing.T) {
	if at := Join("s3://b/p/", "github.json"); at != "s3://b/p/"+at[9:11]+"/github.json" || at == Join("s3://b/p", "gitlab.json") {
		t.Error(at)
	}
	if at := Join("f", "a.json"); at != filepath.Join("f", "a.json") {
		t.Error(at)
	}
	folders := map[string]bool{}
	for i := range 10_000 {
		folders[Join("s3://b", fmt.Sprintf("server-%d.json", i))[7:9]] = true
	}
	if len(folders) != 256 {
		t.Errorf("10,000 names lie in %d folders, want 256", len(folders))
	}
}

// TestTwoWriters: of what two runs write on top of the same version, the second is refused and the first stays.
func TestTwoWriters(t *testing.T) {
	at := "file://" + filepath.ToSlash(t.TempDir()) + "/a/b.json"
	if os.PathSeparator == '\\' {
		at = strings.Replace(at, "file://", "file:///", 1)
	}
	ctx, one, two := t.Context(), New(host.Process{}), New(host.Process{})
	for _, c := range []*Client{one, two} {
		if _, err := c.Get(ctx, at); !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	if err := one.Put(ctx, at, []byte("one")); err != nil {
		t.Fatal(err)
	}
	if err := two.Put(ctx, at, []byte("two")); !errors.Is(err, host.ErrChanged) || exit.CodeOf(exit.Misuse(err)) != exit.Incomplete {
		t.Errorf("over what was not there: %v", err)
	}
	for _, c := range []*Client{one, two} {
		if data, err := c.Get(ctx, at); err != nil || string(data) != "one" {
			t.Fatalf("%s, %v", data, err)
		}
	}
	if err := two.Put(ctx, at, []byte("two")); err != nil {
		t.Fatal(err)
	}
	if err := one.Put(ctx, at, []byte("three")); !errors.Is(err, host.ErrChanged) {
		t.Errorf("over another version: %v", err)
	}
	if _, err := one.Get(ctx, at); err != nil || two.Remove(ctx, at) != nil || !errors.Is(one.Put(ctx, at, nil), host.ErrChanged) {
		t.Error("over what was removed")
	}
	if err := errors.Join(one.Create(ctx, at, []byte("x")), two.Create(ctx, at, []byte("x")), two.Remove(ctx, at), two.Remove(ctx, at)); err != nil {
		t.Error(err) // one's own object is not in the way
	}
	if one.Create(ctx, at, []byte("x")) != nil || !errors.Is(two.Create(ctx, at, []byte("y")), host.ErrChanged) {
		t.Error("something was created where something was")
	}
	if names, err := one.List(ctx, strings.TrimSuffix(at, "/a/b.json")); err != nil || !slices.Equal(names, []string{at}) {
		t.Errorf("%v, %v", names, err)
	}
}

// TestUpdate: many who add to one object at the same time lose nothing.
func TestUpdate(t *testing.T) {
	at := "file:///" + strings.TrimPrefix(filepath.ToSlash(t.TempDir()), "/") + "/all.json"
	const writers = 16
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			p := host.Process{Store: New(host.Process{})}
			if err := Update(t.Context(), p, at, 1<<20, func(before []byte) ([]byte, error) { return fmt.Appendf(before, "%02d ", i), nil }, WriteOutput); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	data, err := New(host.Process{}).Get(t.Context(), at)
	words := strings.Fields(string(data))
	slices.Sort(words)
	var want []string
	for i := range writers {
		want = append(want, fmt.Sprintf("%02d", i))
	}
	if difference := cmp.Diff(want, words); err != nil || difference != "" {
		t.Errorf("%v, -want +got %s", err, difference)
	}
}

func contextWithReason(t *testing.T, reason string) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(t.Context())
	return ctx, func() { cancel(errors.New(reason)) }
}

// TestHelperOfTheCurrentFolder: a program that the current folder brought along is not started, though PATH has a dot in it.
func TestHelperOfTheCurrentFolder(t *testing.T) {
	folder := t.TempDir()
	name, started := filepath.Join(folder, helperName), filepath.Join(folder, "started")
	if runtime.GOOS == "windows" {
		name += ".bat"
	}
	if err := os.WriteFile(name, []byte("#!/bin/sh\n: > '"+started+"'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(folder)
	c := New(host.Process{Dir: folder, Environ: []string{"PATH=." + string(filepath.ListSeparator) + os.Getenv("PATH"), "PATHEXT=.BAT"}})
	defer c.Close()
	_, err := c.Get(t.Context(), "s3://b/k")
	if exit.CodeOf(err) != exit.Usage || !errors.Is(err, exec.ErrDot) || !strings.Contains(fmt.Sprint(err), "leave that folder out of PATH") || fileThere(started) {
		t.Errorf("%v", err)
	}
}

// TestLinksInAStore: what others put into a shared folder leads nobody out of it. The way to the folder may be a link.
func TestLinksInAStore(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need rights there")
	}
	shared, elsewhere, way := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "way")
	at := Join("file://"+way, "a.json")
	file := fileOf(at)
	secret := filepath.Join(elsewhere, "a.json")
	if err := errors.Join(os.Symlink(shared, way), os.WriteFile(secret, []byte("mine"), 0o600)); err != nil {
		t.Fatal(err)
	}
	c := New(host.Process{})
	if err := c.Put(t.Context(), at, []byte("{}")); err != nil {
		t.Fatalf("the way to the store: %v", err)
	}
	for name, plant := range []func() error{
		func() error {
			return errors.Join(os.RemoveAll(filepath.Dir(file)), os.Symlink(elsewhere, filepath.Dir(file)))
		},
		func() error {
			return errors.Join(os.Remove(filepath.Dir(file)), os.Mkdir(filepath.Dir(file), 0o700), os.Symlink(secret, file))
		},
	} {
		if err := plant(); err != nil {
			t.Fatal(err)
		}
		read, errGet := c.Get(t.Context(), at)
		for what, err := range map[string]error{"get": errGet, "put": c.Put(t.Context(), at, []byte("theirs")), "create": c.Create(t.Context(), at, nil), "remove": c.Remove(t.Context(), at)} {
			if said := fmt.Sprint(err); exit.CodeOf(exit.Misuse(err)) != exit.Incomplete || !strings.Contains(said, "is a link, which may lead out of the store: remove it") {
				t.Errorf("%d, %s: %v", name, what, err)
			}
		}
		if kept, err := os.ReadFile(secret); len(read) > 0 || err != nil || string(kept) != "mine" {
			t.Errorf("%d: read %q, and left %q (%v)", name, read, kept, err)
		}
	}
	if names, err := c.List(t.Context(), "file://"+way); err != nil || len(names) > 0 {
		t.Errorf("%v, %v", names, err)
	}
	theirs := filepath.Join(shared, "theirs")
	if os.Getuid() != 0 || errors.Join(os.Symlink(elsewhere, theirs), os.Lchown(theirs, 12345, 12345)) != nil {
		t.Skip("a link of somebody else's can be made by root alone")
	}
	if _, err := c.Get(t.Context(), "file://"+theirs+"/a.json"); err == nil || !strings.Contains(err.Error(), "is a link") {
		t.Errorf("a link of somebody else's: %v", err)
	}
}
