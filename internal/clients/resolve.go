package clients

import (
	"regexp"
	"strings"
)

// resolve is the path of a template without "{project}", with slashes; ok is false when it depends on what is not known.
func (h Host) resolve(template string) (path string, ok bool) {
	path, foreign, ok := h.expand(template)
	switch {
	case !ok || path == "":
		return "", false
	case foreign && !absolute(path): // as applications do, seen from the current folder
		if len(h.Projects) == 0 {
			return "", false
		}
		return h.slashes(h.Projects[0]) + "/" + path, true
	case !foreign:
		return h.Root + path, true
	}
	return path, true
}

// expand replaces "~" and variables; foreign is whether the beginning comes from the environment or the home folder.
func (h Host) expand(template string) (path string, foreign, ok bool) {
	switch {
	case template == "":
		return "", false, false
	case template[0] == '~':
		return h.slashes(h.Home) + template[1:], true, h.Home != ""
	case !strings.HasPrefix(template, "${"):
		return template, false, true
	}
	end := closing(template)
	name, fallback, _ := strings.Cut(template[2:end-1], ":-")
	if value, _ := h.look(name); value != "" {
		return h.slashes(value) + template[end:], true, true
	}
	path, foreign, ok = h.expand(fallback)
	return path + template[end:], foreign, ok
}

// closing is the offset behind the brace that closes the one in template[1].
func closing(template string) int {
	depth := 0
	for i, c := range template {
		switch c {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(template)
}

// look reads a variable; on Windows case does not matter, which the few spellings in use stand for.
func (h Host) look(name string) (string, bool) {
	if h.Lookup == nil {
		return "", false
	}
	value, ok := h.Lookup(name)
	if !ok && h.OS == "windows" {
		value, ok = h.Lookup(strings.ToUpper(name))
	}
	return value, ok
}

// slashes is a folder with slashes and without one at its end.
func (h Host) slashes(folder string) string {
	if h.OS == "windows" {
		folder = strings.ReplaceAll(folder, `\`, "/")
	}
	return strings.TrimRight(folder, "/")
}

var drive = regexp.MustCompile(`^[A-Za-z]:/`)

func absolute(path string) bool { return strings.HasPrefix(path, "/") || drive.MatchString(path) }
