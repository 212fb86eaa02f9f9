package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// expander replaces variables in the strings of a configuration file.
type expander struct {
	lookup clients.Lookup         // the environment; nil = empty
	home   string                 // for ${userHome}; empty = unknown
	folder string                 // for ${workspaceFolder}
	inputs map[string]editorInput // VS Code's inputs, by id
	known  map[string]string      // directories, by the names that the application has for them
	bare   bool                   // $NAME is a variable too, as in Gemini's files
	depth  int                    // of defaults inside defaults
}

// Limits on what a hostile string may cost.
const (
	maxDefaults   = 10 // defaults inside defaults
	maxUnresolved = 20 // problems per string
)

// expanded is a text in which the variables were replaced.
type expanded struct {
	value   string         // what the server gets; may be secret
	shown   string         // the same with variables as they are written, except for directories
	values  []probe.Secret // that were put in, except for the home and project directories
	secrets []probe.Secret // those that look secret or answer a hidden input
	sources []string       // the names of the variables and inputs, also of defaults that are not used
	empty   []string       // the names of the variables that are set to nothing and have no default
	missing []unresolved
}

// unresolved is a variable that has no value.
type unresolved struct {
	message, hint string
	lacks         string  // of the environment, as in Problem; empty = the text itself is wrong
	prompt        *Prompt // for the user; nil = there is nothing to ask
}

// expand replaces ${VAR}, ${VAR:-default}, ${env:VAR}, ${input:ID}, ${workspaceFolder} and the like. "$${" is
// a literal "${".
func (x expander) expand(s string) (out expanded) {
	var value, shown strings.Builder
	for s != "" {
		literal, token, rest := x.next(s)
		value.WriteString(literal)
		shown.WriteString(s[:len(s)-len(rest)-len(token)])
		if token != "" {
			v := x.replace(token)
			value.WriteString(v.value)
			shown.WriteString(v.shown)
			out.values, out.secrets = append(out.values, v.values...), append(out.secrets, v.secrets...)
			out.sources, out.empty = append(out.sources, v.sources...), append(out.empty, v.empty...)
			for _, p := range v.missing {
				same := func(other unresolved) bool { return other.message == p.message }
				if len(out.missing) < maxUnresolved && !slices.ContainsFunc(out.missing, same) {
					out.missing = append(out.missing, p)
				}
			}
		}
		s = rest
	}
	out.value, out.shown = value.String(), shown.String()
	return out
}

// What a variable looks like without braces, the name of one in braces (Windows has ProgramFiles(x86)), and
// what may be shown of other text in braces: the rest, as in ${NAME-default}, may be a secret.
var (
	bareVariable = kit.Pattern(`^\$[A-Za-z_][A-Za-z0-9_]*`)
	variableName = kit.Pattern(`^[A-Za-z_][A-Za-z0-9_.()]*$`)
	showable     = kit.Pattern(`^(?:[A-Z_][A-Z0-9_]*|[A-Za-z]+:)`)
)

// next splits s into text without variables, one variable as it is written, and the rest.
func (x expander) next(s string) (literal, token, rest string) {
	i := strings.IndexByte(s, '$')
	if i < 0 {
		return s, "", ""
	}
	literal, rest = s[:i], s[i:]
	end := 0
	switch {
	case strings.HasPrefix(rest, "$${"):
		return literal + "${", "", rest[3:]
	case strings.HasPrefix(rest, "${"):
		end = clients.Closing(rest)
	case x.bare:
		end = len(bareVariable().FindString(rest))
	}
	if end == 0 {
		return literal + "$", "", rest[1:]
	}
	return literal, rest[:end], rest[end:]
}

// replace returns what stands for one variable.
func (x expander) replace(token string) (out expanded) {
	inner, closed := token[1:], true // of $NAME
	if strings.HasPrefix(token, "${") {
		inner, closed = strings.CutSuffix(token[2:], "}")
	}
	if !closed {
		return unknown(`"${" without "}"`, `write "$${" for a literal "${"`)
	}
	name, fallback, hasFallback := strings.Cut(strings.TrimPrefix(inner, "env:"), ":-")
	if folder, ok := x.directory(name); ok {
		return expanded{value: folder, shown: folder}
	}
	id, isInput := strings.CutPrefix(inner, "input:")
	if isInput {
		out = x.input(id)
	} else {
		out = x.reference(name, fallback, hasFallback)
	}
	out.shown, out.values, out.secrets = token, nil, nil
	if out.value != "" && out.value != x.home && out.value != x.folder {
		out.values = []probe.Secret{probe.Secret(out.value)}
		if redact.Sensitive(strings.Trim(token, "${}"), out.value) || isInput && x.inputs[id].Password {
			out.secrets = out.values
		}
	}
	return out
}

// unknown returns a variable without a value.
func unknown(message, hint string) expanded {
	return expanded{missing: []unresolved{{message: message, hint: hint}}}
}

// directory returns the value of a variable that stands for a directory, which is safe to show.
func (x expander) directory(name string) (string, bool) {
	if folder, ok := x.known[name]; ok {
		return folder, true
	}
	switch name {
	case "workspaceFolder":
		return x.folder, true
	case "workspaceFolderBasename":
		return filepath.Base(x.folder), true
	case "userHome":
		return x.home, x.home != ""
	case "pathSeparator", "/":
		return string(filepath.Separator), true
	}
	return "", false
}

// reference returns the value of an environment variable.
func (x expander) reference(name, fallback string, hasFallback bool) expanded {
	if _, set := x.lookup.Value(name); set || variableName().MatchString(name) {
		return x.variable(name, fallback, hasFallback)
	}
	return unknown(fmt.Sprintf("the variable ${%s…} is not supported", showable().FindString(name)),
		"${NAME}, ${NAME:-default}, ${input:ID}, ${workspaceFolder} and ${userHome} exist; "+
			`write "$${" for a literal "${"`)
}

// variable returns the value of an environment variable. The fallback also replaces an empty one, as in a
// shell.
func (x expander) variable(name, fallback string, hasFallback bool) expanded {
	value, ok := x.lookup.Value(name)
	var out expanded
	if x.depth++; hasFallback && x.depth <= maxDefaults {
		out = x.expand(fallback)
	}
	switch {
	case hasFallback && value == "" && x.depth > maxDefaults:
		out = unknown(fmt.Sprintf("more than %d defaults inside defaults", maxDefaults),
			"set "+name+" in the environment")
	case value != "" || ok && !hasFallback:
		out.value, out.missing, out.empty = value, nil, nil
		if strings.TrimSpace(value) == "" {
			out.empty = []string{name}
		}
	case !hasFallback:
		out = unknown(fmt.Sprintf("the variable %s is not set", name),
			fmt.Sprintf("set %s in the environment, or write ${%s:-default}", name, name))
		out.missing[0].lacks = name + ", which is not set"
	}
	out.sources = append(out.sources, name)
	return out
}
