package packages

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/process"
)

// fetchLimit is how long a package manager may take for one package.
const fetchLimit = 5 * time.Minute

// Store is a private folder of fetched packages. Package managers do the fetching, with the user's own settings for registries,
// proxies and credentials, but never those of the current folder.
type Store struct {
	Folder string   // it is made when it is needed, for the user alone
	Env    []string // "K=V", for the package managers

	running string // the program that runs containers, once it is known
}

type manager interface {
	versions(ctx context.Context, ref Ref, all bool) ([]string, error) // that a reference stands for, or all of its package, the lowest first; at least one, unless all
	install(ctx context.Context, ref Ref, folder string) error         // into an empty folder, held against what the registry says; no script runs
	read(ctx context.Context, ref Ref, folder string) (Package, error) // what was installed
}

func (s *Store) manager(ref Ref) manager {
	switch ref.Registry {
	case "pypi":
		return pip{s}
	case "oci":
		return image{s}
	}
	return npm{s}
}

// Fetch gives a package, from the store if that version is there; otherwise begin is told which version is asked for. No script
// of any package runs. The error says what to do.
func (s *Store) Fetch(ctx context.Context, ref Ref, begin func(Ref)) (Package, error) {
	exact, err := s.Resolve(ctx, ref)
	if err != nil {
		return Package{}, err
	}
	folder := s.folderOf(exact)
	use(ctx, folder)
	if !exact.Exact() || !files.IsDir(folder) { // a tag of an image may be another image each time
		begin(exact)
		if err := s.place(ctx, folder, func(folder string) error { return s.manager(exact).install(ctx, exact, folder) }); err != nil {
			return Package{}, err
		}
	}
	now := time.Now()
	_ = os.Chtimes(folder, now, now) // when it was last used, for Prune
	return s.manager(exact).read(ctx, exact, folder)
}

// Resolve is the reference with the version that it stands for now: of a range the highest, of an image its tag.
func (s *Store) Resolve(ctx context.Context, ref Ref) (Ref, error) {
	if ref.Exact() {
		return ref, nil
	}
	versions, err := s.manager(ref).versions(ctx, ref, false)
	if err != nil {
		return ref, err
	}
	ref.Version = highest(versions)
	return ref, nil
}

// Versions are the last n releases of a reference, lowest first, without pre-releases: of a range, else up to its version.
func (s *Store) Versions(ctx context.Context, ref Ref, n int) ([]Ref, error) {
	versions, err := s.manager(ref).versions(ctx, ref, false)
	if err != nil {
		return nil, err
	}
	last := highest(versions)
	if len(versions) == 1 {
		if versions, err = s.manager(ref).versions(ctx, ref, true); err != nil {
			return nil, err
		}
	}
	if ref.Registry == "oci" && ref.Version == "" && len(versions) > 0 {
		last = highest(versions)
	}
	var refs []Ref
	for _, version := range versions[:slices.Index(versions, last)+1] {
		if stable(version) || version == last {
			refs = append(refs, Ref{Registry: ref.Registry, Name: ref.Name, Version: version})
		}
	}
	if len(refs) == 0 {
		return nil, unknownVersion(ref)
	}
	return refs[max(0, len(refs)-n):], nil
}

// Upgrade is what a reference of a configuration starts now, and the newest release of its package. Of an image whose tag is no
// version they are the image that is here and the one that the tag stands for; what was locked says which was here last.
func (s *Store) Upgrade(ctx context.Context, ref Ref, locked Package) (now, newest Ref, err error) {
	now, newest = ref, ref
	if ref.Registry == "oci" {
		return image{s}.upgrade(ctx, ref, locked)
	}
	if locked.Name == ref.Name && !ref.Exact() {
		now.Version = locked.Version
	}
	newest.Version = ""
	if now, err = s.Resolve(ctx, now); err == nil {
		newest, err = s.Resolve(ctx, newest)
	}
	return now, newest, err
}

func unknownVersion(ref Ref) error { return fmt.Errorf("%s: the registry knows no version of it", ref) }

// highest is the last stable one of sorted versions, or the last of all.
func highest(versions []string) string {
	for _, version := range slices.Backward(versions) {
		if stable(version) {
			return version
		}
	}
	return versions[len(versions)-1]
}

func stable(version string) bool { return !strings.Contains(version, "-") }

// place has a folder filled that is whole or not there.
func (s *Store) place(ctx context.Context, folder string, fill func(folder string) error) error {
	if err := os.MkdirAll(filepath.Dir(folder), 0o700); err != nil {
		return err
	}
	temporary, err := os.MkdirTemp(filepath.Dir(folder), ".fetching-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temporary) }()
	filling := share(ctx, temporary)
	defer func() { _ = filling.Unlock() }()
	if err := fill(temporary); err != nil {
		return err
	}
	if err := os.Rename(temporary, folder); err != nil && !files.IsDir(folder) { // another run may have been quicker
		return err
	}
	use(ctx, folder)
	return nil
}

// inUse are the locks of what this process uses, by folder: other runs do not remove it before the process ends.
var inUse sync.Map

func use(ctx context.Context, folder string) {
	if _, already := inUse.Load(folder); already {
		return
	}
	if lock := share(ctx, folder); lock.RLocked() {
		inUse.Store(folder, lock)
	}
}

// share keeps other runs from removing a folder until Unlock, if it is there and the system can lock folders.
func share(ctx context.Context, folder string) *flock.Flock {
	lock := folderLock(folder)
	_, _ = lock.TryRLockContext(ctx, 10*time.Millisecond)
	return lock
}

func folderLock(folder string) *flock.Flock { return flock.New(folder, flock.SetFlag(os.O_RDONLY)) }

// run runs a package manager in the store's folder, so that no settings of a project count. What it says when it fails is put
// into words by known ones.
func (s *Store) run(ctx context.Context, ref Ref, known []fault, program string, args ...string) ([]byte, error) {
	if err := os.MkdirAll(s.Folder, 0o700); err != nil {
		return nil, err
	}
	for _, cache := range caches {
		lock := share(ctx, filepath.Join(s.Folder, cache))
		defer func() { _ = lock.Unlock() }()
	}
	name := programOf(program)
	ctx, cancel := context.WithTimeoutCause(ctx, fetchLimit, fmt.Errorf("%s was not done after %s", name, fetchLimit))
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	out, said := &process.CappedBuffer{Limit: 8 << 20}, &process.Tail{Limit: 4 << 10}
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.Folder, s.Env, out, said
	err := process.Run(cmd, true)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return nil, fmt.Errorf("%s: %w", ref, cause)
	}
	if err != nil {
		return nil, explained(ref, known, said.String(), fmt.Errorf("%s failed: %w%s", name, err, process.Quoted(said.String())))
	}
	return out.Text, nil
}

// explained is an error in the words that are known for what was said, if there are any.
func explained(ref Ref, known []fault, said string, err error) error {
	for _, f := range known {
		if strings.Contains(said, f.sign) {
			return fmt.Errorf("%s: %s", ref, strings.ReplaceAll(f.words, "NAME", ref.Name))
		}
	}
	return fmt.Errorf("%s: %w", ref, err)
}

// scripted is the folder of packages whose install scripts ran.
const scripted = "npm-scripts"

// WithScripts is a package whose install scripts are to run before it starts, in a place of its own.
func (s *Store) WithScripts(p Package) Package {
	if len(p.Scripts) == 0 {
		return p
	}
	folder := filepath.Join(s.Folder, scripted, filepath.Base(p.Folder))
	p.Command, p.Folder, p.Scripted = folder+strings.TrimPrefix(p.Command, p.Folder), folder, true
	return p
}

// RunScripts installs what WithScripts gave, the same archives as were fetched, and runs their scripts, unless that was done.
// They get what a server gets of the environment, and npm's settings.
func (s *Store) RunScripts(ctx context.Context, p Package) error {
	use(ctx, p.Folder)
	if files.IsDir(p.Folder) {
		return os.Chtimes(p.Folder, time.Time{}, time.Now())
	}
	own := &Store{Folder: s.Folder, Env: process.MinimalEnv(s.Env)}
	for _, pair := range s.Env {
		if strings.HasPrefix(strings.ToLower(pair), "npm_config_") {
			own.Env = append(own.Env, pair)
		}
	}
	return own.place(ctx, p.Folder, func(folder string) error { return npm{own}.runScripts(ctx, p.Ref, s.folderOf(p.Ref), folder) })
}

// fault is what a package manager says when it fails, and what that means.
type fault struct{ sign, words string }

// folderOf is where a package of an exact version is kept: a name for each, which no other can have.
func (s *Store) folderOf(ref Ref) string {
	return filepath.Join(s.Folder, ref.Registry, strings.NewReplacer("/", "%2f", ":", "%3a").Replace(ref.Name+"@"+ref.Version))
}

// programNames are those of a package as they stand in the folder of programs, as npm has it: a package cannot name one elsewhere.
func programNames(names []string) []string {
	var plain []string
	for _, name := range names {
		if name = path.Base(strings.NewReplacer(`\`, "/", ":", "/").Replace(name)); filepath.IsLocal(name) && name != "." {
			plain = append(plain, name)
		}
	}
	return plain
}

// choose is the program of a package that its manager would start: the one that is wanted, its only one, the one with its name,
// or the one that is called after the protocol.
func choose(ref Ref, names []string) (string, error) {
	short := ref.Name[strings.LastIndex(ref.Name, "/")+1:]
	speaks := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !strings.Contains(strings.ToLower(name), "mcp") })
	switch {
	case len(names) == 0:
		return "", fmt.Errorf("%s: it brings no program to start, so it is no server by itself: start what uses it with -- CMD", ref)
	case slices.Contains(names, ref.Program):
		return ref.Program, nil
	case ref.Program != "":
		return "", fmt.Errorf("%s: it brings no program %q, but %s", ref, ref.Program, strings.Join(names, ", "))
	case len(names) == 1:
		return names[0], nil
	case slices.Contains(names, short):
		return short, nil
	case len(speaks) == 1:
		return speaks[0], nil
	}
	launch := "npx -p " + ref.spec()
	if ref.Registry == "pypi" {
		launch = "uvx --from " + ref.spec()
	}
	return "", fmt.Errorf("%s: it brings several programs (%s), and none is called as the package or has mcp in its name: start one with -- %s NAME", ref, strings.Join(names, ", "), launch)
}

// manifestLimit is the longest lock or manifest that is read, in bytes.
const manifestLimit = 32 << 20

func readJSON(path string, into any) error {
	data, err := files.ReadRegular(path, manifestLimit)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// Entry is one thing that the store holds.
type Entry struct {
	Name  string // below the store's folder, with slashes
	Bytes int64
	Used  time.Time // when it was last used
}

// Entries are the packages that the store holds and the caches of package managers, the least recently used first.
func (s *Store) Entries() ([]Entry, error) {
	var entries []Entry
	for _, name := range s.names() {
		path := filepath.Join(s.Folder, filepath.FromSlash(name))
		if info, err := os.Lstat(path); err == nil {
			entries = append(entries, Entry{name, size(path), info.ModTime()})
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	slices.SortFunc(entries, func(a, b Entry) int { return cmp.Or(a.Used.Compare(b.Used), cmp.Compare(a.Name, b.Name)) })
	return entries, nil
}

// caches are the folders of package managers.
var caches = []string{"npm-cache", "pip-cache", "uv-cache"}

func (s *Store) names() []string {
	names := slices.Clone(caches)
	for _, registry := range []string{"npm", scripted, "pypi", "oci"} {
		fetched, _ := os.ReadDir(filepath.Join(s.Folder, registry)) // none, when there is none yet
		for _, entry := range fetched {
			names = append(names, registry+"/"+entry.Name())
		}
	}
	return names
}

// size is the bytes of all files below a path, links not followed.
func size(path string) int64 {
	var sum int64
	_ = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				sum += info.Size()
			}
		}
		return nil // what vanishes meanwhile has no size
	})
	return sum
}

// Prune removes the least recently used entries down to limit bytes, but none that a run uses or that was used after since, and
// gives what it removed.
func (s *Store) Prune(limit int64, since time.Time) ([]Entry, error) {
	entries, err := s.Entries()
	if err != nil {
		return nil, err
	}
	var sum int64
	for _, e := range entries {
		sum += e.Bytes
	}
	var gone []Entry
	for _, e := range entries {
		if sum <= limit || e.Used.After(since) {
			continue
		}
		folder := filepath.Join(s.Folder, filepath.FromSlash(e.Name))
		lock := folderLock(folder)
		if free, err := lock.TryLock(); err == nil && !free {
			continue
		}
		err := os.RemoveAll(folder)
		_ = lock.Unlock()
		if err != nil {
			return gone, err
		}
		gone, sum = append(gone, e), sum-e.Bytes
	}
	return gone, nil
}
