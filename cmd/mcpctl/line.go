package main

import (
	"context"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/internal/source"
)

// typedWord is a flag of a command line with its value, or another word.
type typedWord struct {
	words []string // as typed
	flag  string   // without dashes; empty = a word that is no flag
	value string   // of the flag
	given bool     // whether the flag has a value
}

// argumentsOf returns the words of a command line after its command; values are the flags of the command, as
// takesValue has them.
func argumentsOf(words []string, values map[string]bool) (all []typedWord) {
	for i := 0; i < len(words); i++ {
		isCommand := strings.HasPrefix(words[i], "-- ") // as a SOURCE
		if words[i] == "-" || isCommand || !strings.HasPrefix(words[i], "-") {
			all = append(all, typedWord{words: words[i : i+1]})
			continue
		}
		name, value, given := strings.Cut(strings.TrimLeft(words[i], "-"), "=")
		a := typedWord{words[i : i+1], name, value, given}
		if values[name] && !given && i+1 < len(words) {
			a.words, a.value, a.given = words[i:i+2], words[i+1], true
			i++
		}
		all = append(all, a)
	}
	return all
}

// typedLine returns words as a command line to type, without secrets; any value of --args may be one.
func typedLine(words ...string) string {
	masked := withoutSecrets(words...)
	for i := range masked {
		switch {
		case strings.HasPrefix(masked[i], "--args="):
			masked[i] = "--args=JSON"
		case i > 0 && masked[i-1] == "--args" && !strings.HasPrefix(masked[i], "@") && masked[i] != "-":
			masked[i] = "JSON"
		}
	}
	return strings.Join(kit.Map(masked, printable.ShellWord), " ")
}

// withoutSecrets returns a command line without secrets. A URI template is none.
func withoutSecrets(words ...string) []string {
	masked := redact.MaskArgs(words)
	for i, word := range words {
		plain := expression().ReplaceAllString(word, "1")
		if plain != word && slices.Equal(redact.MaskArgs([]string{plain}), []string{plain}) {
			masked[i] = word
		}
	}
	return masked
}

// expression matches the variables in a URI template (RFC 6570).
var expression = kit.Pattern(`\{[+#./;?&]?[A-Za-z_][\w,.*:]{0,30}\}`)

// typedWith returns the command line that was typed with other words than it had beside its flags.
func typedWith(p program, c *cli.Command, words ...string) string {
	flags := kit.Filter(argumentsOf(p.typed[1:], takesValue(c)),
		func(a typedWord) bool { return a.flag != "" })
	return "mcpctl " + typedLine(slices.Concat(p.typed[:1], wordsOf(flags), words)...)
}

// isProgramFile reports whether an argument is a file that an interpreter runs.
func isProgramFile(word string) bool { return source.Launcher(word) != nil && files.Exists(word) }

// launched returns the command line that runs a file.
func launched(file string) []string { return append(source.Launcher(file), file) }

// isCommit reports whether an argument is a SOURCE of the snapshots of a commit.
func isCommit(word string) bool { return source.Parse(word).Kind == source.Git }

// isRecorded reports whether an argument is a file of recorded calls, by its name.
func isRecorded(word string) bool {
	return strings.HasSuffix(word, ".jsonl") || strings.HasSuffix(word, ".ndjson") ||
		files.Exists(word) && !files.IsDir(word) && !strings.HasSuffix(word, ".json")
}

func wordsOf(given []typedWord) []string {
	return slices.Concat(kit.Map(given, func(a typedWord) []string { return a.words })...)
}

// selectionOf returns which configuration the flags of a command line choose.
func selectionOf(flags []typedWord) (from fleet.Selection) {
	for _, f := range flags {
		switch f.flag {
		case "config", "c":
			from.Files = append(from.Files, f.value)
		case "discover":
			from.Discover = true
		}
	}
	return from
}

// selected reports whether a server of that name is among the configured ones. Nothing is contacted.
func selected(ctx context.Context, process host.Process, from fleet.Selection, name string) bool {
	cfg := configurationOf(ctx, process, from)
	return cfg != nil && slices.Contains(cfg.Names(), name)
}

// configurationOf reads the configuration without a word; nil if that fails.
func configurationOf(ctx context.Context, process host.Process, from fleet.Selection) *config.Config {
	process.Quiet, process.In = true, strings.NewReader("") // --config - is not read again
	cfg, _ := fleet.Read(ctx, process, from)
	return cfg
}

// script matches the file of a program that an interpreter runs.
var script = kit.Pattern(`\.([cm]?[jt]s|py|rb|php|sh|jar|go|dll)$`)

// operandsOf returns what a command needs behind a SOURCE, as its usage names it.
func operandsOf(command *cli.Command) []string {
	usage, _, _ := strings.Cut(command.ArgsUsage, " [-- ")
	return slices.DeleteFunc(strings.Fields(usage), func(word string) bool {
		return word == "SOURCE" || strings.ContainsAny(word, "[]…-")
	})
}

// neededBy returns the arguments that a command cannot do without, each behind a space.
func neededBy(command *cli.Command) (needed string) {
	for _, word := range strings.Fields(command.ArgsUsage) {
		if word == "|" || strings.HasPrefix(word, "[") {
			break
		}
		needed += " " + word
	}
	return needed
}

// withoutUnknown returns the words of a command line in which each flag that the command does not have is an
// argument of the tool: --a 1 is a=1, and --arg a=1 too, and -d OBJECT is --args OBJECT;
// and how many words are before the first of them.
func withoutUnknown(given []typedWord, values map[string]bool) (line []string, before int) {
	words := 0
	for i := 0; i < len(given); i++ {
		a, next := given[i], typedWord{flag: "none"}
		if i+1 < len(given) {
			next = given[i+1]
		}
		_, known := values[a.flag]
		switch {
		case a.flag == "":
			words++
			fallthrough
		case known:
			line = append(line, a.words...)
			continue
		}
		if before == 0 {
			before = words
		}
		switch {
		case a.given:
		case next.flag != "":
			a.value = "true"
		case strings.Contains(next.words[0], "="):
			continue
		default:
			a.value = next.words[0]
			i++
		}
		if _, takesArgs := values["args"]; takesArgs && (a.flag == "d" || a.flag == "data") &&
			strings.HasPrefix(strings.TrimSpace(a.value), "{") {
			line = append(line, "--args", a.value)
			continue
		}
		line = append(line, a.flag+"="+a.value)
	}
	return line, before
}
