package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/call"
	"github.com/mcpctl/mcpctl/internal/compare"
	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/source"
)

// mistake is a command line that was refused, as it was typed.
type mistake struct {
	program
	app     *cli.App
	command *cli.Command    // nil = the first word is none
	flags   map[string]bool // of the command, as takesValue has them
	given   []typedWord     // what follows the command
	words   []string        // those of given that are no flags
	err     error
	unknown string   // the name that no server has; empty = another error
	wrong   string   // the one of words that the error is about, and is no server; empty = none
	others  []string // words without it
	item    string   // wrong, or the SOURCE without what the command needs behind it
}

// corrections recognize a mistake each: they return its error with the command line that was meant, nil for
// others. The first one counts.
var corrections = []func(mistake, context.Context) error{
	nothingBehind,
	mistake.notCommand,
	mistake.oldSide,
	mistake.programFile,
	mistake.recordedCalls,
	mistake.pattern,
	mistake.kindOfItems,
	mistake.joined,
	mistake.itemFirst,
	mistake.twoSources,
	mistake.itemAlone,
	mistake.argumentsBehind,
	wholeObject,
	mistake.commit,
	mistake.twoCommands,
	mistake.withoutDashes,
	mistake.quotedCommand,
	mistake.argumentsAsFlags,
}

// corrected returns an error of wrong usage with a better hint, where the command line shows what was meant.
func corrected(ctx context.Context, p program, app *cli.App, err error) error {
	if !errors.As(err, new(exit.UsageError)) || len(p.typed) == 0 {
		return err
	}
	m, known := newMistake(p, app, err), corrections
	if m.command == nil {
		known = []func(mistake, context.Context) error{mistake.serverFirst, fileFirst}
	}
	for _, correction := range known {
		if better := correction(m, ctx); better != nil {
			return better
		}
	}
	return err
}

// newMistake reads the command line that an error is about.
func newMistake(p program, app *cli.App, err error) mistake {
	m := mistake{program: p, app: app, command: app.Command(p.typed[0]), err: err}
	var problem config.Problem
	if errors.As(err, &problem) {
		m.unknown = problem.Unknown
	}
	if m.command == nil {
		return m
	}
	m.flags = takesValue(m.command)
	m.given = argumentsOf(p.typed[1:], m.flags)
	m.Select = selectionOf(m.given)
	m.words = wordsOf(kit.Filter(m.given, func(a typedWord) bool { return a.flag == "" }))
	var file *source.ParseError
	var address source.SchemeError
	isFile, isAddress := errors.As(err, &file), errors.As(err, &address)
	at := slices.IndexFunc(m.words, func(word string) bool {
		return m.unknown != "" && word == m.unknown || isAddress && word == string(address) ||
			isFile && file.Origin == word && isProgramFile(word) ||
			errors.Is(err, compare.ErrOneSide) && (isProgramFile(word) || isCommit(word)) ||
			errors.Is(err, call.ErrNoCalls) && isRecorded(word)
	})
	if at >= 0 {
		m.wrong, m.others = m.words[at], slices.Delete(slices.Clone(m.words), at, at+1)
		m.item = m.wrong
	} else if errors.As(err, new(missingOperand)) && len(m.words) > 0 && p.behind == nil {
		m.item, m.others = m.words[0], m.words[1:]
	}
	return m
}

// configured reports whether a server of that name is configured. Nothing is contacted.
func (m mistake) configured(ctx context.Context, name string) bool {
	return selected(ctx, m.Process, m.Select, name)
}

// meant returns the command line with other words than it had beside its flags.
func (m mistake) meant(words ...string) string { return typedWith(m.program, m.command, words...) }

// dashed returns the words from "--" on; nil without.
func (m mistake) dashed() []string {
	if len(m.behind) == 0 {
		return nil
	}
	return append([]string{"--"}, m.behind...)
}

// takesCommand reports whether a command may have that of a server behind "--".
func takesCommand(c *cli.Command) bool { return strings.Contains(c.ArgsUsage, "[-- CMD") }

// takesOne reports whether a command takes one SOURCE, which comes first.
func takesOne(c *cli.Command) bool { return strings.HasPrefix(c.ArgsUsage, "SOURCE") }

// serverFirst corrects a command line that begins with a server: its command, possibly as another tool calls
// it, goes first.
func (m mistake) serverFirst(ctx context.Context) error {
	server, rest := m.typed[0], m.typed[1:]
	if meaningOf(server) != "" || strings.HasPrefix(server, "-") || !m.configured(ctx, server) {
		return nil
	}
	hint := "mcpctl list " + typedLine(server)
	if len(rest) > 0 && m.behind == nil {
		hint = m.afterCommand(server, rest)
	}
	return exit.UsageHint(hint, "unknown command %q, which is a server", server)
}

// fileFirst corrects a command line that begins with a configuration: --config takes it.
func fileFirst(m mistake, ctx context.Context) error {
	file, command, rest := m.typed[0], "list", []string(nil)
	cfg := configurationOf(ctx, m.Process, fleet.Selection{Files: []string{file}})
	if source.Parse(file).Kind != source.Path || cfg == nil || len(cfg.Names()) == 0 {
		return nil
	}
	if len(m.typed) > 1 {
		if c := m.app.Command(m.typed[1]); c != nil && takesFlag(c, "config", "") {
			command, rest = m.typed[1], m.typed[2:]
		}
	}
	line := slices.Concat([]string{command, "--config", file}, rest, m.dashed())
	return exit.UsageHint("mcpctl "+typedLine(line...), "unknown command %q, which is a configuration", file)
}

// nothingBehind corrects a "--" without a command after it: where a server is named, it is one too many.
func nothingBehind(m mistake, ctx context.Context) error {
	switch {
	case m.behind == nil || len(m.behind) > 0:
		return nil
	case errors.As(m.err, new(unknownFlag)) || errors.As(m.err, new(missingOperand)) || len(m.words) == 0 ||
		source.Parse(m.words[0]).Kind == source.Configured && !m.configured(ctx, m.words[0]):
		return m.err
	}
	return exit.UsageHint("without it: mcpctl "+typedLine(m.typed...), `no command is after "--"`)
}

// afterCommand returns the command line with the server behind the command that follows it.
func (m mistake) afterCommand(server string, rest []string) string {
	c, words := m.app.Command(rest[0]), rest[1:]
	if meaning, ok := strings.CutPrefix(meaningOf(rest[0]), "mcpctl "); ok && c == nil {
		c, words = m.app.Command(strings.Fields(meaning)[0]), strings.Fields(meaning)[1:]
		words = kit.Filter(words, func(word string) bool { return word != "SOURCE" && word != "SERVER" })
	}
	switch {
	case c == nil && strings.HasPrefix(rest[0], "-"):
		return "mcpctl list " + typedLine(m.typed...)
	case c == nil:
		return fmt.Sprintf("mcpctl show %s, or mcpctl list %s", typedLine(m.typed...), typedLine(server))
	case !takesServers.MatchString(c.ArgsUsage):
		return "mcpctl list " + typedLine(server)
	case c.Name == "grep" || c.Name == "accept": // the server is the last word
		return "mcpctl " + typedLine(slices.Concat([]string{c.Name}, words, []string{server})...)
	}
	return "mcpctl " + typedLine(slices.Concat([]string{c.Name, server}, words)...)
}

// oldSide corrects the saved snapshots of a commit as the only SOURCE: they are an old side for all servers.
func (m mistake) oldSide(context.Context) error {
	if !isCommit(m.wrong) || !errors.Is(m.err, compare.ErrOneSide) {
		return nil
	}
	return exit.UsageHint(m.meant("--base", m.wrong), "%w", m.err)
}

// recordedCalls corrects a file of calls in the place of a server.
func (m mistake) recordedCalls(context.Context) error {
	if !isRecorded(m.wrong) || !takesFlag(m.command, "calls", "") {
		return nil
	}
	line := slices.Concat([]string{"--calls", m.wrong}, m.others, m.dashed())
	return exit.UsageHint(m.meant(line...), "%q is not a server but a file", m.wrong)
}

// pattern corrects a pattern of names in the place of a server.
func (m mistake) pattern(context.Context) error {
	if !strings.ContainsAny(m.wrong, "*?") || !takesFlag(m.command, "only", "") || takesOne(m.command) ||
		len(operandsOf(m.command)) > 0 {
		return nil
	}
	line := slices.Concat([]string{"--only", m.wrong}, m.others, m.dashed())
	return exit.UsageHint(m.meant(line...), "%q is not a server but a pattern", m.wrong)
}

// kindOfItems corrects the name of a kind in the place of a server.
func (m mistake) kindOfItems(context.Context) error {
	if is, _ := config.Meant(m.wrong); is != config.KindOfItems {
		return nil
	}
	line := slices.Concat([]string{"--kind", m.wrong}, m.others, m.dashed())
	hint := "mcpctl list " + typedLine(line...)
	if takesFlag(m.command, "kind", "") {
		hint = m.meant(line...)
	}
	return exit.UsageHint(hint, "%q is not a server but a kind of items", m.wrong)
}

// joined corrects a server and its item in one word.
func (m mistake) joined(ctx context.Context) error {
	server, item, is := joinedName(ctx, m.Process, m.Select, m.item)
	switch {
	case !is:
		return nil
	case item == m.item:
		return exit.UsageHint(m.ofItem(server, item), "%q is not a server: the SOURCE comes first", item)
	case m.command.Name == "complete" && isTool(ctx, m.program, item, server):
		return errTool(item)
	}
	return exit.UsageHint(m.ofItem(server, item),
		"%q is not a server, but begins with one: separate it from the item", m.item)
}

// joinedName takes the name of a configured server off a word in which an item follows, as mcporter joins
// them: server.item. A URI of the scheme server:// is an item as a whole. Nothing is contacted.
func joinedName(ctx context.Context, process host.Process, from fleet.Selection, word string) (
	server, item string, joined bool) {
	cfg := configurationOf(ctx, process, from)
	if cfg == nil {
		return "", "", false
	}
	for _, server := range cfg.Names() {
		item, has := strings.CutPrefix(word, server)
		if strings.HasPrefix(item, "://") {
			return server, word, has
		}
		if has && len(item) > 1 && strings.ContainsAny(item[:1], "./:") {
			return server, item[1:], true
		}
	}
	return "", "", false
}

// ofItem returns the command line about an item of a server; one to show it where the command takes none.
func (m mistake) ofItem(server, item string) string {
	if _, behind := usagesOf(m.command); behind == "" {
		return "mcpctl show " + typedLine(server, item)
	}
	line := kit.Filter(m.others, func(other string) bool { return other != server })
	if line = append([]string{item}, line...); m.command.Name == "complete" {
		line = toComplete(line)
	}
	return m.meant(append([]string{server}, line...)...)
}

// itemFirst corrects an item before its server.
func (m mistake) itemFirst(ctx context.Context) error {
	if _, behind := usagesOf(m.command); behind == "" || m.behind != nil || len(m.words) < 2 {
		return nil
	}
	item, server := m.words[0], m.words[1]
	kind := source.Parse(server).Kind
	isAddress := (kind == source.URL || kind == source.Package) &&
		source.Parse(item).Kind == source.Configured &&
		(m.command.Name == "call" || m.command.Name == "prompt") // resources have such URIs
	hint := m.meant(slices.Concat([]string{server, item}, m.words[2:])...)
	switch {
	case item != "" && item == m.item && (isAddress || m.configured(ctx, server)):
		return exit.UsageHint(hint, "%q is not a server: the SOURCE comes first", item)
	case isAddress:
		return exit.UsageHint(hint, "the SOURCE comes first")
	}
	return nil
}

// twoSources corrects a server before the words of a command whose SOURCE is after "--".
func (m mistake) twoSources(ctx context.Context) error {
	needed := len(operandsOf(m.command))
	if m.behind == nil || !takesOne(m.command) || needed == 0 || len(m.words) <= needed {
		return nil
	}
	word := m.words[0]
	if !isBehind(ctx, m.program, word) {
		return nil
	}
	return exit.UsageHint(m.meant(append(m.words[1:], m.dashed()...)...),
		"the SOURCE is the command after --, not %q", word)
}

// isBehind reports whether a word names a server beside the one after "--".
func isBehind(ctx context.Context, p program, word string) bool {
	return len(p.behind) > 0 && word == strings.TrimSuffix(filepath.Base(p.behind[0]), ".exe") ||
		source.Parse(word).Kind == source.URL || selected(ctx, p.Process, p.Select, word)
}

// itemAlone corrects an item of a saved snapshot in the place of its server.
func (m mistake) itemAlone(ctx context.Context) error {
	if m.item == "" {
		return nil
	}
	servers := serversWith(m.savedOf(ctx), kindsOf[m.command.Name], m.item)
	if len(servers) == 0 {
		return nil
	}
	named := kit.Filter(servers, func(s string) bool { return slices.Contains(m.others, s) })
	servers = kit.Distinct(append(named, servers...))
	hint := m.ofItem(servers[0], m.item)
	if _, behind := usagesOf(m.command); behind == "" {
		hint = fmt.Sprintf("for the server: %s; for the item: %s", m.meant(servers[0]), hint)
	}
	return exit.UsageHint(hint, "%q is not a server, but in the saved snapshot of %s", m.item,
		kit.Some(servers))
}

// commit corrects the name of a commit in the place of a server.
func (m mistake) commit(ctx context.Context) error {
	if is, _ := config.Meant(m.unknown); is != config.Commit {
		return nil
	}
	_, missing := source.RepoOf(m.Process).Commit(ctx, m.unknown)
	switch {
	case missing != nil:
		return exit.Misuse(config.NoServer(m.unknown, fmt.Sprintf(", and no commit %q is there", m.unknown),
			"list all servers with mcpctl config"))
	case slices.Contains([]string{"diff", "list", "show", "grep", "check"}, m.command.Name):
		return exit.Misuse(config.NoServer(m.unknown, "", m.withCommits(ctx)))
	}
	// the command needs a server to contact
	hint := "for the snapshots of a commit: mcpctl list " + typedLine("git:"+m.unknown)
	return exit.Misuse(config.NoServer(m.unknown, "", hint))
}

// withCommits returns the hint for a command that has names of commits in the place of servers.
func (m mistake) withCommits(ctx context.Context) string {
	line, words := []string{"mcpctl " + m.typed[0]}, []string{}
	commit := func(word string) string {
		_, err := source.RepoOf(m.Process).Commit(ctx, word)
		isName := source.Parse(word).Kind == source.Configured
		if !isName || err != nil || m.configured(ctx, word) {
			return word
		}
		return "git:" + word
	}
	for _, a := range m.given {
		switch {
		case a.flag == "base":
			line = append(line, "--base "+typedLine(commit(a.value)))
		case a.flag != "":
			line = append(line, typedLine(a.words...))
		default:
			words = append(words, commit(a.words[0]))
		}
	}
	if m.command.Name == "diff" && len(words) == 1 && isCommit(words[0]) && m.behind == nil {
		line = append(line, "--base") // one commit is the old side
	}
	line = append(line, typedLine(words...))
	if m.behind != nil {
		line = append(line, "--", typedLine(m.behind...))
	}
	return "for the snapshots of a commit: " + strings.TrimSpace(strings.Join(line, " "))
}

// argumentsBehind corrects required arguments of a tool or prompt at the end of the command of its server.
func (m mistake) argumentsBehind(context.Context) error {
	var invalid call.InvalidError
	if !errors.As(m.err, &invalid) {
		return nil
	}
	at := len(m.behind)
	for ; at > 1; at-- {
		key, _, given := strings.Cut(m.behind[at-1], "=")
		if !given || !invalid.Lacks(strings.TrimSuffix(key, ":")) {
			break
		}
	}
	if at == len(m.behind) {
		return nil
	}
	line := slices.Concat(m.typed, m.behind[at:], []string{"--"}, m.behind[:at])
	return exit.UsageHint("mcpctl "+typedLine(line...), "%w", m.err)
}

// wholeObject corrects an object of arguments, or a file with one, that --args takes.
func wholeObject(m mistake, _ context.Context) error {
	if _, takes := m.flags["args"]; !takes {
		return nil
	}
	for i, a := range m.given {
		word := a.words[0]
		if a.flag != "" || !strings.HasPrefix(word, "{") && !strings.HasPrefix(word, "@") ||
			m.err.Error() != fmt.Sprintf("invalid argument %q", word) {
			continue
		}
		line := slices.Concat(m.typed[:1], wordsOf(m.given[:i]), []string{"--args"}, wordsOf(m.given[i:]))
		if m.behind != nil {
			line = slices.Concat(line, []string{"--"}, m.behind)
		}
		return exit.UsageHint("mcpctl "+typedLine(line...), "%w", m.err)
	}
	return nil
}

// argumentsAsFlags corrects arguments of a tool that are written as flags.
func (m mistake) argumentsAsFlags(ctx context.Context) error {
	var flag unknownFlag
	kinds, takesItem := kindsOf[m.command.Name]
	if !errors.As(m.err, &flag) || !takesItem || flag == "H" {
		return nil
	}
	named := func(word string) bool {
		return source.Parse(word).Kind != source.Configured || m.configured(ctx, word)
	}
	line, words := withoutUnknown(m.given, m.flags)
	if m.behind != nil {
		line, words = append(line, m.dashed()...), words+1
	} else if words == 1 && !named(m.words[0]) {
		server := append(serversWith(m.savedOf(ctx), kinds, m.words[0]), "SOURCE")[0]
		line, words = append([]string{server}, line...), 2
	}
	if words < 2 { // the SOURCE and the tool
		return nil
	}
	if m.behind == nil && !named(line[0]) && m.configured(ctx, line[1]) {
		line[0], line[1] = line[1], line[0]
	}
	return exit.UsageHint("mcpctl "+typedLine(append(m.typed[:1:1], line...)...),
		"unknown flag: arguments are written as KEY=VALUE, or as one object after --args")
}
