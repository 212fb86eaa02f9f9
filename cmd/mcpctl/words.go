package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/compare"
	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/internal/source"
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
	if strings.HasSuffix(meaning, "after --") && !strings.Contains(c.ArgsUsage, "[-- CMD") ||
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
	masked := redact.MaskArgs(words)
	for i := range masked {
		plain := expression().ReplaceAllString(words[i], "1")
		switch {
		case plain != words[i] && slices.Equal(redact.MaskArgs([]string{plain}), []string{plain}):
			masked[i] = words[i] // a URI template
		case strings.HasPrefix(masked[i], "--args="):
			masked[i] = "--args=JSON"
		case i > 0 && masked[i-1] == "--args" && !strings.HasPrefix(masked[i], "@") && masked[i] != "-":
			masked[i] = "JSON"
		}
	}
	return strings.Join(kit.Map(masked, printable.ShellWord), " ")
}

// expression matches the variables in a URI template (RFC 6570).
var expression = kit.Pattern(`\{[+#./;?&]?[A-Za-z_][\w,.*:]{0,30}\}`)

// typedWith returns the command line that was typed with other words than it had beside its flags.
func typedWith(p program, c *cli.Command, words ...string) string {
	flags := kit.Filter(argumentsOf(p.typed[1:], takesValue(c)),
		func(a typedWord) bool { return a.flag != "" })
	return "mcpctl " + typedLine(slices.Concat(p.typed[:1], wordsOf(flags), words)...)
}

// corrected returns an error of wrong usage with a better hint, where the arguments show what was wanted: a
// program without "--" before it, or the arguments of a tool written as flags.
func corrected(ctx context.Context, p program, app *cli.App, err error) error {
	if !errors.As(err, new(exit.UsageError)) || len(p.typed) == 0 {
		return err
	}
	if word := p.typed[0]; app.Command(word) == nil && meaningOf(word) == "" &&
		configured(ctx, p.Process, nil, word) {
		return exit.UsageHint(afterCommand(app, p, word), "unknown command %q, which is a server", word)
	}
	command := app.Command(p.typed[0])
	if command == nil {
		return err
	}
	values, says := takesValue(command), err.Error()
	given := argumentsOf(p.typed[1:], values)
	if better := notCommand(ctx, p, command, given); better != nil || len(given) == 0 {
		return cmp.Or(better, err)
	}
	if better := misnamed(ctx, p, command, given, err); better != nil {
		return better
	}
	if better := argumentsBehind(p, command, err); better != nil {
		return better
	}
	unknown := strings.HasPrefix(says, "unknown flag")
	if found := unknownServer().FindStringSubmatch(says); found != nil {
		ref, isCommit := strings.CutPrefix(config.Meant(found[1]), "for the snapshots of a commit: git:")
		_, missing := source.RepoOf(p.Process).Commit(ctx, ref)
		switch {
		case isCommit && missing != nil:
			return exit.UsageHint("list all servers with mcpctl config", "%s, and no commit %q is there",
				found[0], ref)
		case isCommit && slices.Contains([]string{"diff", "list", "show", "grep", "check"}, command.Name):
			return exit.UsageHint(withCommits(ctx, p, given), "%s", found[0])
		case isCommit: // the command needs a server to contact
			return exit.UsageHint("for the snapshots of a commit: mcpctl list "+typedLine("git:"+ref),
				"%s", found[0])
		}
	}
	first := slices.IndexFunc(given, func(a typedWord) bool { return a.flag == "" })
	takesCommand := strings.Contains(command.ArgsUsage, "[-- CMD")
	if better := twoCommands(ctx, p, command, given, first); better != nil {
		return better
	}
	if takesCommand && first >= 0 && first+1 < len(given) && p.behind == nil {
		word, next := given[first].words[0], given[first+1].words[0]
		suspect := unknown || strings.Contains(says, fmt.Sprintf("%q", word)) || script().MatchString(next)
		if suspect && config.IsProgram(word) && !configured(ctx, p.Process, given, word) {
			line := slices.Concat(p.typed[:1], wordsOf(given[:first]), operandsOf(command), []string{"--"},
				wordsOf(given[first:]))
			return exit.UsageHint("mcpctl "+typedLine(line...),
				`%q is a program: write "--" before the command of a server`, word)
		}
	}
	if better := commandInWord(ctx, p, command, given, err); better != nil {
		return better
	}
	if _, takesItem := kindsOf[command.Name]; unknown && takesItem && !strings.Contains(says, "flag -H") {
		line, words := withoutUnknown(given, values)
		if p.behind != nil {
			line, words = append(append(line, "--"), p.behind...), words+1
		} else if item := given[max(first, 0)].words[0]; words == 1 &&
			source.Parse(item).Kind == source.Configured && !configured(ctx, p.Process, given, item) {
			server := append(serversWith(p.savedOf(ctx), kindsOf[command.Name], item), "SOURCE")[0]
			line, words = append([]string{server}, line...), 2
		}
		if p.behind == nil && words >= 2 && !configured(ctx, p.Process, given, line[0]) &&
			configured(ctx, p.Process, given, line[1]) && source.Parse(line[0]).Kind == source.Configured {
			line[0], line[1] = line[1], line[0]
		}
		if words >= 2 { // the SOURCE and the tool
			return exit.UsageHint("mcpctl "+typedLine(append(p.typed[:1:1], line...)...),
				"unknown flag: arguments are written as KEY=VALUE, or as one object after --args")
		}
	}
	return err
}

// argumentsBehind returns the error for required arguments of a tool or prompt that were given to the server,
// at the end of its command line; nil for other errors.
func argumentsBehind(p program, c *cli.Command, err error) error {
	at := len(p.behind)
	for at > 1 {
		key, _, given := strings.Cut(p.behind[at-1], "=")
		missing := "\n  " + strings.TrimSuffix(key, ":") + " is required but missing"
		if !given || !strings.Contains(err.Error(), missing) {
			break
		}
		at--
	}
	if kindsOf[c.Name] == nil || at == len(p.behind) {
		return nil
	}
	line := slices.Concat(p.typed, p.behind[at:], []string{"--"}, p.behind[:at])
	return exit.UsageHint("mcpctl "+typedLine(line...), "%w", err)
}

// afterCommand returns the hint for a command line that begins with a server: its command, possibly as
// another tool calls it, goes first.
func afterCommand(app *cli.App, p program, server string) string {
	rest := p.typed[1:]
	if len(rest) == 0 || p.behind != nil {
		return "mcpctl list " + typedLine(server)
	}
	c, words := app.Command(rest[0]), rest[1:]
	if meaning, ok := strings.CutPrefix(meaningOf(rest[0]), "mcpctl "); ok && c == nil {
		c, words = app.Command(strings.Fields(meaning)[0]), strings.Fields(meaning)[1:]
		words = kit.Filter(words, func(word string) bool { return word != "SOURCE" && word != "SERVER" })
	}
	switch {
	case c == nil && strings.HasPrefix(rest[0], "-"):
		return "mcpctl list " + typedLine(p.typed...)
	case c == nil:
		return fmt.Sprintf("mcpctl show %s, or mcpctl list %s", typedLine(p.typed...), typedLine(server))
	case !takesServers.MatchString(c.ArgsUsage):
		return "mcpctl list " + typedLine(server)
	case c.Name == "grep" || c.Name == "accept": // the server is the last word
		return "mcpctl " + typedLine(slices.Concat([]string{c.Name}, words, []string{server})...)
	}
	return "mcpctl " + typedLine(slices.Concat([]string{c.Name, server}, words)...)
}

// unknownServer matches the error for a name that no server has.
var unknownServer = kit.Pattern(`^no server "([^"\n]+)" is configured`)

// withCommits returns the hint for a command that has names of commits in the place of servers.
func withCommits(ctx context.Context, p program, given []typedWord) string {
	line, words := []string{"mcpctl " + p.typed[0]}, []string{}
	commit := func(word string) string {
		_, err := source.RepoOf(p.Process).Commit(ctx, word)
		isName := source.Parse(word).Kind == source.Configured
		if !isName || err != nil || configured(ctx, p.Process, given, word) {
			return word
		}
		return "git:" + word
	}
	for _, a := range given {
		switch {
		case a.flag == "base":
			line = append(line, "--base "+typedLine(commit(a.value)))
		case a.flag != "":
			line = append(line, typedLine(a.words...))
		default:
			words = append(words, commit(a.words[0]))
		}
	}
	if p.typed[0] == "diff" && len(words) == 1 && strings.HasPrefix(words[0], "git:") && p.behind == nil {
		line = append(line, "--base") // one commit is the old side
	}
	line = append(line, typedLine(words...))
	if p.behind != nil {
		line = append(line, "--", typedLine(p.behind...))
	}
	return "for the snapshots of a commit: " + strings.TrimSpace(strings.Join(line, " "))
}

// twoCommands returns the error for diff with two command lines, the first without quotes: it
// begins with the argument at first; nil for other errors.
func twoCommands(ctx context.Context, p program, c *cli.Command, given []typedWord, first int) error {
	if c.Name != "diff" || first < 0 || first+1 >= len(given) {
		return nil
	}
	word, end, second := given[first].words[0], len(given), p.behind
	if p.behind == nil {
		again := func(a typedWord) bool { return a.words[0] == word }
		if end = first + 2 + slices.IndexFunc(given[min(first+2, len(given)):], again); end == first+1 {
			return nil
		}
		second = wordsOf(given[end:])
	}
	if !config.IsProgram(word) || configured(ctx, p.Process, given, word) {
		return nil
	}
	quoted := "-- " + typedLine(wordsOf(given[first:end])...)
	line := slices.Concat(p.typed[:1], wordsOf(given[:first]), []string{quoted, "--"}, second)
	return exit.UsageHint("mcpctl "+typedLine(line...),
		`%q is a program: write the command of the old side in quotes, that of the new one after "--"`, word)
}

// commandInWord returns the error for a server that is named by a program in PATH, possibly with arguments;
// nil for other errors.
func commandInWord(ctx context.Context, p program, c *cli.Command, given []typedWord, err error) error {
	found := unknownServer().FindStringSubmatch(err.Error())
	var file *fs.PathError // a command line with a path in it is read as one
	if errors.As(err, &file) && strings.Contains(file.Path, " ") && errors.Is(err, fs.ErrNotExist) {
		found = []string{fmt.Sprintf("no server %q is configured", file.Path), file.Path}
	}
	if found == nil || p.behind != nil && c.Name != "diff" || !strings.Contains(c.ArgsUsage, "[-- CMD") {
		return nil
	}
	takesOne := strings.HasPrefix(c.ArgsUsage, "SOURCE")
	isCommand := func(word string) bool {
		program := append(strings.Fields(word), "")[0]
		kind := source.Parse(word).Kind
		isPath := kind == source.Path && program != word && !files.Exists(word)
		if kind != source.Configured && !isPath || configured(ctx, p.Process, given, word) {
			return false
		}
		_, err := process.Tool(program, p.Environ)
		return err == nil
	}
	isWord := !strings.Contains(found[1], " ")
	if isWord && config.Meant(found[1]) != "" || !isCommand(found[1]) {
		return nil
	}
	line, words := p.typed[:1:1], []string{}
	for _, a := range given {
		switch {
		case a.flag == "base" && isCommand(a.value):
			line = append(line, "--base", "-- "+a.value)
		case a.flag != "":
			line = append(line, a.words...)
		case isCommand(a.words[0]) && (len(words) == 0 || !takesOne):
			words = append(words, "-- "+a.words[0])
		default:
			words = append(words, a.words...)
		}
	}
	if takesOne && len(words) <= len(operandsOf(c)) {
		return nil // the item is missing
	}
	if at := len(words) - 1; p.behind != nil {
		words = slices.Concat(words, []string{"--"}, p.behind)
	} else if takesOne && at >= 0 {
		words = slices.Concat(words[1:], []string{"--"}, strings.Fields(words[0])[1:])
	} else if at >= 0 && strings.HasPrefix(words[at], "-- ") { // the last one needs no quotes
		words = slices.Concat(words[:at], []string{"--"}, strings.Fields(words[at])[1:])
	}
	line = append(line, words...)
	return exit.UsageHint("for the program: mcpctl "+typedLine(line...), "%s", found[0])
}

// notCommand returns the error for the command of a server where only names of servers are taken; nil for
// other arguments.
func notCommand(ctx context.Context, p program, c *cli.Command, given []typedWord) error {
	if !takesServers.MatchString(c.ArgsUsage) || strings.Contains(c.ArgsUsage, "[-- CMD") {
		return nil
	}
	line := p.behind
	for i, a := range given {
		switch word := a.words[0]; {
		case line != nil || a.flag != "" || configured(ctx, p.Process, given, word):
		case isProgramFile(word):
			line = launched(word)
		case source.Launcher(word) != nil:
			return exit.UsageHint("list all servers with mcpctl config",
				"no server %q is configured, and no such file exists", word)
		case i+1 < len(given) && config.IsProgram(word):
			line = wordsOf(given[i:])
		}
	}
	if line == nil {
		return nil
	}
	switch hint := "mcpctl list -- " + typedLine(line...); c.Name {
	case "trust":
		return exit.UsageHint(hint, "a command on the command line needs no trust")
	case "config":
		return exit.UsageHint(hint, "config shows configured servers, not a command")
	}
	return exit.Usagef("only servers at a URL have logins: %s takes no command", c.Name)
}

// misnamed returns the error for an argument in the place of a server that is something else: a program, a
// pattern of names, recorded calls, or an item of a saved snapshot; nil for other errors.
func misnamed(ctx context.Context, p program, c *cli.Command, given []typedWord, err error) error {
	says, oneSide := err.Error(), errors.Is(err, compare.ErrOneSide)
	words := wordsOf(kit.Filter(given, func(a typedWord) bool { return a.flag == "" }))
	at := slices.IndexFunc(words, func(word string) bool {
		return strings.HasPrefix(says, fmt.Sprintf("no server %q is configured", word)) ||
			strings.HasPrefix(says, word+" is a program, not") ||
			says == fmt.Sprintf("%q is not an http:// or https:// URL", word) ||
			oneSide && (isProgramFile(word) || source.Parse(word).Kind == source.Git) ||
			says == "no calls to send" && isRecorded(word)
	})
	if at < 0 {
		return nil
	}
	word, others := words[at], slices.Delete(slices.Clone(words), at, at+1)
	var behind []string
	if p.behind != nil {
		behind = append([]string{"--"}, p.behind...)
	}
	switch {
	case oneSide && !isProgramFile(word): // the saved snapshots of a commit are an old side for all servers
		return exit.UsageHint(typedWith(p, c, "--base", word), "%w", err)
	case isProgramFile(word) && p.behind == nil && strings.Contains(c.ArgsUsage, "[-- CMD"):
		if len(others) == 1 && c.Name == "diff" && isProgramFile(others[0]) {
			others = []string{"--base", "-- " + typedLine(launched(others[0])...)}
			if at == 0 {
				others[1], word = "-- "+typedLine(launched(word)...), words[1]
			}
		}
		return exit.UsageHint(typedWith(p, c, slices.Concat(others, []string{"--"}, launched(word))...),
			"%s is a program: write the command that starts it after --", word)
	case isRecorded(word) && takesFlag(c, "calls", ""):
		line := slices.Concat([]string{"--calls", word}, others, behind)
		return exit.UsageHint(typedWith(p, c, line...), "%q is not a server but a file", word)
	case strings.ContainsAny(word, "*?") && takesFlag(c, "only", "") && len(operandsOf(c)) == 0 &&
		!strings.HasPrefix(c.ArgsUsage, "SOURCE"):
		return exit.UsageHint(typedWith(p, c, slices.Concat([]string{"--only", word}, others, behind)...),
			"%q is not a server but a pattern", word)
	}
	if strings.HasPrefix(config.Meant(word), "for items of one kind") {
		line := slices.Concat([]string{"--kind", word}, others, behind)
		if takesFlag(c, "kind", "") {
			return exit.UsageHint(typedWith(p, c, line...), "%q is not a server but a kind of items", word)
		}
		return exit.UsageHint("mcpctl list "+typedLine(line...), "%q is not a server but a kind of items",
			word)
	}
	if _, takesOne := usagesOf(c); takesOne != "" && at == 0 && p.behind == nil && len(others) > 0 &&
		configured(ctx, p.Process, given, others[0]) {
		line := append([]string{others[0], word}, others[1:]...)
		return exit.UsageHint(typedWith(p, c, line...), "%q is not a server: the SOURCE comes first", word)
	}
	return itemNamed(ctx, p, c, word, others)
}

// itemNamed returns the error for a word in the place of a server that is an item of a saved snapshot; nil
// for other words.
func itemNamed(ctx context.Context, p program, c *cli.Command, word string, others []string) error {
	servers := serversWith(p.savedOf(ctx), nil, word)
	if len(servers) == 0 {
		return nil
	}
	hint := fmt.Sprintf("for the server: %s; for the item: mcpctl show %s", typedWith(p, c, servers[0]),
		typedLine(servers[0], word))
	named := kit.Filter(servers, func(s string) bool { return slices.Contains(others, s) })
	servers = kit.Distinct(append(named, servers...))
	others = kit.Filter(others, func(other string) bool { return other != servers[0] })
	if c.Name == "show" {
		hint = typedWith(p, c, slices.Concat([]string{servers[0], word}, others)...)
	}
	return exit.UsageHint(hint, "%q is not a server, but in the saved snapshot of %s", word,
		kit.Some(servers))
}

// isProgramFile reports whether an argument is a file that an interpreter runs.
func isProgramFile(word string) bool { return source.Launcher(word) != nil && files.Exists(word) }

// launched returns the command line that runs a file.
func launched(file string) []string { return append(source.Launcher(file), file) }

// isRecorded reports whether an argument is a file of recorded calls, by its name.
func isRecorded(word string) bool {
	return strings.HasSuffix(word, ".jsonl") || strings.HasSuffix(word, ".ndjson") ||
		files.Exists(word) && !files.IsDir(word) && !strings.HasSuffix(word, ".json")
}

func wordsOf(given []typedWord) []string {
	return slices.Concat(kit.Map(given, func(a typedWord) []string { return a.words })...)
}

// configured reports whether a server of that name is configured, with some flags of a command line. Nothing
// is contacted.
func configured(ctx context.Context, process host.Process, flags []typedWord, name string) bool {
	from := fleet.Selection{}
	for _, f := range flags {
		switch f.flag {
		case "config", "c":
			from.Files = append(from.Files, f.value)
		case "discover":
			from.Discover = true
		}
	}
	return selected(ctx, process, from, name)
}

// selected reports whether a server of that name is among the configured ones. Nothing is contacted.
func selected(ctx context.Context, process host.Process, from fleet.Selection, name string) bool {
	process.Quiet, process.In = true, strings.NewReader("") // --config - is not read again
	cfg, _ := fleet.Read(ctx, process, from)
	return cfg != nil && slices.Contains(cfg.Names(), name)
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
