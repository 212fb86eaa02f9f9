package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/pkg/probe"
)

// key returns a name as file systems compare it: Windows and macOS ignore case.
func key(name string) string { return strings.ToLower(FileName(name)) }

// override returns the strongest of an application's servers of each name, with the places of the others.
func override(entries []Entry) []Entry {
	var kept []Entry
	index := map[string]int{}
	for _, e := range entries {
		name := key(e.Server.Name)
		i, seen := index[name]
		if seen && !e.duplicate {
			if !alike(kept[i], e) {
				e.Places[0].State = "overridden"
			}
			kept[i].Places = append(kept[i].Places, e.Places...)
			continue
		}
		if !e.duplicate {
			index[name] = len(kept)
		}
		kept = append(kept, e)
	}
	return kept
}

// join adds the servers of applications to those that are known. The same server in another place is one
// entry with several places; another server of the same name is renamed. If an application reads a file that
// the search found, its view of the file is used.
func (l *loader) join(known, discovered []Entry) []Entry {
	found := func(e Entry) bool {
		return slices.Contains(l.config.Searched, e.File) && e.File != l.config.Project.File
	}
	all := slices.DeleteFunc(slices.Clone(known), func(e Entry) bool {
		return found(e) && slices.ContainsFunc(l.config.Looked,
			func(looked File) bool { return looked.Path == e.File })
	})
	for _, e := range discovered {
		i := slices.IndexFunc(all, func(other Entry) bool {
			return key(other.Server.Name) == key(e.Server.Name) && alike(other, e)
		})
		if i < 0 {
			all = append(all, e)
			continue
		}
		places := slices.Concat(all[i].Places, e.Places)
		if all[i].Disabled && !e.Disabled && all[i].Found == Discovered { // on in one application is enough
			all[i] = e
		}
		all[i].Places = places
	}
	disambiguate(all, func(e Entry) bool { return e.Found != Discovered || found(e) })
	for i, e := range all {
		all[i].Places = slices.Clone(e.Places)
		for j, p := range e.Places {
			if p.Name == all[i].Server.Name {
				all[i].Places[j].Name = ""
			}
		}
	}
	return all
}

// disambiguate renames discovered servers whose name is not unique: github becomes github.cursor, or
// github.cursor-user if Cursor has several. Fixed names stay.
func disambiguate(all []Entry, fixed func(Entry) bool) {
	count, ofApp := map[string]int{}, map[string]int{}
	for _, e := range all {
		count[key(e.Server.Name)]++
		if !fixed(e) {
			ofApp[e.Places[0].ID+" "+key(e.Server.Name)]++
		}
	}
	taken := map[string]bool{}
	for name := range count {
		taken[name] = true
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
		unique := e.Server.Name + "." + label
		for n := 2; taken[key(unique)]; n++ {
			unique = fmt.Sprintf("%s.%s-%d", e.Server.Name, label, n)
		}
		taken[key(unique)] = true
		all[i].Server.Name = unique
	}
}

// alike reports whether two entries start or contact the same, with the same credentials. Timeouts are
// ignored, and so is a working directory that neither entry sets and that makes no difference.
func alike(a, b Entry) bool {
	if !slices.Equal(pathsOf(a), pathsOf(b)) {
		return false
	}
	if a.scope.opens != b.scope.opens && len(pathsOf(a)) > 0 {
		a, b = a.readAgain(false), b.readAgain(false)
	}
	if (a.Server.Stdio == nil) != (b.Server.Stdio == nil) || !sameProblems(a, b) {
		return false
	}
	if a.Server.Stdio != nil {
		x, y := withoutGiven(*a.Server.Stdio), withoutGiven(*b.Server.Stdio)
		if independentOfDir(x) && !a.ownDir && !b.ownDir {
			x.Dir, y.Dir = "", ""
		}
		return reflect.DeepEqual(x, y)
	}
	return a.Server.HTTP != nil && reflect.DeepEqual(a.Server.HTTP, b.Server.HTTP) &&
		reflect.DeepEqual(a.Login, b.Login)
}

// withoutGiven returns a server without the variable that Claude Code alone sets for it.
func withoutGiven(s probe.Stdio) probe.Stdio {
	s.Env = maps.Clone(s.Env)
	delete(s.Env, projectVariable)
	return s
}

func sameProblems(a, b Entry) bool {
	return slices.EqualFunc(a.Problems, b.Problems, func(p, q Problem) bool { return p.Message == q.Message })
}

// dirlessLaunchers run packages and images, which are in no directory.
var dirlessLaunchers = []string{"npx", "bunx", "uvx", "dnx", "docker", "podman"}

// independentOfDir reports whether a program does the same in every directory: it runs a package, and no
// argument is a relative path.
func independentOfDir(s probe.Stdio) bool {
	return slices.Contains(dirlessLaunchers, base(s.Command)) &&
		!slices.ContainsFunc(s.Args, func(arg string) bool { return strings.HasPrefix(arg, ".") })
}

// merge makes the names of entries unique, in order. The same server in two files is one entry. Two different
// servers of one name, or of names that differ in case only, are one entry that cannot run.
func merge(entries []Entry) []Entry {
	merged := make([]Entry, 0, len(entries))
	index := make(map[string]int, len(entries))
	for _, e := range entries {
		i, seen := index[key(e.Server.Name)]
		if !seen {
			index[key(e.Server.Name)] = len(merged)
			merged = append(merged, e)
			continue
		}
		first := &merged[i]
		switch {
		case first.File != e.File && same(*first, e):
			first.Found = min(first.Found, e.Found)
			first.filters = slices.Concat(first.filters, e.filters)
		case len(first.Problems) < maxSuggestions:
			first.Problems = append(slices.Clip(first.Problems), duplicate(*first, e))
		}
	}
	return merged
}

// same reports whether two entries are the same server, wherever they are written.
func same(a, b Entry) bool {
	a.Server.Source, b.Server.Source = "", ""
	a.Server.Values, b.Server.Values = nil, nil // what is masked, not what is started
	for _, s := range []*probe.Server{&a.Server, &b.Server} {
		if s.Stdio != nil {
			stdio := withoutGiven(*s.Stdio)
			s.Stdio = &stdio
		}
	}
	return a.Disabled == b.Disabled && slices.Equal(pathsOf(a), pathsOf(b)) &&
		reflect.DeepEqual(a.Server, b.Server) && sameProblems(a, b)
}

// duplicate returns the problem of a second server with the name of the first, or with one that differs only
// in case: their snapshots would be one file where case is ignored.
func duplicate(first, second Entry) Problem {
	return Problem{
		File: second.File, Line: second.Line, Server: second.Server.Name,
		Hint:    "rename or remove one of them; they must differ in more than case",
		Message: fmt.Sprintf("duplicate name, first in %s", first.Server.Source),
	}
}
