package config

import (
	"regexp"
	"slices"
	"strings"
)

// expander replaces variables in strings of a configuration file. It depends on nothing but its fields.
type expander struct {
	lookup func(string) (string, bool) // the environment; nil = empty
	home   string                      // for ${userHome}; empty = unknown
	folder string                      // for ${workspaceFolder}
	inputs map[string]editorInput      // VS Code's inputs, by id
	known  map[string]string           // folders by the names that the application has for them
	bare   bool                        // $NAME is a variable too, as in Gemini's files
	depth  int                         // of defaults inside defaults
}

// Limits that keep a hostile string from costing more than its length.
const (
	maxDefaults   = 10 // defaults inside defaults
	maxUnresolved = 20 // reported per string
)

// expanded is a string after expansion.
type expanded struct {
	value string // what is handed to the server; may be secret
	shown string // the same with variables as they were written, except for the folders
}

// unresolved is a variable that has no value.
type unresolved struct {
	message, hint string
	prompt        *Prompt // that a person could answer; nil = nobody can
}

// expand replaces every variable of s: ${VAR}, ${VAR:-default}, ${env:VAR}, ${input:ID}, ${workspaceFolder} and its like.
// "$${" is a literal "${"; every other "$" stays as it is.
func (x expander) expand(s string) (expanded, []unresolved) {
	var value, shown strings.Builder
	var missing []unresolved
	for s != "" {
		literal, token, rest := x.next(s)
		value.WriteString(literal)
		shown.WriteString(literal)
		if token != "" {
			v, as, why := x.replace(token)
			value.WriteString(v)
			shown.WriteString(as)
			missing = addUnresolved(missing, why)
		}
		s = rest
	}
	return expanded{value.String(), shown.String()}, missing
}

// addUnresolved adds those that are not there yet, up to the limit.
func addUnresolved(missing, more []unresolved) []unresolved {
	for _, m := range more {
		same := func(known unresolved) bool { return known.message == m.message }
		if len(missing) < maxUnresolved && !slices.ContainsFunc(missing, same) {
			missing = append(missing, m)
		}
	}
	return missing
}

var (
	bareVariable = regexp.MustCompile(`^\$[A-Za-z_][A-Za-z0-9_]*`)
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.()-]*$`)
	printable    = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_:./-]{0,60}$`)
)

// next splits s into text without variables, one variable as written, and the rest.
func (x expander) next(s string) (literal, token, rest string) {
	i := strings.IndexByte(s, '$')
	if i < 0 {
		return s, "", ""
	}
	literal, rest = s[:i], s[i:]
	switch {
	case strings.HasPrefix(rest, "$${"):
		return literal + "${", "", rest[3:]
	case strings.HasPrefix(rest, "${"):
		end := closing(rest)
		return literal, rest[:end], rest[end:]
	case x.bare && bareVariable.MatchString(rest):
		end := len(bareVariable.FindString(rest))
		return literal, rest[:end], rest[end:]
	}
	return literal + "$", "", rest[1:]
}

// closing is the offset behind the brace that closes the one in s[1], or the length of s.
func closing(s string) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

// replace is the value of one variable, and what is shown for it.
func (x expander) replace(token string) (value, shown string, missing []unresolved) {
	if !strings.HasPrefix(token, "${") {
		value, missing = x.variable(token[1:], "", false)
		return value, token, missing
	}
	name, closed := strings.CutSuffix(token[2:], "}")
	if !closed {
		return "", "", []unresolved{{message: `"${" without "}"`, hint: `write "$${" for a literal "${"`}}
	}
	if folder, ok := x.folders(name); ok {
		return folder, folder, nil
	}
	value, missing = x.reference(name)
	return value, token, missing
}
