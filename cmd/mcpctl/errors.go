package main

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// The mistakes in a command line that commands themselves find, each with what to do next where the message
// alone does not say it.

var (
	errNoPattern = exit.UsageHint("mcpctl grep PATTERN [SOURCE…]", "specify a pattern")
	errNoServer  = exit.UsageHint("mcpctl show SOURCE [ITEM…]; list servers with mcpctl list",
		"specify a server")
	errManArgument = exit.UsageHint("mcpctl man | man -l -", "man takes no argument")
	errVersionArgs = exit.UsageHint("mcpctl version --help", "version takes no argument")
	errReportFile  = exit.UsageHint("mcpctl report --help",
		"report takes one file that --format json wrote, or - for standard input")
	errNoShards   = exit.UsageHint(mergeHint, "merge takes the reports of all shards, or their directory")
	errNoCommands = exit.Usagef("specify names of configured servers") // notCommand says more
	errTrustFlags = exit.Usagef("specify only one of --list, --revoke, --dry-run")
	errTrustAll   = exit.UsageHint("mcpctl trust --revoke --all",
		"--all goes with --revoke, and without names")
	errRevoke = exit.UsageHint("forget every agreement with --revoke --all",
		"the configuration could not be read")
	errLoginStatus = exit.Usagef("--status takes names of servers")
)

const mergeHint = "name the files that --shard I/N --report json=FILE wrote, or their directory"

// errUnknownCommand returns the error for words that do not begin with a command: possibly with a SOURCE, a
// program, or a typing error.
func errUnknownCommand(app *cli.App, words ...string) error {
	word := words[0]
	hint := `see "mcpctl --help"`
	if meaning := meaningOf(word); meaning != "" {
		hint = advised(meaning)
	} else if config.IsProgram(word) {
		hint = "mcpctl list -- " + typedLine(words...)
	} else if source.Parse(word).Kind != source.Configured {
		_, err := source.ParseAll([]string{word}, nil)
		isFile := source.Parse(word).Kind == source.Path
		if err == nil && word != "-" && (!isFile || files.Exists(word)) {
			hint = "mcpctl list " + typedLine(word)
		}
	} else if similar := kit.Nearest(word, commandNames(app)); len(similar) > 0 {
		hint = fmt.Sprintf("did you mean %q?", "mcpctl "+similar[0]+neededBy(app.Command(similar[0])))
	}
	return exit.UsageHint(hint, "unknown command %q", redact.MaskArgs(words)[0])
}

// commandNames returns the names of the commands that the help shows; no letter.
func commandNames(app *cli.App) (names []string) {
	for _, c := range app.VisibleCommands() {
		names = append(names, kit.Filter(c.Names(), func(name string) bool { return len(name) > 1 })...)
	}
	return names
}

// errUsage returns an error of the flag package, with the flag as it is written and a similar one as hint.
func errUsage(c *cli.Context, err error, _ bool) error {
	hint := "see " + c.Command.HelpName + " --help"
	text := dashed.ReplaceAllString(err.Error(), "$1--$2")
	if found := flagIn().FindStringSubmatch(text); found != nil {
		hint = "see " + helpOf(c.Command, found[1])
	}
	if flag, unknown := strings.CutPrefix(text, "flag provided but not defined: "); unknown {
		var known []string
		for _, f := range c.Command.VisibleFlags() {
			known = append(known, f.Names()[0])
		}
		name := strings.TrimLeft(flag, "-")
		similar := kit.Filter(kit.Nearest(name, known), func(k string) bool {
			widens := slices.Contains([]string{"allow-scripts", "inherit-env", "trust", "yes"}, k)
			return kit.FewEdits(name, k) && !insideWord(name, k) &&
				(!widens || strings.HasPrefix(name, k[:min(5, len(k))]))
		})
		if meaning := flagFor(c.Command, flag); meaning != "" {
			hint = advised(meaning)
		} else if meaning := meaningOf(flag); c.Command.Name == c.App.Name &&
			strings.HasPrefix(meaning, "--format ") {
			hint = fmt.Sprintf("write %s after the command", meaning)
		} else if others := commandsWith(c.App, name); len(others) > 0 && c.Command.Name == c.App.Name {
			hint = fmt.Sprintf("write %s after the command", dashes(name))
		} else if len(others) > 0 && len(similar) == 0 {
			hint = fmt.Sprintf("%s is a flag of %s", dashes(name), kit.And(others, 3))
		} else if len(similar) > 0 {
			hint = fmt.Sprintf("did you mean %q? see %s", "--"+similar[0], helpOf(c.Command, similar[0]))
		}
		return exit.UsageHint(hint, "%w", unknownFlag(name))
	}
	return exit.UsageHint(hint, "%s", strings.Replace(text, ": parse error", ": not true or false", 1))
}

// unknownFlag is the error for a flag that a command has not, without dashes.
type unknownFlag string

// Error names the flag as it is written.
func (f unknownFlag) Error() string { return "unknown flag " + dashes(string(f)) }

// flagIn finds the flag in a message about its value.
var flagIn = kit.Pattern(`(?: for flag | for |argument: )--?([A-Za-z][\w-]*)(?:$|:)`)

// helpOf returns the command that shows a flag of a command: its help leaves those out that commands share.
func helpOf(c *cli.Command, flag string) string {
	for _, f := range c.Flags {
		if grouped, ok := f.(cli.CategorizableFlag); ok && slices.Contains(f.Names(), flag) &&
			grouped.GetCategory() != "" {
			return "mcpctl options"
		}
	}
	return c.HelpName + " --help"
}

// insideWord reports whether a name is a part of a word of a longer one, such as all in parallel.
func insideWord(name, longer string) bool {
	at := strings.Index(longer, name)
	return at > 0 && !strings.Contains(longer, "-"+name) && !kit.OneEdit(name, longer)
}

// commandsWith returns the names of the commands that have a flag.
func commandsWith(app *cli.App, flag string) (names []string) {
	for _, c := range app.VisibleCommands() {
		if slices.ContainsFunc(c.Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), flag) }) {
			names = append(names, c.Name)
		}
	}
	return names
}

// dashes returns a flag as it is written: one letter behind one dash, also with a number, as in -U3.
func dashes(name string) string {
	if len(name) == 1 || shortFlag().MatchString(name) {
		return "-" + name
	}
	return "--" + name
}

// shortFlag matches a letter with a number.
var shortFlag = kit.Pattern(`^[A-Za-z][0-9]+$`)

// dashed finds a flag in a message of the flag package, which writes one dash.
var dashed = regexp.MustCompile(`( for flag | for |argument: |defined: )-(\w[\w-]+)`)

// errNoCommand returns the error for a command line after "--" without a command of mcpctl.
func errNoCommand(behind []string) error {
	return exit.UsageHint("mcpctl list -- "+typedLine(behind...), "no command given")
}

// errSecondCommand returns the error for a command of a server that goes on with another one after a second
// "--"; nil for other command lines, as wrappers take "--" themselves.
func errSecondCommand(p program, app *cli.App) error {
	at := slices.Index(p.behind, "--")
	if at < 1 || at+1 == len(p.behind) || len(p.typed) == 0 || app.Command(p.typed[0]) == nil {
		return nil
	}
	first, second := p.behind[:at], p.behind[at+1:]
	isPath := func(word string) bool { return strings.ContainsAny(word, `/\`) && files.Exists(word) }
	if process.ProgramName(first[0]) != process.ProgramName(second[0]) &&
		!(isPath(first[0]) && isPath(second[0])) {
		return nil
	}
	line := slices.Concat(p.typed, []string{"-- " + typedLine(first...), "--"}, second)
	return exit.UsageHint("mcpctl "+typedLine(line...),
		`one command goes after "--", and that of another server into quotes`)
}

// errFileIsFormat returns the error for -o with a format, as kubectl has it, or with a format and a file; nil
// for other values.
func errFileIsFormat(c *cli.Command, value string) error {
	name, file, pair := strings.Cut(value, "=")
	flags := cmp.Or(meaningOf("-o="+name), "--format "+formatNamed(name))
	format, isFormat := strings.CutPrefix(flags, "--format ")
	known := slices.Concat(report.Formats(), resultFormats())
	if isFormat && !slices.Contains(known, format) {
		return nil
	}
	hint := fmt.Sprintf("for the file: -o %s", printable.ShellWord("./"+value))
	switch flag, _, _ := strings.Cut(strings.TrimPrefix(flags, "--"), " "); {
	case !takesFlag(c, flag, format):
	case pair && isFormat && meaningOf("-o="+name) == "" && file != "":
		hint = fmt.Sprintf("use %s -o %s", flags, printable.ShellWord(file))
	default:
		hint = fmt.Sprintf("use %s, or -o %s for the file", flags, printable.ShellWord("./"+value))
	}
	return exit.UsageHint(hint, "-o %s would write a file named %q", value, value)
}

// errFingerprint returns the error of accept for words without a fingerprint: servers, or something else,
// such as the name of a tool or of a rule.
func errFingerprint(p program, c *cli.Context, words, servers []string) error {
	typed := func(words ...string) string {
		if p.behind != nil {
			words = slices.Concat(words, []string{"--"}, p.behind)
		}
		return typedWith(p, c.Command, words...)
	}
	at := slices.IndexFunc(words, func(word string) bool {
		return source.Parse(word).Kind == source.Configured && !slices.Contains(servers, word)
	})
	if at < 0 {
		return exit.UsageHint("all changes: "+typed(append([]string{"--all"}, words...)...),
			"specify which changes of %s to accept: fingerprints, --tool, --rule or --all", kit.Some(words))
	}
	word, others := words[at], slices.Delete(slices.Clone(words), at, at+1)
	ofTool := "the changes of a tool: " + typed(append([]string{"--tool", word}, others...)...)
	hint := `specify fingerprints (see "mcpctl diff"), --tool NAME, --rule ID, or --all SOURCE`
	if slices.Contains(seen.AllRuleIDs(), word) {
		hint = "the changes of a rule: " + typed(append([]string{"--rule", word}, others...)...)
	} else if len(serversWith(p.savedOf(c.Context), []snapshot.Kind{snapshot.Tools}, word)) > 0 {
		hint = ofTool
	} else if similar := kit.Nearest(word, servers); len(similar) > 0 {
		hint = fmt.Sprintf("did you mean %q?", similar[0])
	} else if word == "all" {
		hint = "all changes: " + typed(append([]string{"--all"}, others...)...)
	} else if !hexadecimal().MatchString(word) { // possibly a new tool
		hint = ofTool
	}
	return exit.UsageHint(hint, "invalid fingerprint %q", redact.MaskArgs([]string{word})[0])
}

// hexadecimal matches what could be a fingerprint.
var hexadecimal = kit.Pattern(`^[0-9A-Fa-f]+$`)

// errItemAlone returns the error for one word that names no server, where a command wants a SOURCE and what
// it offers.
func errItemAlone(c *cli.Command, what, word string) error {
	usage, _ := usagesOf(c)
	return exit.Misuse(config.NoServer(word, ": specify a SOURCE, then "+what,
		fmt.Sprintf("mcpctl %s %s", c.Name, usage)))
}

// errOperand returns the error for a command that lacks what it needs behind the SOURCE.
func errOperand(c *cli.Command, what string, named []string, command bool) error {
	message := "specify " + what
	switch {
	case command:
		message += " before --"
	case len(named) == 1:
		message += fmt.Sprintf(" after the SOURCE %q", named[0])
	}
	usage, behind := usagesOf(c)
	hint := fmt.Sprintf("mcpctl %s %s; see what it offers with mcpctl list SOURCE", c.Name, usage)
	if command {
		hint = fmt.Sprintf("mcpctl %s %s; see what it offers with mcpctl list -- CMD ARG…", c.Name, behind)
	}
	return exit.UsageHint(hint, "%w", missingOperand(message))
}

// missingOperand is the error for a command that lacks what it needs behind the SOURCE.
type missingOperand string

// Error returns the message.
func (m missingOperand) Error() string { return string(m) }

// usagesOf returns the arguments of a command that takes one SOURCE, with it and with a command after "--" in
// its place; the second is empty for other commands.
func usagesOf(c *cli.Command) (named, behind string) {
	const command = " [-- CMD ARG…]"
	named, takes := strings.CutSuffix(c.ArgsUsage, command)
	if words, one := strings.CutPrefix(named, "SOURCE"); takes && one {
		return named, strings.TrimSpace(words + " -- CMD ARG…")
	}
	return c.ArgsUsage, ""
}

// errPingSaved returns the error for a SOURCE of ping that is not a server.
func errPingSaved(s source.Source) error {
	return exit.UsageHint("name a server; show what is saved with mcpctl list "+typedLine(s.String()),
		"%s is saved: there is nothing to contact", s)
}

// errPattern returns the error for a regular expression that does not compile.
func errPattern(err error) error { return exit.Usagef("invalid pattern: %w", err) }

// errCI returns the error for a CI system that init does not know.
func errCI(name string) error {
	return exit.UsageHint("use --ci github or --ci gitlab", "unknown CI system %q", name)
}

// errInitSecret returns the error for a secret that would be committed with mcpctl.yaml.
func errInitSecret(shown string, url bool) error {
	hint := "write '${NAME}' in its place, and set NAME in the environment"
	if url { // with a variable it is not one yet
		hint = "write the server to .mcp.json with ${NAME} in its place, and run mcpctl init"
	}
	return exit.UsageHint(hint,
		"init writes the server to "+projectFile+", and a part of it looks like a secret: %s", shown)
}

// errProjectExists returns the error for a project that is set up already, possibly with a workflow.
func errProjectExists(p program, ci string) error {
	hint, file := "add servers to it by hand", githubFile
	if ci == "gitlab" {
		file = gitlabFile
	}
	if !has(p.Dir, file) {
		hint += ", or a workflow: mcpctl init --ci " + cmp.Or(ci, "github")
	}
	return exit.UsageHint(hint, "%s already exists", projectFile)
}

// errWorkflowExists returns the error for a workflow that init would overwrite.
func errWorkflowExists(path string) error {
	return exit.UsageHint("add the steps of docs/ci.md to it, or remove it", "%s already exists", path)
}

// errShell returns the error for anything but one shell.
func errShell(words, shells []string) error {
	hint := ""
	if similar := kit.Nearest(append(words, "")[0], shells); len(similar) > 0 {
		hint = fmt.Sprintf("did you mean %q?", "mcpctl completion "+similar[0])
	}
	return exit.UsageHint(hint, "specify one shell: %s", strings.Join(shells, ", "))
}

// errOneServer returns the error for a login at anything but one server.
func errOneServer(command string) error {
	return exit.Usagef("%s takes one server: a configured name, or a URL", command)
}

// errManyServers returns the error for a word that names several servers where a command takes one.
func errManyServers(word string, n int) error {
	return exit.UsageHint("name one", "%q names %d servers", word, n)
}

// errNoShard returns the error for a report of a shard that does not exist.
func errNoShard(file string) error {
	return exit.UsageHint(mergeHint, "%s does not exist", file)
}

// errNoReport returns the error for a report that does not exist.
func errNoReport(err error) error {
	hint := "mcpctl check --report json=FILE writes a report, and so do diff and list"
	return exit.UsageHint(hint, "%w", err)
}

// errUnknownRule returns the error for an id that is not among the known ones.
func errUnknownRule(id string, known []string) error {
	return exit.UsageHint(cmp.Or(kit.Suggest(id, known), "list them with mcpctl rules"),
		"unknown rule %q", id)
}

// printError prints an error that no report has shown yet, a line for each cause, and what to do.
func printError(p program, err error) {
	// EPIPE: the reader has gone
	if err == nil || errors.As(err, new(exit.Code)) || errors.Is(err, syscall.EPIPE) {
		return
	}
	text := withTypedMasked(p, strings.TrimSpace(err.Error()))
	hint := withTypedMasked(p, exit.HintOf(err))
	columns, before := host.Width(p.Err), beforeDashes(p, text)
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, "hint: ") && before != "" {
			line = "hint: " + before
		} else if strings.HasPrefix(line, "hint: ") {
			line = completed(p, line)
		} else if !strings.HasPrefix(line, " ") {
			line = "error: " + line
		}
		fmt.Fprintln(p.Err, report.Message(line, columns))
	}
	if hint != "" && !strings.Contains(text, hint) {
		hint = completed(p, hint)
		if namedCommand().MatchString(hint) && strings.Contains(hint, redact.Mask) &&
			!strings.Contains(hint, "your secret") {
			hint += ", with your secret for " + redact.Mask
		}
		fmt.Fprintln(p.Err, report.Message("hint: "+hint, columns))
	}
}

// withTypedMasked returns a text in which each word of the command line that looks secret is masked,
// whichever error repeats it.
func withTypedMasked(p program, text string) string {
	for _, word := range slices.Concat(p.typed, p.behind) {
		if _, value, assigned := strings.Cut(word, "="); assigned && strings.HasPrefix(word, "-") {
			word = value
		}
		if shown := redact.MaskTokens(withoutSecrets(word)[0]); shown != word {
			text = strings.ReplaceAll(text, word, shown)
		}
	}
	return text
}
