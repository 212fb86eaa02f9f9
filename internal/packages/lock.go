package packages

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/kit"
)

// Package is one release of a package as its registry describes it: nothing of the machine, nothing secret.
type Package struct {
	Ref          Ref               `json:"package"`
	Integrity    string            `json:"integrity,omitempty"`    // such as "sha512-…"; empty = unknown
	Dependencies map[string]string `json:"dependencies,omitempty"` // the direct ones, with their versions
}

// LockFile is the file beside snapshots that says which packages they were taken of.
const LockFile = "mcpctl.lock.json"

// lockLimit bounds the file, in bytes.
const lockLimit = 32 << 20

// Lock is the packages that saved servers were started from, by the names of the servers.
type Lock map[string]Package

// lockFormat is the content of the file.
type lockFormat struct {
	Mcpctl  int  `json:"mcpctl"`
	Servers Lock `json:"servers"`
}

// ReadLock reads the file; one that does not exist is an empty lock.
func ReadLock(file string) (Lock, error) {
	data, err := files.ReadRegular(file, lockLimit)
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
	err := json.Unmarshal(data, &read)
	complete := err == nil && read.Mcpctl == 1
	lock := Lock{}
	for name, p := range read.Servers {
		complete = complete && p.Ref.Name != ""
		lock[name] = p
	}
	if !complete {
		return nil, exit.Advise("restore it from version control, or delete it and run mcpctl snapshot",
			"%s is not a lock file that this mcpctl can read", file)
	}
	return lock, nil
}

// Encode returns the content of the file: the same packages give the same bytes.
func (l Lock) Encode() ([]byte, error) {
	var data bytes.Buffer
	encoder := json.NewEncoder(&data)
	encoder.SetEscapeHTML(false) // ranges of versions have < and >
	encoder.SetIndent("", "  ")
	err := encoder.Encode(lockFormat{1, l})
	return data.Bytes(), err
}

// maxChanges is how many dependencies Since names.
const maxChanges = 3

// Since describes what differs from an earlier package of the same server, such as "@playwright/mcp 0.0.70 →
// 0.0.83 (zod ^3 → ^4)"; empty when nothing does.
func (p Package) Since(old Package) string {
	changed := changedDependencies(old.Dependencies, p.Dependencies)
	if more := len(changed) - maxChanges; more > 1 {
		changed = append(changed[:maxChanges], fmt.Sprintf("%d more dependencies", more))
	}
	below := ""
	if len(changed) > 0 {
		below = " (" + strings.Join(changed, ", ") + ")"
	}
	switch {
	case p.Ref.Registry != old.Ref.Registry || p.Ref.Name != old.Ref.Name:
		return fmt.Sprintf("%s → %s", old.Ref, p.Ref)
	case p.Ref.Version != old.Ref.Version:
		return fmt.Sprintf("%s %s → %s%s", p.Ref.Name, old.Ref.Version, p.Ref.Version, below)
	case p.Integrity != old.Integrity && p.Integrity != "" && old.Integrity != "":
		return fmt.Sprintf("%s was published again: %s → %s%s", p.Ref, old.Integrity, p.Integrity, below)
	}
	return ""
}

// changedDependencies returns a text for each dependency that differs, sorted by name.
func changedDependencies(old, now map[string]string) (changed []string) {
	names := slices.Compact(slices.Sorted(
		slices.Values(slices.Concat(kit.SortedKeys(old), kit.SortedKeys(now)))))
	for _, name := range names {
		was, had := old[name]
		is, has := now[name]
		switch {
		case !had:
			changed = append(changed, name+" added")
		case !has:
			changed = append(changed, name+" removed")
		case was != is:
			changed = append(changed, fmt.Sprintf("%s %s → %s", name, was, is))
		}
	}
	return changed
}
