package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// otherTools are the words and flags of other tools, each behind what it is here.
//
//go:embed words.txt
var otherTools string

// meaningOf returns what a word or a flag of another tool is here: a command, flags, or what to do; empty for
// other words.
func meaningOf(word string) string {
	if !strings.HasPrefix(word, "-") {
		word = strings.ToLower(word)
	}
	for line := range strings.Lines(otherTools) {
		at := max(strings.LastIndex(line, ": "), 0)
		if !strings.HasPrefix(line, "#") && slices.Contains(strings.Fields(line[at+1:]), word) {
			return line[:at]
		}
	}
	return ""
}

// advised returns a meaning as a hint.
func advised(meaning string) string {
	if strings.HasPrefix(meaning, "-") || strings.HasPrefix(meaning, "mcpctl ") {
		return fmt.Sprintf("use %q", meaning)
	}
	return meaning
}

// flagFor returns the meaning of a flag of another tool for a command; empty where the command lacks the flag
// that it would be.
func flagFor(c *cli.Command, flag string) string {
	meaning := meaningOf(flag)
	if system, ok := strings.CutPrefix(meaning, "--format git"); ok && takesFlag(c, "ci", "") {
		return "--ci git" + system // init writes the workflow of one
	}
	if strings.HasSuffix(meaning, "after --") && !takesCommand(c) ||
		strings.HasSuffix(meaning, "as an argument") && !takesServers.MatchString(c.ArgsUsage) &&
			c.Name != "init" {
		return ""
	}
	if flags, ok := strings.CutPrefix(meaning, "--"); ok {
		if name, value, _ := strings.Cut(flags, " "); !takesFlag(c, name, value) {
			return ""
		}
	}
	return meaning
}

// takesFlag reports whether a command has a flag, and the format for it.
func takesFlag(c *cli.Command, name, format string) bool {
	return slices.ContainsFunc(c.Flags, func(f cli.Flag) bool {
		generic, ok := f.(*cli.GenericFlag)
		isFormat := name == "format" && ok
		return slices.Contains(f.Names(), name) && (!isFormat || slices.Contains(valuesOf(generic), format))
	})
}

// formatNamed returns the format behind another name of it, such as md; other words as they are.
func formatNamed(word string) string {
	if format, ok := strings.CutPrefix(meaningOf("--"+word), "--format "); ok {
		return format
	}
	return word
}
