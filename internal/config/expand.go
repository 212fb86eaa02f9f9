package config

import (
	"fmt"
	"iter"
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
	value string // what the server gets; may be secret
	shown string // the same with variables as they are written, except for directories
}

// unresolved is a variable that has no value.
type unresolved struct {
	message, hint string
	prompt        *Prompt // for the user; nil = there is nothing to ask
}

// expand replaces ${VAR}, ${VAR:-default}, ${env:VAR}, ${input:ID}, ${workspaceFolder} and the like. "$${" is
// a literal "${".
func (x expander) expand(s string) (expanded, []unresolved) {
	var value, shown strings.Builder
	var missing []unresolved
	for s != "" {
		literal, token, rest := x.next(s)
		value.WriteString(literal)
		shown.WriteString(literal)
		if token != "" {
			v, as, problems := x.replace(token)
			value.WriteString(v)
			shown.WriteString(as)
			for _, p := range problems {
				same := func(other unresolved) bool { return other.message == p.message }
				if len(missing) < maxUnresolved && !slices.ContainsFunc(missing, same) {
					missing = append(missing, p)
				}
			}
		}
		s = rest
	}
	return expanded{value.String(), shown.String()}, missing
}

// What a variable looks like without braces, the name of one in braces (Windows has ProgramFiles(x86)), and
// other text in braces that may be shown in a problem.
var (
	bareVariable = kit.Pattern(`^\$[A-Za-z_][A-Za-z0-9_]*`)
	variableName = kit.Pattern(`^[A-Za-z_][A-Za-z0-9_.()-]*$`)
	printable    = kit.Pattern(`^[A-Za-z][A-Za-z0-9_:./-]{0,60}$`)
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

// replace returns the value of one variable, and what is shown for it.
func (x expander) replace(token string) (value, shown string, missing []unresolved) {
	if !strings.HasPrefix(token, "${") {
		value, missing = x.variable(token[1:], "", false)
		return value, token, missing
	}
	inner, closed := strings.CutSuffix(token[2:], "}")
	if !closed {
		return "", "", []unresolved{{message: `"${" without "}"`, hint: `write "$${" for a literal "${"`}}
	}
	known, _, _ := strings.Cut(strings.TrimPrefix(inner, "env:"), ":-")
	if folder, ok := x.directory(known); ok {
		return folder, folder, nil
	}
	value, missing = x.reference(inner)
	return value, token, missing
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

// shellForm matches further expansions of shells: ${NAME-default}, ${NAME:=default}, ${NAME:?message},
// ${NAME+other}, ${NAME%suffix}, ${NAME/old/new}, ${NAME:1:2}, ${NAME,,}, ${#NAME}, ${!NAME}.
// Other operators count after capitals only: small letters may begin a password.
var shellForm = kit.Pattern(`^([#!]?)([A-Za-z_][A-Za-z0-9_]*)(:?[-=+?]|:[ -]*[0-9]|$)|` +
	`^([A-Z_][A-Z0-9_]*)([%#/,^@])`)

// isShellForm reports whether a text is an expansion of shells, rather than a name.
func isShellForm(text string) bool {
	form := shellForm().FindStringSubmatch(text)
	return form != nil && form[1]+form[3]+form[5] != ""
}

// reference returns the value of the text between the braces. Other text may be part of a
// password: it is quoted only if it looks like a name.
func (x expander) reference(inner string) (string, []unresolved) {
	if id, ok := strings.CutPrefix(inner, "input:"); ok {
		return x.input(id)
	}
	name, fallback, hasFallback := strings.Cut(strings.TrimPrefix(inner, "env:"), ":-")
	_, set := x.lookup.Value(name)
	form := shellForm().FindStringSubmatch(name)
	if form == nil {
		form = make([]string, 6)
	}
	prefix, shell, operator := form[1], form[2]+form[4], form[3]+form[5]
	problem := unresolved{message: "${…} without a variable", hint: "environment variables, ${input:ID}, " +
		`${workspaceFolder} and ${userHome} exist; write "$${" for a literal "${"`}
	switch {
	case prefix+operator != "" && !set:
		problem.message = fmt.Sprintf("the shell form ${%s%s%s…} is not supported", prefix, shell, operator)
		problem.hint = fmt.Sprintf("write ${%s}, or ${%s:-default}", shell, shell)
	case variableName().MatchString(name):
		return x.variable(name, fallback, hasFallback)
	case strings.HasPrefix(name, "file:"):
		problem.message = "a file in place of a value is not supported"
		problem.hint = "put the value into an environment variable, and name that instead"
	case printable().MatchString(name):
		problem.message = fmt.Sprintf("the variable ${%s} is not supported", name)
	}
	return "", []unresolved{problem}
}

// variable returns the value of an environment variable. The fallback also replaces an empty one, as in a
// shell.
func (x expander) variable(name, fallback string, hasFallback bool) (string, []unresolved) {
	value, ok := x.lookup.Value(name)
	switch {
	case hasFallback && value == "":
		if x.depth++; x.depth > maxDefaults {
			return "", []unresolved{{message: fmt.Sprintf("more than %d defaults inside defaults",
				maxDefaults), hint: "set " + name + " in the environment"}}
		}
		out, missing := x.expand(fallback)
		return out.value, missing
	case !ok:
		return "", []unresolved{{message: fmt.Sprintf("the variable %s is not set", name),
			hint: fmt.Sprintf("set %s in the environment, or write ${%s:-default}", name, name)}}
	}
	return value, nil
}

// variables returns the variables of a text as they are written, each with what its braces hold. Those that
// stand for directories are left out.
func (x expander) variables(text string) iter.Seq2[string, string] {
	return func(yield func(token, inner string) bool) {
		for text != "" {
			_, token, rest := x.next(text)
			text = rest
			inner := strings.TrimSuffix(strings.TrimPrefix(token, "${"), "}")
			if _, folder := x.directory(inner); token != "" && !folder && !yield(token, inner) {
				return
			}
		}
	}
}

// given returns the values that a text takes from elsewhere, and those of them that look secret or answer a
// hidden input. The home and project directories are shown.
func (x expander) given(text string) (values, secrets []probe.Secret) {
	for token, inner := range x.variables(text) {
		value, _, _ := x.replace(token)
		if value == "" || value == x.home || value == x.folder {
			continue
		}
		values = append(values, probe.Secret(value))
		id, isInput := strings.CutPrefix(inner, "input:")
		if redact.Sensitive(strings.Trim(token, "${}"), value) || isInput && x.inputs[id].Password {
			secrets = append(secrets, probe.Secret(value))
		}
	}
	return values, secrets
}

// sources returns the names of the variables and inputs whose values a text holds.
func (x expander) sources(text string) []string {
	var all []string
	if x.depth++; x.depth > maxDefaults+1 {
		return nil
	}
	for _, inner := range x.variables(text) {
		if strings.HasPrefix(inner, "input:") {
			all = append(all, "input "+strings.TrimPrefix(inner, "input:"))
			continue
		}
		name, fallback, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(inner, "$"), "env:"), ":-")
		if _, set := x.lookup.Value(name); set || !isShellForm(name) {
			all = append(all, name)
		}
		all = append(all, x.sources(fallback)...)
	}
	return unique(all)
}
