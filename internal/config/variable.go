package config

import (
	"fmt"
	"path/filepath"
	"strings"
)

// folders are the variables that are safe to show.
func (x expander) folders(name string) (string, bool) {
	if folder, ok := x.known[name]; ok {
		return folder, true
	}
	switch {
	case name == "workspaceFolder":
		return x.folder, true
	case name == "workspaceFolderBasename":
		return filepath.Base(x.folder), true
	case name == "userHome" && x.home != "":
		return x.home, true
	case name == "pathSeparator" || name == "/":
		return string(filepath.Separator), true
	}
	return "", false
}

// reference is the value of what stands between the braces.
func (x expander) reference(inner string) (string, []unresolved) {
	if id, ok := strings.CutPrefix(inner, "input:"); ok {
		return x.input(id)
	}
	name, fallback, hasFallback := strings.Cut(strings.TrimPrefix(inner, "env:"), ":-")
	if !variableName.MatchString(name) {
		return "", []unresolved{notUnderstood(name)}
	}
	return x.variable(name, fallback, hasFallback)
}

// variable is the value of an environment variable. The fallback also replaces an empty one, as in a shell.
func (x expander) variable(name, fallback string, hasFallback bool) (string, []unresolved) {
	value, ok := x.look(name)
	switch {
	case hasFallback && value == "":
		if x.depth++; x.depth > maxDefaults {
			return "", []unresolved{{message: "defaults inside defaults, too deep", hint: "set " + name + " in the environment"}}
		}
		out, missing := x.expand(fallback)
		return out.value, missing
	case !ok:
		return "", []unresolved{{
			message: fmt.Sprintf("the variable %s is not set", name),
			hint:    fmt.Sprintf("set %s in the environment, or write ${%s:-default}", name, name),
		}}
	}
	return value, nil
}

func (x expander) look(name string) (string, bool) {
	if x.lookup == nil {
		return "", false
	}
	return x.lookup(name)
}

// inputVariable is the environment variable that answers for an input.
func inputVariable(id string) string {
	return "MCPCTL_INPUT_" + variablePart(id)
}

// variablePart is a name as a part of the name of an environment variable.
func variablePart(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return r - 'a' + 'A'
		case 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
			return r
		}
		return '_'
	}, name)
}

// notUnderstood names a variable only if it looks like a name: it may be part of a password.
func notUnderstood(name string) unresolved {
	const hint = `environment variables, ${input:ID}, ${workspaceFolder} and ${userHome} exist; write "$${" for a literal "${"`
	if strings.HasPrefix(name, "file:") {
		return unresolved{message: "a file in place of a value is not supported", hint: "put the value into an environment variable, and name that instead"}
	}
	if printable.MatchString(name) {
		return unresolved{message: fmt.Sprintf("the variable ${%s} is not supported", name), hint: hint}
	}
	return unresolved{message: "a ${…} that is no variable", hint: hint}
}
