package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/internal/syntax"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// expander replaces variables in strings of a configuration file. It depends on nothing but its fields.
type expander struct {
	lookup clients.Lookup         // the environment; nil = empty
	home   string                 // for ${userHome}; empty = unknown
	folder string                 // for ${workspaceFolder}
	inputs map[string]editorInput // VS Code's inputs, by id
	known  map[string]string      // folders by the names that the application has for them
	bare   bool                   // $NAME is a variable too, as in Gemini's files
	depth  int                    // of defaults inside defaults
}

// Limits that keep a hostile string from costing more than its length.
const (
	maxDefaults   = 10 // defaults inside defaults
	maxUnresolved = 20 // reported per string
)

type expanded struct {
	value string // what is handed to the server; may be secret
	shown string // the same with variables as they were written, except for the folders
}

// unresolved is a variable that has no value.
type unresolved struct {
	message, hint string
	prompt        *Prompt // that a person could answer; nil = nobody can
}

// expand replaces ${VAR}, ${VAR:-default}, ${env:VAR}, ${input:ID}, ${workspaceFolder} and its like. "$${"
// is a literal "${".
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
	bareVariable = kit.Pattern(`^\$[A-Za-z_][A-Za-z0-9_]*`)
	variableName = kit.Pattern(`^[A-Za-z_][A-Za-z0-9_.()-]*$`)
	printable    = kit.Pattern(`^[A-Za-z][A-Za-z0-9_:./-]{0,60}$`)
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
		end := clients.Closing(rest)
		return literal, rest[:end], rest[end:]
	case x.bare && bareVariable().MatchString(rest):
		end := len(bareVariable().FindString(rest))
		return literal, rest[:end], rest[end:]
	}
	return literal + "$", "", rest[1:]
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
	known, _, _ := strings.Cut(strings.TrimPrefix(name, "env:"), ":-")
	if folder, ok := x.folders(known); ok {
		return folder, folder, nil
	}
	value, missing = x.reference(name)
	return value, token, missing
}

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
	if form := shellForm().FindStringSubmatch(name); form != nil {
		if _, set := x.lookup.Value(name); !set {
			return "", []unresolved{notOfTheShell(form[1], form[2])}
		}
	}
	if !variableName().MatchString(name) {
		return "", []unresolved{notUnderstood(name)}
	}
	return x.variable(name, fallback, hasFallback)
}

// variable is the value of an environment variable. The fallback also replaces an empty one, as in a shell.
func (x expander) variable(name, fallback string, hasFallback bool) (string, []unresolved) {
	value, ok := x.lookup.Value(name)
	switch {
	case hasFallback && value == "":
		if x.depth++; x.depth > maxDefaults {
			return "", []unresolved{{message: "defaults inside defaults, too deep",
				hint: "set " + name + " in the environment"}}
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

// shellForm matches other expansions of a shell: ${NAME-default}, ${NAME:=default}, ${NAME:?message},
// ${NAME+other}.
var shellForm = kit.Pattern(`^([A-Za-z_][A-Za-z0-9_]*)(:?[-=+?])`)

// notOfTheShell returns the problem with an expansion that only shells know. What follows the operator may
// be secret.
func notOfTheShell(name, operator string) unresolved {
	hint := fmt.Sprintf("write ${%s}, or ${%s:-default}", name, name)
	return unresolved{message: fmt.Sprintf("${%s%s…} is a form of shells that is not supported", name,
		operator), hint: hint}
}

// notUnderstood names a variable only if it looks like a name: it may be part of a password.
func notUnderstood(name string) unresolved {
	const hint = `environment variables, ${input:ID}, ${workspaceFolder} and ${userHome} exist; write "$${" for a literal "${"`
	if strings.HasPrefix(name, "file:") {
		return unresolved{message: "a file in place of a value is not supported",
			hint: "put the value into an environment variable, and name that instead"}
	}
	if printable().MatchString(name) {
		return unresolved{message: fmt.Sprintf("the variable ${%s} is not supported", name), hint: hint}
	}
	return unresolved{message: "a ${…} that is no variable", hint: hint}
}

// Prompt is a value that a configuration wants from a person: one of VS Code's inputs.
type Prompt struct {
	ID          string
	Variable    string   // the environment variable that answers it
	Description string   // what is asked for; text of the file
	Default     string   // what an empty answer means
	Password    bool     // the answer must not be shown
	Options     []Option // the only answers there are; nil = any text
}

// Option is one answer to choose.
type Option struct {
	Label string // text of the file
	Value string
}

// editorInput is one entry of a file's inputs. A wrong one is told by the servers that need it.
type editorInput struct {
	Prompt
	wrong, hint string
}

// hear takes note of what a file says of inputs.
func (s *scope) hear(root syntax.Value) {
	list, _ := root.Get("inputs")
	if len(list.Value.Items) == 0 {
		mcp, _ := root.Get("mcp")
		list, _ = mcp.Value.Get("inputs")
	}
	s.asked, s.inputs = list.Value, map[string]editorInput{}
	for _, v := range s.asked.Items {
		id := v.TextOf("id")
		if _, twice := s.inputs[id]; !twice {
			s.inputs[id] = readInput(id, v)
		}
	}
}

func readInput(id string, v syntax.Value) editorInput {
	in := editorInput{Prompt: Prompt{
		ID: id, Variable: inputVariable(id), Description: v.TextOf("description"),
		Default:  v.TextOf("default"),
		Password: v.TextOf("password") == "true",
	}}
	switch kind := v.TextOf("type"); kind {
	case "promptString", "":
	case "pickString":
		options, _ := v.Get("options")
		if in.Options = readOptions(options.Value); len(in.Options) == 0 {
			in.wrong, in.hint = "has no options to choose from", `write "options": ["one", "two"]`
		}
	case "command":
		in.wrong, in.hint = "is of type command, which runs a command of the editor",
			fmt.Sprintf("set %s in the environment", in.Variable)
	default:
		in.wrong, in.hint = fmt.Sprintf("is of the unknown type %.40q", kind),
			"promptString and pickString exist"
	}
	return in
}

func readOptions(list syntax.Value) []Option {
	var options []Option
	for _, v := range list.Items {
		switch v.Kind {
		case syntax.Text, syntax.Number, syntax.Boolean:
			options = append(options, Option{v.Text, v.Text})
		case syntax.Object:
			options = append(options, Option{v.TextOf("label"), v.TextOf("value")})
		}
	}
	return options
}

// input is the value of one of VS Code's inputs, taken from the environment; an answer that is none of the
// options is as wrong as none.
func (x expander) input(id string) (string, []unresolved) {
	known, configured := x.inputs[id]
	name := inputVariable(id)
	value, ok := x.lookup.Value(name)
	switch {
	case ok && configured && !known.allows(value):
		return "", []unresolved{{message: fmt.Sprintf("%s is none of the options of the input %q", name, id),
			hint: known.choices()}}
	case ok:
		return value, nil
	case !configured:
		return "", []unresolved{{message: fmt.Sprintf("the input %q has no value", id),
			hint: fmt.Sprintf("set %s in the environment", name)}}
	case known.wrong != "":
		return "", []unresolved{{message: fmt.Sprintf("the input %q %s", id, known.wrong), hint: known.hint}}
	}
	hint := fmt.Sprintf("set %s in the environment, or run mcpctl in a terminal, where it asks", name)
	if known.Description != "" {
		hint += fmt.Sprintf(" (%q)", known.Description)
	}
	return "", []unresolved{{message: fmt.Sprintf("the input %q has no value", id), hint: hint,
		prompt: &known.Prompt}}
}

func (p Prompt) allows(value string) bool {
	return p.Options == nil || slices.ContainsFunc(p.Options, func(o Option) bool { return o.Value == value })
}

func (p Prompt) choices() string {
	hint := "set it to one of"
	for i, o := range p.Options {
		if i == 10 {
			return hint + " …"
		}
		hint += fmt.Sprintf(" %.40q", o.Value)
	}
	return hint
}

// hides is whether a variable is an input whose answer must not be shown.
func (x expander) hides(token string) bool {
	id, ok := strings.CutPrefix(token, "${input:")
	return ok && x.inputs[strings.TrimSuffix(id, "}")].Password
}

// given returns the values that s takes from elsewhere, and those of them that look secret or answer a hidden
// input. The home and project directories are shown.
func (x expander) given(s string) (values, secrets []probe.Secret) {
	for s != "" {
		_, token, rest := x.next(s)
		s = rest
		if _, folder := x.folders(strings.TrimSuffix(strings.TrimPrefix(token, "${"), "}")); token == "" ||
			folder {
			continue
		}
		value, _, _ := x.replace(token)
		if value == "" || value == x.home || value == x.folder {
			continue
		}
		values = append(values, probe.Secret(value))
		if redact.Sensitive(strings.Trim(token, "${}"), value) || x.hides(token) {
			secrets = append(secrets, probe.Secret(value))
		}
	}
	return values, secrets
}
