package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/syntax"
)

// Prompt is a value that a configuration takes from the user: one of VS Code's inputs.
type Prompt struct {
	ID          string
	Variable    string   // the environment variable that answers it
	Description string   // text of the file
	Default     string   // the meaning of an empty answer
	Password    bool     // the answer must not be shown
	Options     []Option // the only answers; nil = any text
}

// Option is one answer to choose.
type Option struct {
	Label string // text of the file
	Value string
}

// editorInput is one of a file's inputs. Servers that need an invalid one report the problem.
type editorInput struct {
	Prompt
	problem, hint string
}

// readInputs reads the inputs of a file.
func (s *fileScope) readInputs(root syntax.Value) {
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

// readInput reads one input. One that mcpctl cannot ask for has a problem, which follows its name in
// messages.
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
		for _, o := range options.Value.Items {
			if o.Scalar() {
				in.Options = append(in.Options, Option{o.Text, o.Text})
			} else {
				in.Options = append(in.Options, Option{o.TextOf("label"), o.TextOf("value")})
			}
		}
		if len(in.Options) == 0 {
			in.problem, in.hint = "has no options to choose from", `write "options": ["one", "two"]`
		}
	case "command":
		in.problem, in.hint = "is of type command, which runs a command of the editor",
			fmt.Sprintf("set %s in the environment", in.Variable)
	default:
		in.problem, in.hint = fmt.Sprintf("is of the unknown type %.40q", kind),
			"use promptString or pickString"
	}
	return in
}

// inputVariable returns the environment variable that answers an input.
func inputVariable(id string) string {
	return "MCPCTL_INPUT_" + strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return r - 'a' + 'A'
		case 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
			return r
		}
		return '_'
	}, id)
}

// input returns the value of one of VS Code's inputs, from the environment.
func (x expander) input(id string) expanded {
	in, configured := x.inputs[id]
	name := inputVariable(id)
	value, set := x.lookup.Value(name)
	problem := unresolved{message: fmt.Sprintf("the input %q has no value", id),
		hint: fmt.Sprintf("set %s in the environment", name), lacks: name + ", which is not set"}
	isValue := func(o Option) bool { return o.Value == value }
	switch {
	case set && configured && in.Options != nil && !slices.ContainsFunc(in.Options, isValue):
		problem.message = fmt.Sprintf("%s is not one of the options of the input %q", name, id)
		problem.hint = in.choices()
		problem.lacks = name + ", which is none of the options"
	case set:
		return expanded{value: value, sources: []string{"input " + id}}
	case !configured:
	case in.problem != "":
		problem.message, problem.hint = fmt.Sprintf("the input %q %s", id, in.problem), in.hint
	default:
		problem.prompt, problem.lacks = &in.Prompt, "an answer for the input "+id
		problem.hint += ", or run mcpctl in a terminal, where it asks"
		if in.Description != "" {
			problem.hint += fmt.Sprintf(" (%q)", in.Description)
		}
	}
	return expanded{missing: []unresolved{problem}, sources: []string{"input " + id}}
}

// choices returns the hint with the first options.
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
