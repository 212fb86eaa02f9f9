package main

import (
	"encoding/json"
	"strings"

	"github.com/mcpctl/mcpctl/internal/call"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
)

// arguments reads the arguments of a tool: words such as key=value, and the object that --args gives.
func (inv *invocation) arguments(words []string, base string) ([]call.Argument, json.RawMessage, error) {
	var given []call.Argument
	for _, text := range words {
		a, err := call.ParseArgument(text)
		if err != nil {
			return nil, nil, exit.Misuse(err)
		}
		if name, ok := a.File(); ok {
			content, err := inv.content(name)
			if err != nil {
				return nil, nil, exit.Usagef("reading %s: %w", a.Key, err)
			}
			a = a.Of(content)
		}
		given = append(given, a)
	}
	if base == "" {
		return given, nil, nil
	}
	whole := []byte(base)
	if name, ok := strings.CutPrefix(base, "@"); ok || base == "-" {
		var err error
		if whole, err = inv.content(name); err != nil {
			return nil, nil, exit.Usagef("reading --args: %w", err)
		}
	}
	if !json.Valid(whole) {
		return nil, nil, exit.Usagef("--args is no JSON: write an object such as '{\"limit\": 5}', @FILE, or - for standard input")
	}
	return given, whole, nil
}

// maxArgument bounds a file that becomes an argument.
const maxArgument = 16 << 20

// content is what is in a file, or on standard input for "-".
func (inv *invocation) content(name string) ([]byte, error) {
	if name == "-" {
		return files.ReadLimited(inv.In, maxArgument)
	}
	return files.Read(name, maxArgument)
}
