package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// bearing is how a discovered entry stands to others.
type bearing struct {
	beside   bool     // it stands beside another of its application with the same name
	yields   bool     // it was refused, and a weaker one of its name takes its place
	switches bool     // it says nothing but whether a server of that name is on
	aliases  []string // other names that applications have for it
}

// key is a name as file names tell it from others everywhere.
func key(name string) string { return strings.ToLower(FileName(name)) }

// override leaves of each name the strongest of one application's servers, and notes the places of the others. Servers
// that stand beside each other all stay.
func override(app clients.App, entries []Entry) []Entry {
	var kept []Entry
	at := map[string]int{}
	for _, e := range entries {
		i, seen := at[key(e.Server.Name)]
		switch {
		case e.beside || !seen:
			if !e.beside {
				at[key(e.Server.Name)] = len(kept)
			}
			kept = append(kept, e)
		case kept[i].switches && !e.switches: // the weaker one says what the server is
			e.Disabled = kept[i].Disabled
			e.Places = append(e.Places, kept[i].Places...)
			kept[i] = e
		case kept[i].yields:
			e.Places = append(e.Places, kept[i].Places...)
			kept[i] = e
		default:
			kept[i].Places = append(kept[i].Places, overridden(kept[i], e)...)
		}
	}
	return slices.DeleteFunc(kept, func(e Entry) bool { return e.switches })
}

// overridden are the places of an entry that another one holds instead of.
func overridden(holds, e Entry) []Place {
	if !alike(holds, e) {
		e.Places[0].State = "overridden"
	}
	return e.Places
}

// join adds what was discovered to the servers that are known: what is there already gets another place, and where names
// are taken, those of discovered servers are told apart. Of a file that the search found and that an application reads, the
// application says which servers hold; they keep their names.
func (l *loader) join(known, discovered []Entry) []Entry {
	found := func(e Entry) bool {
		return slices.Contains(l.config.Searched, e.File) && e.File != l.config.Project.File
	}
	known = slices.DeleteFunc(known, func(e Entry) bool {
		return found(e) && slices.ContainsFunc(l.config.Looked, func(looked Looked) bool { return looked.Path == e.File })
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

// mergeable is whether two entries that do the same are shown once: within one application, two names are two servers.
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

// settleNames keeps of each place the name only if it is another, and takes names that are nobody's own for aliases.
func settleNames(e Entry, all []Entry) Entry {
	e.Places = slices.Clone(e.Places)
	for i, p := range e.Places {
		if p.Name == e.Server.Name {
			e.Places[i].Name = ""
			continue
		}
		taken := slices.ContainsFunc(all, func(other Entry) bool {
			return key(other.Server.Name) == key(p.Name) || other.File+other.Server.Name != e.File+e.Server.Name && hasPlace(other, p.Name)
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

// tellApart renames discovered servers whose name another server has: github becomes github.cursor. Those that the user or
// the project named keep their names.
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

// alike is whether two entries start or contact the same, with the same credentials. Their time limits do not matter, nor
// the folder that a program is started in if it was not chosen and means nothing to the program.
func alike(a, b Entry) bool {
	if (a.Server.Stdio == nil) != (b.Server.Stdio == nil) || !slices.EqualFunc(a.Problems, b.Problems, sameProblem) {
		return false
	}
	if a.Server.Stdio != nil {
		x, y := *a.Server.Stdio, *b.Server.Stdio
		if placeless(x) && !a.chosenDir && !b.chosenDir {
			x.Dir, y.Dir = "", ""
		}
		return reflect.DeepEqual(x, y)
	}
	return a.Server.HTTP != nil && reflect.DeepEqual(a.Server.HTTP, b.Server.HTTP) && reflect.DeepEqual(a.Login, b.Login)
}

func sameProblem(a, b Problem) bool { return a.Message == b.Message }

// placelessLaunchers run packages and images, which lie in no folder.
var placelessLaunchers = []string{"npx", "bunx", "uvx", "dnx", "docker", "podman"}

// placeless is whether a program does the same in every folder: it runs a package, and no argument looks like a path from
// the current folder.
func placeless(s probe.Stdio) bool {
	return slices.Contains(placelessLaunchers, base(s.Command)) &&
		!slices.ContainsFunc(s.Args, func(arg string) bool { return strings.HasPrefix(arg, ".") })
}
