package packages

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/mcpctl/mcpctl/internal/files"
)

// LockFile is the file beside snapshots that says which packages they were taken of.
const LockFile = "mcpctl.lock.json"

// Lock is what servers were started from when they were saved, by their names.
type Lock map[string]Package

// locked is a package in the file: nothing of the machine, nothing secret.
type locked struct {
	Package      string            `json:"package"`
	Integrity    string            `json:"integrity,omitempty"`
	Dependencies map[string]string `json:"dependencies,omitempty"` // path → version and digest
}

// lockFormat is the file as a whole.
type lockFormat struct {
	Mcpctl  int               `json:"mcpctl"`
	Servers map[string]locked `json:"servers"`
}

// ReadLock reads the file; one that is not there is an empty lock.
func ReadLock(file string) (Lock, error) {
	data, err := files.ReadRegular(file, manifestLimit)
	if errors.Is(err, fs.ErrNotExist) {
		return Lock{}, nil
	}
	if err != nil {
		return nil, err
	}
	return ParseLock(file, data)
}

// ParseLock reads the content of the file, which errors name.
func ParseLock(file string, data []byte) (Lock, error) {
	var read lockFormat
	if err := json.Unmarshal(data, &read); err != nil || read.Mcpctl != 1 {
		return nil, fmt.Errorf("%s is no lock that this mcpctl can read: restore it from version control, or delete it and run mcpctl snapshot", file)
	}
	lock := Lock{}
	for name, one := range read.Servers {
		ref, known, err := Parse(one.Package)
		if !known || err != nil {
			return nil, fmt.Errorf("%s: %q of %q is no package that this mcpctl knows", file, one.Package, name)
		}
		p := Package{Ref: ref, Integrity: one.Integrity}
		for at, text := range one.Dependencies {
			version, integrity, _ := strings.Cut(text, " ")
			p.Dependencies = append(p.Dependencies, Dependency{Path: at, Version: version, Integrity: integrity})
		}
		sortByPath(p.Dependencies)
		lock[name] = p
	}
	return lock, nil
}

// Encode is the file: the same packages are the same bytes.
func (l Lock) Encode() ([]byte, error) {
	out := lockFormat{1, map[string]locked{}}
	for name, p := range l {
		one := locked{Package: p.String(), Integrity: p.Integrity, Dependencies: map[string]string{}}
		for _, d := range p.Dependencies {
			one.Dependencies[d.Path] = strings.TrimSpace(d.Version + " " + d.Integrity)
		}
		out.Servers[name] = one
	}
	data, err := json.MarshalIndent(out, "", "  ")
	return append(data, '\n'), err
}

// mostChanges is how many dependencies Since names.
const mostChanges = 3

// Since says in a few words what is different from an earlier package of the same server: "@playwright/mcp 0.0.70 → 0.0.83".
// It is empty when nothing is.
func (p Package) Since(old Package) string {
	switch below := changesBelow(old.Dependencies, p.Dependencies); {
	case p.Registry != old.Registry || p.Name != old.Name:
		return fmt.Sprintf("%s → %s", old.Ref, p.Ref)
	case p.Version != old.Version:
		return fmt.Sprintf("%s %s → %s", p.Name, old.Version, p.Version)
	case p.Integrity != old.Integrity && p.Integrity != "" && old.Integrity != "":
		return fmt.Sprintf("another archive is published as %s now: %s → %s", p.Ref, old.Integrity, p.Integrity)
	case len(below) > mostChanges+1:
		return fmt.Sprintf("the server is the same, %s and %d more below it", strings.Join(below[:mostChanges], ", "), len(below)-mostChanges)
	case len(below) > 0:
		return fmt.Sprintf("the server is the same, %s below it", strings.Join(below, ", "))
	}
	return ""
}

// changesBelow are the dependencies that are others now, one text each; those that came and went come last.
func changesBelow(old, now []Dependency) []string {
	before := map[string]Dependency{}
	for _, d := range old {
		before[d.Path] = d
	}
	var changed, moved []string
	for _, d := range now {
		was, known := before[d.Path]
		delete(before, d.Path)
		switch name := d.name(); {
		case !known:
			moved = append(moved, name+" "+d.Version+" is new")
		case was.Version != d.Version:
			changed = append(changed, fmt.Sprintf("%s %s → %s", name, was.Version, d.Version))
		case was.Integrity != d.Integrity && was.Integrity != "" && d.Integrity != "":
			changed = append(changed, fmt.Sprintf("%s %s is another archive", name, d.Version))
		}
	}
	for _, d := range old {
		if _, left := before[d.Path]; left {
			moved = append(moved, d.name()+" "+d.Version+" is gone")
		}
	}
	return append(changed, moved...)
}

// name is the package at a path.
func (d Dependency) name() string {
	if at := strings.LastIndex(d.Path, modules+"/"); at >= 0 {
		return d.Path[at+len(modules)+1:]
	}
	return path.Base(d.Path)
}
