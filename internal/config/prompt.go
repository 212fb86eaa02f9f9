package config

import (
	"fmt"
	"slices"
	"strings"
)

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

// inputList is all that a file says of inputs.
func inputList(root value) value {
	list, _ := root.get("inputs")
	if len(list.value.items) == 0 {
		mcp, _ := root.get("mcp")
		list, _ = mcp.value.get("inputs")
	}
	return list.value
}

// inputs are VS Code's inputs by id.
func inputs(list value) map[string]editorInput {
	known := map[string]editorInput{}
	for _, v := range list.items {
		id, _ := v.get("id")
		if _, twice := known[id.value.text]; !twice {
			known[id.value.text] = readInput(id.value.text, v)
		}
	}
	return known
}

// member is a scalar of v as text.
func member(v value, key string) string {
	f, _ := v.get(key)
	return f.value.text
}

func readInput(id string, v value) editorInput {
	in := editorInput{Prompt: Prompt{
		ID: id, Variable: inputVariable(id), Description: member(v, "description"), Default: member(v, "default"),
		Password: member(v, "password") == "true",
	}}
	switch kind := member(v, "type"); kind {
	case "promptString", "":
	case "pickString":
		options, _ := v.get("options")
		if in.Options = readOptions(options.value); len(in.Options) == 0 {
			in.wrong, in.hint = "has no options to choose from", `write "options": ["one", "two"]`
		}
	case "command":
		in.wrong, in.hint = "is of type command, which runs a command of the editor", fmt.Sprintf("set %s in the environment", in.Variable)
	default:
		in.wrong, in.hint = fmt.Sprintf("is of the unknown type %.40q", kind), "promptString and pickString exist"
	}
	return in
}

// readOptions are strings, or objects with a label and a value.
func readOptions(list value) []Option {
	var options []Option
	for _, v := range list.items {
		switch v.kind {
		case text, number, boolean:
			options = append(options, Option{v.text, v.text})
		case object:
			options = append(options, Option{member(v, "label"), member(v, "value")})
		}
	}
	return options
}

// input is the value of one of VS Code's inputs, taken from the environment; an answer that is none of the options is as wrong as none.
func (x expander) input(id string) (string, []unresolved) {
	known, configured := x.inputs[id]
	name := inputVariable(id)
	value, ok := x.look(name)
	switch {
	case ok && configured && !known.allows(value):
		return "", []unresolved{{message: fmt.Sprintf("%s is none of the options of the input %q", name, id), hint: known.choices()}}
	case ok:
		return value, nil
	case !configured:
		return "", []unresolved{{message: fmt.Sprintf("the input %q has no value", id), hint: fmt.Sprintf("set %s in the environment", name)}}
	case known.wrong != "":
		return "", []unresolved{{message: fmt.Sprintf("the input %q %s", id, known.wrong), hint: known.hint}}
	}
	hint := fmt.Sprintf("set %s in the environment, or run mcpctl in a terminal, where it asks", name)
	if known.Description != "" {
		hint += fmt.Sprintf(" (%q)", known.Description)
	}
	return "", []unresolved{{message: fmt.Sprintf("the input %q has no value", id), hint: hint, prompt: &known.Prompt}}
}

// allows is whether a value answers the prompt.
func (p Prompt) allows(value string) bool {
	return p.Options == nil || slices.ContainsFunc(p.Options, func(o Option) bool { return o.Value == value })
}

// choices is the hint that names the options.
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
