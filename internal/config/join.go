package config

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/syntax"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

type launch struct {
	beside  bool     // it stands beside another of its application with the same name
	aliases []string // other names that applications have for it
}

// key is a name as file names tell it from others everywhere: Windows and macOS take capitals for small
// letters.
func key(name string) string { return strings.ToLower(FileName(name)) }

// override returns of each name the strongest of one application's servers, with the places of the others.
// Servers that stand beside each other all stay.
func override(entries []Entry) []Entry {
	var kept []Entry
	at := map[string]int{}
	for _, e := range entries {
		i, seen := at[key(e.Server.Name)]
		if e.beside || !seen {
			if !e.beside {
				at[key(e.Server.Name)] = len(kept)
			}
			kept = append(kept, e)
			continue
		}
		kept[i].Places = append(kept[i].Places, overridden(kept[i], e)...)
	}
	return kept
}

// overridden are the places of an entry that another one holds instead of.
func overridden(holds, e Entry) []Place {
	if !alike(holds, e) {
		e.Places[0].State = "overridden"
	}
	return e.Places
}

// join adds what was discovered: what is known gets another place; taken names are told apart. Of a file
// that the search found and an application reads, the application says which servers hold; names stay.
func (l *loader) join(known, discovered []Entry) []Entry {
	found := func(e Entry) bool {
		return slices.Contains(l.config.Searched, e.File) && e.File != l.config.Project.File
	}
	known = slices.DeleteFunc(known, func(e Entry) bool {
		return found(e) && slices.ContainsFunc(l.config.Looked,
			func(looked File) bool { return looked.Path == e.File })
	})
	all := slices.Clone(known)
	for _, e := range discovered {
		i := slices.IndexFunc(all, func(other Entry) bool { return mergeable(other, e) && alike(other, e) })
		if i < 0 {
			all = append(all, e)
			continue
		}
		all[i] = attach(all[i], e)
	}
	tellApart(all, func(e Entry) bool { return e.Found != Discovered || found(e) })
	for i := range all {
		all[i] = settleNames(all[i], all)
	}
	return all
}

// mergeable is whether two entries that do the same are shown once: within one application, two names are
// two servers.
func mergeable(a, b Entry) bool {
	sameApp := len(a.Places) > 0 && a.Places[0].ID == b.Places[0].ID
	return !sameApp || key(a.Server.Name) == key(b.Server.Name)
}

// attach notes that e is another place of the same server. It is off only where it is off everywhere.
func attach(holds, e Entry) Entry {
	holds.Places = slices.Concat(holds.Places, e.Places)
	if holds.Disabled && !e.Disabled && holds.Found == Discovered {
		places := holds.Places
		name := holds.Server.Name
		holds = e
		holds.Places, holds.Server.Name = places, name
	}
	return holds
}

// settleNames keeps of each place the name only if it is another, and takes names that are nobody's own for
// aliases.
func settleNames(e Entry, all []Entry) Entry {
	e.Places = slices.Clone(e.Places)
	for i, p := range e.Places {
		if p.Name == e.Server.Name {
			e.Places[i].Name = ""
			continue
		}
		taken := slices.ContainsFunc(all, func(other Entry) bool {
			return key(other.Server.Name) == key(p.Name) ||
				other.File+other.Server.Name != e.File+e.Server.Name && hasPlace(other, p.Name)
		})
		if !taken && !slices.Contains(e.aliases, p.Name) {
			e.aliases = append(slices.Clip(e.aliases), p.Name)
		}
	}
	return e
}

func hasPlace(e Entry, name string) bool {
	return slices.ContainsFunc(e.Places, func(p Place) bool { return key(p.Name) == key(name) })
}

// tellApart renames discovered servers whose name is taken: github becomes github.cursor.
func tellApart(all []Entry, fixed func(Entry) bool) {
	count, ofApp, taken := map[string]int{}, map[string]int{}, map[string]bool{}
	for _, e := range all {
		name := key(e.Server.Name)
		count[name]++
		taken[name] = true
		if !fixed(e) {
			ofApp[e.Places[0].ID+" "+name]++
		}
	}
	for i, e := range all {
		name := key(e.Server.Name)
		if count[name] < 2 || fixed(e) {
			continue
		}
		label := e.Places[0].ID
		if ofApp[label+" "+name] > 1 {
			label += "-" + e.Places[0].Scope
		}
		all[i].Server.Name = free(e.Server.Name+"."+label, taken)
	}
}

// free is a name that is not taken yet: it gets a number at its end if it is.
func free(name string, taken map[string]bool) string {
	found := name
	for i := 2; taken[key(found)]; i++ {
		found = fmt.Sprintf("%s-%d", name, i)
	}
	taken[key(found)] = true
	return found
}

// alike is whether two entries start or contact the same, with the same credentials. Their time limits do
// not matter, nor the folder that a program is started in if it was not chosen and means nothing to the
// program.
func alike(a, b Entry) bool {
	if (a.Server.Stdio == nil) != (b.Server.Stdio == nil) ||
		!slices.EqualFunc(a.Problems, b.Problems, sameProblem) {
		return false
	}
	if a.Server.Stdio != nil {
		x, y := *a.Server.Stdio, *b.Server.Stdio
		if placeless(x) && !a.chosenDir && !b.chosenDir {
			x.Dir, y.Dir = "", ""
		}
		return reflect.DeepEqual(x, y)
	}
	return a.Server.HTTP != nil && reflect.DeepEqual(a.Server.HTTP, b.Server.HTTP) &&
		reflect.DeepEqual(a.Login, b.Login)
}

func sameProblem(a, b Problem) bool { return a.Message == b.Message }

// placelessLaunchers run packages and images, which lie in no folder.
var placelessLaunchers = []string{"npx", "bunx", "uvx", "dnx", "docker", "podman"}

// placeless is whether a program does the same in every folder: it runs a package, and no argument looks
// like a path.
func placeless(s probe.Stdio) bool {
	return slices.Contains(placelessLaunchers, base(s.Command)) &&
		!slices.ContainsFunc(s.Args, func(arg string) bool { return strings.HasPrefix(arg, ".") })
}

// merge makes the names of entries unique, in order. The same server in two files is one entry; two
// different servers of one name, or of names that share a snapshot file, are one entry that cannot run.
func merge(entries []Entry) []Entry {
	merged := make([]Entry, 0, len(entries))
	at := make(map[string]int, len(entries))
	for _, e := range entries {
		i, seen := at[key(e.Server.Name)]
		switch {
		case !seen:
			at[key(e.Server.Name)] = len(merged)
			merged = append(merged, e)
		case len(merged[i].Problems) >= maxExplained: // it is refused already
		case merged[i].File == e.File || !same(merged[i], e):
			merged[i].Problems = append(slices.Clip(merged[i].Problems), duplicate(merged[i], e))
		default: // the best word holds: both would do the same
			merged[i].Found = min(merged[i].Found, e.Found)
		}
	}
	return merged
}

func same(a, b Entry) bool {
	a.Server.Source, b.Server.Source = "", ""
	a.Server.Values, b.Server.Values = nil, nil // what is masked, not what is started
	return a.Disabled == b.Disabled && reflect.DeepEqual(a.Server, b.Server) &&
		slices.EqualFunc(a.Problems, b.Problems, sameProblem)
}

func duplicate(first, second Entry) Problem {
	p := Problem{
		File: second.File, Line: second.Line, Server: second.Server.Name,
		Hint:    "rename or remove one of them",
		Message: fmt.Sprintf("duplicate name, first in %s", first.Server.Source),
	}
	if first.Server.Name != second.Server.Name {
		p.Message = fmt.Sprintf("differs from %q in %s only in case, which file names cannot tell apart "+
			"everywhere",
			first.Server.Name, first.Server.Source)
	}
	return p
}

// switchedOff returns whether a file switches servers of its own off beside where it has them: Claude
// Code's .claude.json for a project, and Gemini CLI's settings by mcp.allowed and mcp.excluded.
func switchedOff(file clients.File, root syntax.Value, projects []string) func(name string) bool {
	var off, allowed []string
	switch {
	case file.App.ID == "claude-code" && filepath.Base(file.Path) == ".claude.json":
		project, _ := projectOf(root, projects)
		off = texts(project.Value, "disabledMcpServers")
	case file.Row.Dialect == clients.Gemini:
		for _, mcp := range root.At("mcp") {
			off, allowed = texts(mcp.Value, "excluded"), texts(mcp.Value, "allowed")
		}
	}
	return func(name string) bool {
		return slices.Contains(off, name) || len(allowed) > 0 && !slices.Contains(allowed, name)
	}
}

func texts(of syntax.Value, key string) []string {
	f, _ := of.Get(key)
	return kit.Map(f.Value.Items, func(item syntax.Value) string { return item.Text })
}

// projectOf is what Claude Code keeps of the nearest folder of this project; its key is that folder.
func projectOf(root syntax.Value, folders []string) (syntax.Field, bool) {
	projects, _ := root.Get("projects")
	for _, folder := range folders {
		real := files.RealPath(folder)
		for _, f := range projects.Value.Fields {
			path := filepath.Clean(filepath.FromSlash(f.Key))
			if path == folder || path == real ||
				filepath.Separator == '\\' && strings.EqualFold(path, folder) {
				return syntax.Field{Key: folder, Line: f.Line, Value: f.Value}, true
			}
		}
	}
	return syntax.Field{}, false
}
