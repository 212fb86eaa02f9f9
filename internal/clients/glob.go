package clients

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Limits on what one pattern may cost, whatever somebody put into the folder.
const (
	maxMatches = 200
	maxNames   = 10_000
)

// matches are the files that exist for a path with patterns, sorted; a path without patterns stands for itself. Only
// elements with "*" are patterns: the name of a home folder may hold brackets.
func matches(slashed string) []string {
	if !strings.Contains(slashed, "*") {
		return []string{filepath.FromSlash(slashed)}
	}
	elements := strings.Split(slashed, "/")
	found := []string{elements[0]}
	for i, element := range elements[1:] {
		var next []string
		for _, folder := range found {
			next = append(next, grow(folder, element)...)
		}
		found = next[:min(len(next), maxMatches)]
		if i == len(elements)-2 {
			found = slices.DeleteFunc(found, func(file string) bool { return !exists(filepath.FromSlash(file)) })
		}
	}
	for i, file := range found {
		found[i] = filepath.FromSlash(file)
	}
	return found
}

// grow is folder with one more element, once for each name that matches it.
func grow(folder, element string) []string {
	if !strings.Contains(element, "*") {
		return []string{folder + "/" + element}
	}
	folder = cmp.Or(folder, "/")
	if info, err := os.Stat(filepath.FromSlash(folder)); err != nil || !info.IsDir() { // a pipe would keep us waiting
		return nil
	}
	dir, err := os.Open(filepath.FromSlash(folder))
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(maxNames) // what cannot be read cannot be looked at
	slices.Sort(names)
	var grown []string
	for _, name := range names {
		if ok, _ := path.Match(element, name); ok {
			grown = append(grown, folder+"/"+name)
		}
	}
	return grown
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
