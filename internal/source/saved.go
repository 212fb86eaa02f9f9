package source

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/packages"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/internal/syntax"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Saved is a snapshot that was read, and where.
type Saved struct {
	*snapshot.Snapshot                       // nil = Later reads it
	Later              func() (Saved, error) // nil = it was read
	Raw                []byte                // of the snapshot's own file; nil = it has none
	Name               string                // of the server
	Origin             string                // as in reports: a path, git:REF:PATH, or stdin
	// of the server when its directory was saved; nil = none, or unknown
	Package *packages.Package
	// of a committed snapshot, its file in the current tree; empty = none
	File string
}

// MaxSize bounds a snapshot or report, in bytes.
const MaxSize = 256 << 20

const extension = ".json"

// Find returns the snapshots of a SOURCE that is not live. Those of a directory, which may be many, are read
// later. dir is the snapshots directory, for a Git SOURCE without a path.
func (s Source) Find(ctx context.Context, p host.Process, dir string) (found []Saved, err error) {
	switch {
	case s.Kind == Stdin:
		var data []byte
		if data, err = ReadLimited("-", p.In); err == nil {
			found, err = parse(ctx, "-", "stdin", data)
		}
	case s.Kind == Git:
		found, err = readGit(ctx, p, s.Word, dir)
	case s.Whole():
		found, err = readFolder(ctx, s.Word)
	default:
		found, err = readFile(ctx, s.Word)
	}
	return found, exit.Misuse(err)
}

// readFolder finds the snapshots of a directory, a server in each file.
func readFolder(ctx context.Context, dir string) ([]Saved, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	lock, err := packages.ReadLock(filepath.Join(dir, packages.LockFile))
	if err != nil {
		return nil, err
	}
	var found []Saved
	for _, entry := range entries {
		if entry.IsDir() || !strings.HasSuffix(entry.Name(), extension) || entry.Name() == packages.LockFile {
			continue
		}
		path := filepath.Join(dir, entry.Name())
		found = append(found, Saved{Name: nameOf(path), Origin: path, Later: func() (Saved, error) {
			saved, err := ReadFile(ctx, path)
			return withPackages([]Saved{saved}, lock)[0], err
		}})
	}
	if len(found) == 0 {
		return nil, errNoSnapshots(dir)
	}
	return found, nil
}

// withPackages sets the packages of snapshots from the lock file.
func withPackages(found []Saved, lock packages.Lock) []Saved {
	for i, saved := range found {
		if p, known := lock[saved.Name]; known {
			found[i].Package = &p
		}
	}
	return found
}

// ReadFile reads the snapshot in a file. The error wraps fs.ErrNotExist if that does not exist.
func ReadFile(ctx context.Context, path string) (Saved, error) {
	data, err := files.ReadRegular(path, MaxSize)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // the error has the path
		err = fmt.Errorf("reading %s: %w", path, err)
	}
	var saved []Saved
	if err == nil {
		saved, err = parse(ctx, path, nameOf(path), data)
	}
	switch {
	case err != nil:
		return Saved{}, exit.Misuse(err)
	case len(saved) != 1:
		return Saved{}, errServers(path, len(saved))
	}
	return saved[0], nil
}

// ReadNamed reads a file that the user named, which may be a pipe of the shell.
func ReadNamed(ctx context.Context, path string) ([]byte, error) {
	return host.AwaitFor(ctx, 0, func() ([]byte, error) {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		return ReadLimited(path, file)
	})
}

func readFile(ctx context.Context, path string) ([]Saved, error) {
	data, err := ReadNamed(ctx, path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errNoFile(path, err)
	case err != nil:
		return nil, err
	}
	return parse(ctx, path, nameOf(path), data)
}

// nameOf returns the server whose snapshot is in a file, by the file's name.
func nameOf(path string) string {
	base := filepath.Base(filepath.ToSlash(path))
	if name, ok := config.ServerName(base); ok {
		return name
	}
	return strings.TrimSuffix(base, extension)
}

// ReadLimited reads what may be a snapshot or report; origin names it in errors.
func ReadLimited(origin string, r io.Reader) ([]byte, error) {
	data, err := files.ReadLimited(r, MaxSize)
	if err != nil {
		return nil, exit.Usagef("reading %s: %w", origin, err)
	}
	return data, nil
}

// parse returns a snapshot, or those of the servers in a report.
func parse(ctx context.Context, origin, name string, data []byte) ([]Saved, error) {
	return host.Await(ctx, func() ([]Saved, error) {
		if syntax.IsUTF16(data) {
			return nil, fmt.Errorf("reading %s: %w", origin, syntax.ErrUTF16)
		}
		if r := reportIn(data); r != nil {
			saved, err := fromReport(r, origin)
			if err != nil {
				return nil, fmt.Errorf("reading %s: it is a report of mcpctl %s: %w", origin, r.Command, err)
			}
			return saved, nil
		}
		one, err := snapshot.Parse(data)
		if err != nil {
			problem := &ParseError{Origin: origin, Err: err}
			problem.is, problem.hint = otherKind(origin, data)
			return nil, problem
		}
		return []Saved{{Snapshot: one, Raw: data, Name: name, Origin: origin}}, nil
	})
}

// ParseError is a file without a valid snapshot.
type ParseError struct {
	Origin string // the file, as in reports
	Err    error

	is, hint string // what the file is instead, and what to do; empty = unknown
}

// Launcher returns the program that runs a file, with its arguments, by the end of the file's name; nil for
// other files.
func Launcher(file string) []string {
	switch filepath.Ext(file) {
	case ".js", ".mjs", ".cjs":
		return []string{"node"}
	case ".ts", ".mts":
		return []string{"npx", "tsx"}
	case ".py":
		return []string{"python3"}
	}
	return nil
}

// otherKind returns what a file is that has no snapshot, and what to do.
func otherKind(origin string, data []byte) (is, hint string) {
	const maxConfig = 1 << 20 // bytes that are worth parsing
	argument := printable.ShellWord(origin)
	executable := slices.ContainsFunc([]string{"#!", "\x7fELF", "MZ"}, func(magic string) bool {
		return bytes.HasPrefix(data, []byte(magic))
	})
	switch launcher := Launcher(origin); {
	case launcher != nil || executable:
		words := append(launcher, argument)
		return "is a program, not a snapshot", "mcpctl list -- " + strings.Join(words, " ")
	case len(data) > maxConfig:
		return "", ""
	}
	file, _ := syntax.JSON(data)
	_, usual := file.Get("mcpServers")
	_, ofVSCode := file.Get("servers")
	if usual || ofVSCode {
		return "is a configuration, not a snapshot", "use --config " + argument
	}
	return "", ""
}

// Error names the file.
func (e *ParseError) Error() string {
	if e.is != "" {
		return e.Origin + " " + e.is
	}
	return fmt.Sprintf("reading %s: %v", e.Origin, e.Err)
}

// Unwrap returns the problem with the file.
func (e *ParseError) Unwrap() error { return e.Err }

// Hint returns what to do; "" if that is unknown.
func (e *ParseError) Hint() string {
	switch {
	case errors.Is(e.Err, snapshot.ErrNewer):
		return "update mcpctl: a newer version wrote the file"
	case errors.Is(e.Err, snapshot.ErrConflict):
		return "run mcpctl snapshot, which saves what the server offers now"
	}
	return e.hint
}

// savedReport is what a report in JSON says of servers.
type savedReport struct {
	Mcpctl  int    `json:"mcpctl"`
	Command string `json:"command"`
	Servers []struct {
		seen.Server
		Saved *struct {
			File string `json:"file"`
		} `json:"saved"`
	} `json:"servers"`
}

// reportIn returns the report in a file; nil for other files. Reports have all of these members.
func reportIn(data []byte) *savedReport {
	for _, member := range []string{`"command"`, `"verdict"`, `"servers"`, `"summary"`} {
		if !bytes.Contains(data, []byte(member)) {
			return nil
		}
	}
	r := new(savedReport)
	if json.Unmarshal(data, r) != nil || r.Mcpctl != seen.FormVersion || r.Command == "" {
		return nil
	}
	return r
}

// fromReport returns the snapshots of the servers in a report, which must have every item of each.
func fromReport(r *savedReport, origin string) ([]Saved, error) {
	var all []Saved
	for _, s := range r.Servers {
		switch {
		case s.State == seen.Disabled:
			continue
		case s.State != seen.OK:
			return nil, fmt.Errorf("the state of %s was %s, so its items are unknown", s.Name, s.State)
		case s.Saved != nil && s.Saved.File != "":
			return nil, fmt.Errorf("the snapshot of %s is in %s", s.Name, s.Saved.File)
		case s.Counts == nil:
			return nil, errNoItems("it does not list the items of " + s.Name)
		}
		parsed := &snapshot.Snapshot{Server: s.ServerInfo, Capabilities: s.Capabilities,
			Instructions: s.Instructions, Supported: s.SupportedVersions}
		if s.ServerInfo != nil {
			parsed.Protocol = s.ProtocolVersion
		}
		for _, kind := range snapshot.Kinds() {
			items := *s.Items(kind)
			switch count, known := s.Counts[kind]; {
			case !known && items == nil:
			case !known || len(items) != count:
				return nil, errNoItems("it does not have all items of " + s.Name)
			default:
				parsed.SetList(snapshot.NewList(kind, items))
			}
		}
		all = append(all, Saved{Snapshot: parsed, Name: s.Name, Origin: origin})
	}
	if len(all) == 0 {
		return nil, errNoItems("it has no servers")
	}
	return all, nil
}

// readGit reads committed snapshots: REF for the snapshots directory, or REF:PATH; REF may be merge-base.
func readGit(ctx context.Context, p host.Process, spec, dir string) ([]Saved, error) {
	ref, path, named := strings.Cut(spec, ":")
	if !named {
		path = dir
	}
	repo := RepoOf(p)
	commit, err := repo.Commit(ctx, ref)
	if err != nil {
		return nil, err
	}
	committed, err := repo.Read(ctx, commit, path, extension, MaxSize)
	if err != nil {
		return nil, fmt.Errorf("git:%s: %w", spec, err)
	}
	root, bare := repo.Root(ctx) // a bare repository has none
	var found []Saved
	lock := packages.Lock{}
	for _, file := range committed {
		origin := "git:" + ref + ":" + file.Path
		if filepath.Base(file.Path) == packages.LockFile {
			if lock, err = packages.ParseLock(origin, file.Data); err != nil {
				return nil, err
			}
			continue
		}
		saved, err := parse(ctx, origin, nameOf(file.Path), file.Data)
		if err != nil {
			return nil, err
		}
		for i := range saved {
			if bare == nil {
				saved[i].File = p.Rel(filepath.Join(root, filepath.FromSlash(file.Path)))
			}
		}
		found = append(found, saved...)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("git:%s: no snapshots (*.json) at %s in that commit", spec, path)
	}
	return withPackages(found, lock), nil
}
