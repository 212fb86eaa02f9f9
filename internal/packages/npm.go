package packages

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/process"
)

// fetchLimit is how long npm may take for one package.
const fetchLimit = 5 * time.Minute

// Store is a private folder of fetched packages. npm does the fetching, with the user's own settings for registries, proxies
// and credentials, but never those of the current folder.
type Store struct {
	Folder string   // it is made when it is needed, for the user alone
	Env    []string // "K=V", for npm
}

// Fetch gives a package, from the store if that version is there; otherwise begin is told which version npm is asked for. No
// script of any package runs. The error says what to do.
func (s Store) Fetch(ctx context.Context, ref Ref, begin func(Ref)) (Package, error) {
	exact, err := s.Resolve(ctx, ref)
	if err != nil {
		return Package{}, err
	}
	folder := s.folderOf(exact)
	if !files.IsDir(folder) {
		begin(exact)
		if err := s.install(ctx, exact, folder); err != nil {
			return Package{}, err
		}
	}
	now := time.Now()
	_ = os.Chtimes(folder, now, now) // when it was last used, for Prune
	return read(exact, folder)
}

// Resolve is the reference with the exact version that it stands for now; of a range it is the last that npm lists.
func (s Store) Resolve(ctx context.Context, ref Ref) (Ref, error) {
	if ref.Exact() {
		return ref, nil
	}
	out, err := s.npm(ctx, ref, "view", ref.spec(), "version", "--json")
	if err != nil {
		return ref, err
	}
	versions, err := texts(out)
	if err != nil || len(versions) == 0 {
		return ref, fmt.Errorf("%s: npm knows no version of it", ref)
	}
	ref.Version = versions[len(versions)-1]
	return ref, nil
}

// Versions are the last n releases of a package up to the one that ref stands for, oldest first, pre-releases left out.
func (s Store) Versions(ctx context.Context, ref Ref, n int) ([]Ref, error) {
	last, err := s.Resolve(ctx, ref)
	if err != nil {
		return nil, err
	}
	out, err := s.npm(ctx, ref, "view", ref.Name, "versions", "--json")
	if err != nil {
		return nil, err
	}
	versions, err := texts(out)
	if err != nil {
		return nil, fmt.Errorf("%s: npm lists its versions in a way that is not understood", ref)
	}
	var refs []Ref
	for _, v := range versions {
		if !strings.Contains(v, "-") || v == last.Version {
			refs = append(refs, Ref{ref.Registry, ref.Name, v})
		}
		if v == last.Version {
			break
		}
	}
	return refs[max(0, len(refs)-n):], nil
}

// texts reads a string, or an array of strings, as npm writes one value and several.
func texts(out []byte) ([]string, error) {
	var one string
	if json.Unmarshal(out, &one) == nil {
		return []string{one}, nil
	}
	var many []string
	err := json.Unmarshal(out, &many)
	return many, err
}

// install puts a package into a folder that is whole or not there, and holds what came against what the registry says of it.
func (s Store) install(ctx context.Context, ref Ref, folder string) error {
	if err := os.MkdirAll(filepath.Dir(folder), 0o700); err != nil {
		return err
	}
	temporary, err := os.MkdirTemp(filepath.Dir(folder), ".fetching-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temporary) }()
	out, err := s.npm(ctx, ref, "view", ref.spec(), "dist.integrity", "--json")
	if err != nil {
		return err
	}
	published, err := texts(out)
	if err != nil || len(published) != 1 || published[0] == "" {
		return fmt.Errorf("%s: the registry gives no digest of it to hold it against", ref)
	}
	if _, err := s.npm(ctx, ref, "install", "--prefix", temporary, "--no-audit", "--no-fund", "--save-exact", ref.spec()); err != nil {
		return err
	}
	installed, err := read(ref, temporary)
	if err != nil {
		return err
	}
	if installed.Integrity != published[0] {
		return fmt.Errorf("%s: what was installed is not what the registry says: %s instead of %s", ref, installed.Integrity, published[0])
	}
	if err := os.Rename(temporary, folder); err != nil && !files.IsDir(folder) { // another run may have been quicker
		return err
	}
	return nil
}

// npm runs npm in the store's folder, so that no settings of a project count, without any script of a package.
func (s Store) npm(ctx context.Context, ref Ref, args ...string) ([]byte, error) {
	program, err := process.LookPath("npm", "", s.Env)
	if err != nil {
		return nil, fmt.Errorf("%s: npm is needed to fetch it, and is not installed here: it comes with Node.js (https://nodejs.org)", ref)
	}
	if err := os.MkdirAll(s.Folder, 0o700); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, fetchLimit, fmt.Errorf("npm was not done after %s", fetchLimit))
	defer cancel()
	cmd := exec.CommandContext(ctx, program, append(args, "--ignore-scripts", "--prefer-online", "--cache", filepath.Join(s.Folder, "npm-cache"), "--loglevel=error", "--no-update-notifier")...)
	out, said := &process.CappedBuffer{Limit: 8 << 20}, &process.Tail{Limit: 4 << 10}
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.Folder, s.Env, out, said
	if err := process.Run(cmd, true); err != nil {
		return nil, fmt.Errorf("%s: %w", ref, npmFault(ctx, err, said.String()))
	}
	return out.Text, nil
}

// npmFault says why npm failed, in words for the codes that it gives.
func npmFault(ctx context.Context, err error, said string) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	for _, known := range []struct{ code, words string }{
		{"No match found for version", "the registry has no such version: npm view NAME versions lists them"},
		{"E404", "the registry has no such package, or does not show it to you (npm login)"},
		{"ETARGET", "the registry has no such version: npm view NAME versions lists them"},
		{"E401", "the registry wants to know who you are: npm login"},
		{"ENOTFOUND", "the registry cannot be reached: its name is not found"},
		{"ECONNREFUSED", "the registry cannot be reached: nobody listens there"},
		{"EAI_AGAIN", "the registry cannot be reached: its name is not found"},
		{"EINTEGRITY", "what arrived is not what the registry says it is"},
	} {
		if strings.Contains(said, known.code) {
			return errors.New(known.words)
		}
	}
	return fmt.Errorf("npm failed: %w%s", err, process.Quoted(said))
}

// folderOf is where a package of an exact version is kept: a name for each, which no other can have.
func (s Store) folderOf(ref Ref) string {
	return filepath.Join(s.Folder, ref.Registry, strings.ReplaceAll(ref.Name, "/", "%2f")+"@"+ref.Version)
}

// read is the package that is installed in a folder.
func read(ref Ref, folder string) (Package, error) {
	var lock struct {
		Packages map[string]struct {
			Version, Integrity string
			HasInstallScript   bool
		}
	}
	if err := readJSON(filepath.Join(folder, "node_modules", ".package-lock.json"), &lock); err != nil {
		return Package{}, err
	}
	own := "node_modules/" + ref.Name
	p := Package{Ref: ref, Folder: folder, Integrity: lock.Packages[own].Integrity}
	if got := lock.Packages[own].Version; got != ref.Version {
		return p, fmt.Errorf("%s: version %q is installed instead: empty the folder %s", ref, got, folder)
	}
	for path, d := range lock.Packages {
		if path != own {
			p.Dependencies = append(p.Dependencies, Dependency{path, d.Version, d.Integrity, d.HasInstallScript})
		}
	}
	slices.SortFunc(p.Dependencies, func(a, b Dependency) int { return cmp.Compare(a.Path, b.Path) })
	program, err := entry(ref, folder)
	p.Command = program
	return p, err
}

// entry is the program that npm would run for the package: its only one, the one with its name, or the one that is called
// after the protocol.
func entry(ref Ref, folder string) (string, error) {
	var manifest struct{ Bin json.RawMessage }
	if err := readJSON(filepath.Join(folder, "node_modules", filepath.FromSlash(ref.Name), "package.json"), &manifest); err != nil {
		return "", err
	}
	short := ref.Name[strings.LastIndex(ref.Name, "/")+1:]
	var several map[string]string
	if json.Unmarshal(manifest.Bin, new(string)) == nil {
		several = map[string]string{short: ""}
	} else if json.Unmarshal(manifest.Bin, &several) != nil || len(several) == 0 {
		return "", fmt.Errorf("%s: it brings no program to start, so it is no server by itself: start what uses it with -- CMD", ref)
	}
	names := slices.Sorted(maps.Keys(several))
	name, ok := choose(names, short)
	if !ok {
		return "", fmt.Errorf("%s: it brings several programs (%s), and none is called as the package or has mcp in its name: start one with -- npx -p %s NAME", ref, strings.Join(names, ", "), ref.spec())
	}
	return filepath.Join(folder, "node_modules", ".bin", name), nil
}

func choose(names []string, short string) (string, bool) {
	if len(names) == 1 {
		return names[0], true
	}
	if slices.Contains(names, short) {
		return short, true
	}
	speaks := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !strings.Contains(strings.ToLower(name), "mcp") })
	if len(speaks) == 1 {
		return speaks[0], true
	}
	return "", false
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
