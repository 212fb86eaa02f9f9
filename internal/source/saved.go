package source

import (
	"bytes"
	"context"
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
	"github.com/mcpctl/mcpctl/internal/git"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/packages"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/syntax"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Saved is a snapshot that was read, and where.
type Saved struct {
	*snapshot.Snapshot                       // nil = Later reads it
	Later              func() (Saved, error) // nil = it was read
	Raw                []byte                // the file of its own that it was read from; nil = there is none
	Name               string                // of the server
	Origin             string                // as reports name it: a path, git:REF:PATH, or stdin
	// that the server was in when its folder was saved; nil = none, or not known
	Package *packages.Package
	// of a committed one, the file of the current tree that holds what became of it; empty = there is none
	File string
}

// MaxSize bounds what is read as a snapshot or a report, in bytes.
const MaxSize = 256 << 20

const extension = ".json"

// Read reads the snapshots of a SOURCE that is not live. folder is where snapshots are kept, for a Git one
// without a path.
func (s Source) Read(ctx context.Context, p host.Process, folder string) ([]Saved, error) {
	found, err := s.Find(ctx, p, folder)
	for i := range found {
		if err == nil && found[i].Later != nil {
			found[i], err = found[i].Later()
		}
	}
	return found, err
}

// Find is Read that leaves the snapshots of a folder, of which there may be many, to be read later.
func (s Source) Find(ctx context.Context, p host.Process, folder string) ([]Saved, error) {
	saved, err := s.read(ctx, p, folder)
	return saved, exit.Misuse(err)
}

func (s Source) read(ctx context.Context, p host.Process, folder string) ([]Saved, error) {
	switch {
	case s.Kind == Stdin:
		return parseAll(ctx, "-", "stdin", p.In)
	case s.Kind == Git:
		return readGit(ctx, p, s.Word, folder)
	case s.Whole():
		return readFolder(ctx, p, s.Word)
	}
	return readFile(ctx, s.Word)
}

func noneIn(folder string) error {
	return exit.Usagef("there is no snapshot (*.json) in %s: save some with mcpctl snapshot", folder)
}

func readFolder(ctx context.Context, p host.Process, folder string) ([]Saved, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, exit.Misuse(err)
	}
	lock, err := packages.ReadLock(filepath.Join(folder, packages.LockFile))
	if err != nil {
		return nil, exit.Misuse(err)
	}
	var found []Saved
	for _, entry := range entries {
		if entry.IsDir() || !strings.HasSuffix(entry.Name(), extension) || entry.Name() == packages.LockFile {
			continue
		}
		path := filepath.Join(folder, entry.Name())
		if !beginsReport(path) {
			found = append(found, pending(ctx, &p, path, lock))
			continue
		}
		saved, err := readRegular(ctx, p, path)
		if err != nil {
			return nil, err
		}
		found = append(found, locked(saved, lock)...)
	}
	if len(found) == 0 {
		return nil, noneIn(folder)
	}
	return found, nil
}

// pending is the snapshot of a file that is read later.
func pending(ctx context.Context, p *host.Process, path string, lock packages.Lock) Saved {
	return Saved{Name: nameOf(path), Origin: path, Later: func() (Saved, error) {
		one, err := ReadFile(ctx, *p, path)
		return locked([]Saved{one}, lock)[0], exit.Misuse(err)
	}}
}

// beginsReport tells by its beginning whether a file may be a report, which can hold several servers.
func beginsReport(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() { // a pipe would keep us waiting
		return false // which is told when it is read
	}
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	start := make([]byte, 256)
	n, _ := io.ReadFull(file, start)
	return bytes.Contains(start[:n], []byte(`"command"`))
}

// locked are snapshots with the packages that they were taken of.
func locked(found []Saved, lock packages.Lock) []Saved {
	for i, saved := range found {
		if p, known := lock[saved.Name]; known {
			found[i].Package = &p
		}
	}
	return found
}

// ReadFile reads the snapshot in a saved file. The error of one that is not there wraps fs.ErrNotExist.
func ReadFile(ctx context.Context, p host.Process, path string) (Saved, error) {
	saved, err := readRegular(ctx, p, path)
	switch {
	case err != nil:
		return Saved{}, exit.Misuse(err)
	case len(saved) != 1:
		return Saved{}, exit.Usagef("reading %s: it holds %d servers, and a snapshot holds one", path,
			len(saved))
	}
	return saved[0], nil
}

func readRegular(ctx context.Context, p host.Process, path string) ([]Saved, error) {
	data, err := files.ReadRegular(path, MaxSize)
	switch {
	case errors.Is(err, fs.ErrNotExist): // which names it
		return nil, exit.Misuse(err)
	case err != nil:
		return nil, exit.Usagef("reading %s: %w", path, err)
	}
	return parse(ctx, path, nameOf(path), data)
}

// ReadNamed reads a file that somebody named, which may be a pipe of the shell.
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
	if errors.Is(err, fs.ErrNotExist) {
		if meant := config.Meant(path); meant != "" {
			return nil, exit.Usagef("%w: %s", err, meant)
		}
		return nil, exit.Usagef("%w: a word that ends in .json or has a slash is a file; mcpctl snapshot "+
			"saves servers, and mcpctl config shows those that have names", err)
	}
	if err != nil {
		return nil, exit.Misuse(err)
	}
	return parse(ctx, path, nameOf(path), data)
}

// nameOf is the server whose snapshot a file holds, by the file's name.
func nameOf(path string) string {
	base := filepath.Base(filepath.ToSlash(path))
	if name, ok := config.ServerName(base); ok {
		return name
	}
	return strings.TrimSuffix(base, extension)
}

// ReadLimited reads what may be a snapshot or a report; origin names it in errors.
func ReadLimited(origin string, r io.Reader) ([]byte, error) {
	data, err := files.ReadLimited(r, MaxSize)
	if err != nil {
		return nil, exit.Usagef("reading %s: %w", origin, err)
	}
	return data, nil
}

func parseAll(ctx context.Context, origin, name string, r io.Reader) ([]Saved, error) {
	data, err := ReadLimited(origin, r)
	if err != nil {
		return nil, err
	}
	return parse(ctx, origin, name, data)
}

// parse reads a snapshot, or the snapshots that a report holds the items of.
func parse(ctx context.Context, origin, name string, data []byte) ([]Saved, error) {
	return host.Await(ctx, func() ([]Saved, error) { return parsed(origin, name, data) })
}

func parsed(origin, name string, data []byte) ([]Saved, error) {
	if syntax.IsUTF16(data) {
		return nil, exit.Usagef("reading %s: %w", origin, syntax.ErrUTF16)
	}
	if told := reportIn(data); told != nil {
		saved, err := fromReport(told, origin)
		if err != nil {
			return nil, exit.Usagef("reading %s: it is the report of mcpctl %s: %w", origin,
				told.Command, err)
		}
		return saved, nil
	}
	one, err := snapshot.Parse(data)
	if err != nil {
		problem := &ParseError{Origin: origin, Err: err}
		problem.meant, problem.hint = meantAs(origin, data)
		return nil, problem
	}
	return []Saved{{Snapshot: one, Raw: data, Name: name, Origin: origin}}, nil
}

// ParseError is a file that holds no snapshot which can be read.
type ParseError struct {
	Origin string // as reports name the file
	Err    error

	meant, hint string // what the file is, and what to do; empty = unknown
}

// meantAs returns what a file is that holds no snapshot, and the command line for it.
func meantAs(origin string, data []byte) (meant, hint string) {
	const most = 1 << 20 // bytes of what people write
	word := printable.ShellWord(origin)
	launcher := map[string]string{
		".js": "node ", ".mjs": "node ", ".cjs": "node ", ".ts": "npx tsx ", ".mts": "npx tsx ",
		".py": "python3 ",
	}[filepath.Ext(origin)]
	executable := slices.ContainsFunc([]string{"#!", "\x7fELF", "MZ"}, func(magic string) bool {
		return bytes.HasPrefix(data, []byte(magic))
	})
	switch {
	case launcher != "" || executable:
		return "is a program, not a snapshot", "mcpctl list -- " + launcher + word
	case len(data) > most:
		return "", ""
	}
	file, _ := syntax.JSON(data)
	_, usual := file.Get("mcpServers")
	_, ofVSCode := file.Get("servers")
	if usual || ofVSCode {
		return "is a configuration, not a snapshot", "use --config " + word
	}
	return "", ""
}

// Error names the file.
func (e *ParseError) Error() string {
	if e.meant != "" {
		return e.Origin + " " + e.meant
	}
	return fmt.Sprintf("reading %s: %v", e.Origin, e.Err)
}

// Unwrap is what is wrong with the file.
func (e *ParseError) Unwrap() error { return e.Err }

// Hint says what to do where the file is worth keeping; empty where nothing is known of it.
func (e *ParseError) Hint() string {
	switch {
	case errors.Is(e.Err, snapshot.ErrNewer):
		return "update mcpctl: the file is as a newer one wrote it"
	case errors.Is(e.Err, snapshot.ErrConflict):
		return "run mcpctl snapshot, which saves what the server offers now"
	}
	return e.hint
}

// reportIn is the report that a file holds; nil when it holds something else. Reports have all these members.
func reportIn(data []byte) *report.Report {
	for _, member := range []string{`"command"`, `"verdict"`, `"servers"`, `"summary"`} {
		if !bytes.Contains(data, []byte(member)) {
			return nil
		}
	}
	r, err := report.Parse(data)
	if err != nil {
		return nil
	}
	return r
}

// fromReport are the snapshots of the servers of a report, which holds them when it has every item of each.
func fromReport(r *report.Report, origin string) ([]Saved, error) {
	var all []Saved
	for _, s := range r.Servers {
		switch {
		case s.State == report.Disabled:
			continue
		case s.State != report.OK:
			return nil, fmt.Errorf("%s was %s then, so what it offered is not known", s.Name, s.State)
		case s.Saved != nil && s.Saved.File != "":
			return nil, fmt.Errorf("the snapshot of %s is in %s", s.Name, s.Saved.File)
		case s.Counts == nil:
			return nil,
				fmt.Errorf("it does not say what %s offers: save a snapshot with mcpctl snapshot", s.Name)
		}
		parsed := &snapshot.Snapshot{Server: s.ServerInfo, Capabilities: s.Capabilities,
			Instructions: s.Instructions}
		if s.ServerInfo != nil {
			parsed.Protocol = s.ProtocolVersion
		}
		for _, kind := range snapshot.Kinds() {
			items, count := *s.Items(kind), s.Count(kind)
			switch {
			case count == nil && items == nil:
			case count == nil || len(items) != *count:
				return nil, fmt.Errorf("it does not hold all items of %s: save a snapshot with mcpctl "+
					"snapshot", s.Name)
			default:
				parsed.SetList(snapshot.NewList(kind, items))
			}
		}
		all = append(all, Saved{Snapshot: parsed, Name: s.Name, Origin: origin})
	}
	if len(all) == 0 {
		return nil, errors.New("it holds no server: save a snapshot with mcpctl snapshot")
	}
	return all, nil
}

// readGit reads committed snapshots: REF for the snapshots folder, or REF:PATH; a REF may be merge-base.
func readGit(ctx context.Context, p host.Process, spec, folder string) ([]Saved, error) {
	ref, path, named := strings.Cut(spec, ":")
	if !named {
		path = folder
	}
	repo := git.Here(p)
	commit, err := repo.Commit(ctx, ref)
	if err != nil {
		return nil, err
	}
	committed, err := repo.Read(ctx, commit, path, extension, MaxSize)
	if err != nil {
		return nil, exit.Usagef("git:%s: %w", spec, err)
	}
	root, rootless := repo.Root(ctx) // a bare repository has none
	var found []Saved
	lock := packages.Lock{}
	for _, file := range committed {
		if filepath.Base(file.Path) == packages.LockFile {
			if lock, err = packages.ParseLock("git:"+ref+":"+file.Path, file.Data); err != nil {
				return nil, exit.Misuse(err)
			}
			continue
		}
		saved, err := parseAll(ctx, "git:"+ref+":"+file.Path, nameOf(file.Path), bytes.NewReader(file.Data))
		if err != nil {
			return nil, err
		}
		for i := range saved {
			if rootless == nil {
				saved[i].File = p.Rel(filepath.Join(root, filepath.FromSlash(file.Path)))
			}
		}
		found = append(found, saved...)
	}
	if len(found) == 0 {
		return nil, exit.Usagef("git:%s: no snapshot (*.json) at %s in that commit", spec, path)
	}
	return locked(found, lock), nil
}
