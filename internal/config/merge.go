package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// merge makes the names of entries unique, in order. The same server in two files is one entry; two different servers
// of one name, or of names that share a snapshot file, are one entry that cannot run.
func merge(entries []Entry) []Entry {
	var merged []Entry
	at := map[string]int{} // by the file name that Windows and macOS take for the same
	for _, e := range entries {
		key := strings.ToLower(FileName(e.Server.Name))
		i, seen := at[key]
		switch {
		case !seen:
			at[key] = len(merged)
			merged = append(merged, e)
		case merged[i].File == e.File || !same(merged[i], e):
			merged[i].Problems = append(slices.Clip(merged[i].Problems), duplicate(merged[i], e))
		default: // the best word holds: both would do the same
			merged[i].Found = min(merged[i].Found, e.Found)
		}
	}
	return merged
}

// same is whether two entries would do the same.
func same(a, b Entry) bool {
	a.Server.Source, b.Server.Source = "", ""
	return a.Disabled == b.Disabled && reflect.DeepEqual(a.Server, b.Server) &&
		slices.EqualFunc(a.Problems, b.Problems, func(p, q Problem) bool { return p.Message == q.Message })
}

// duplicate is the problem of the second of two entries.
func duplicate(first, second Entry) Problem {
	p := Problem{
		File: second.File, Line: second.Line, Server: second.Server.Name, Hint: "rename or remove one of them",
		Message: fmt.Sprintf("duplicate name, first in %s", first.Server.Source),
	}
	if first.Server.Name != second.Server.Name {
		p.Message = fmt.Sprintf("differs from %q in %s only in case, which file names cannot tell apart everywhere",
			first.Server.Name, first.Server.Source)
	}
	return p
}
