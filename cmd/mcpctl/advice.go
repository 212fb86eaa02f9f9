package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
)

// repeated are the flags that an advised command repeats, since without them it would be about other servers
// or other changes; of those that may hold a secret, only the name before their separator.
var repeated = map[string]string{
	"config": "", "c": "", "discover": "", "only": "", "trust": "", "snapshots": "", "inherit-env": "",
	"allow-scripts": "", "sandbox": "", "protocol": "", "client-capabilities": "", "ca-cert": "",
	"env": "=", "header": ":", "bearer": "cmd:",
}

// repeatedFlags returns the flags of a command line that advised commands repeat, quoted and without secrets,
// those that choose what counts as a change, and whether a secret was hidden.
func repeatedFlags(p program, c *cli.Command) (flags []typedWord, compare []string, hidden bool) {
	for _, a := range argumentsOf(p.typed, takesValue(c)) {
		separator, known := repeated[a.flag]
		switch {
		case a.flag == "semantics":
			compare = a.words
			continue
		case !known:
			continue
		}
		a.words = []string{strings.Repeat("-", 1+min(len(a.flag)-1, 1)) + a.flag}
		if shown, _, secret := strings.Cut(a.value, separator); separator != "" && secret {
			a.value, hidden = shown+secretPlaceholders[separator], true
		}
		if a.given {
			a.words = append(a.words, printable.ShellWord(a.value))
		}
		flags = append(flags, a)
	}
	return flags, compare, hidden
}

// secretPlaceholders are what is to be filled in behind a separator.
var secretPlaceholders = map[string]string{"=": "=VALUE", ":": ": VALUE", "cmd:": "cmd:COMMAND"}

// repeat returns what advised commands repeat of the one that runs.
func (p program) repeat(c *cli.Command, words []string) report.Repeat {
	flags, compare, hidden := repeatedFlags(p, c)
	sources, command := typedLine(words...), typedLine(p.behind...)
	return report.Repeat{
		Flags:   strings.Join(wordsOf(flags), " "),
		Compare: typedLine(compare...),
		Sources: sources,
		Command: command,
		Hidden:  hidden || strings.Contains(sources+command, redact.Mask),
	}
}

var (
	// namedCommand finds a command in a hint.
	namedCommand = kit.Pattern(`\bmcpctl ([a-z]+)`)
	clauseEnd    = kit.Pattern(`[;,] |"`)
	// alone matches what follows a command without arguments.
	alone = kit.Pattern(`^(?:$|[,;":)]| (?:or|and) )`)
)

// completed returns a hint whose commands are about the servers of the run: with its flags that choose them,
// and where a command that may name servers names none, with those that the run contacts.
func completed(p program, hint string) string {
	if !namedCommand().MatchString(hint) || len(p.typed) == 0 {
		return hint
	}
	app := newApp(newProgram(p.Process, nil, nil))
	c := app.Command(p.typed[0])
	hint = withServers(p, app, c, hint)
	if c == nil {
		return hint
	}
	flags, _, _ := repeatedFlags(p, c)
	var done strings.Builder
	for {
		at := namedCommand().FindStringSubmatchIndex(hint)
		if at == nil {
			return done.String() + hint
		}
		advised, tail := app.Command(hint[at[2]:at[3]]), hint[at[1]:]
		done.WriteString(hint[:at[1]])
		hint = tail
		if advised == nil || strings.HasPrefix(tail, " --help") {
			continue
		}
		clause := clauseEnd().Split(tail, 2)[0]
		taken := takesValue(advised)
		words := wordsOf(kit.Filter(flags, func(f typedWord) bool {
			_, takes := taken[f.flag]
			if f.flag == "only" && advised.Name == "config" { // which lists all servers
				return false
			}
			return takes && !strings.Contains(clause+" ", " "+f.words[0]+" ")
		}))
		if slices.Contains([]string{"list", "snapshot", "diff"}, advised.Name) && alone().MatchString(tail) {
			words = append(words, contacted(p, c)...)
		}
		if len(words) > 0 {
			done.WriteString(" " + strings.Join(words, " "))
		}
	}
}

// withServers returns the hint about a word or a flag of another tool with the servers that were typed beside
// it; c is the command of the run, nil if there is none.
func withServers(p program, app *cli.App, c *cli.Command, hint string) string {
	found := otherTool().FindStringSubmatch(hint)
	if found == nil {
		return hint
	}
	advised, words := app.Command(found[1]), found[2]
	if advised == nil || !takesCommand(advised) ||
		onlyPackages().MatchString(words) {
		return hint
	}
	var servers []string
	if c != nil && strings.HasPrefix(advised.ArgsUsage, "[SOURCE…]") {
		servers, _ = namedSources(p, c)
	} else if p.behind != nil {
		servers = []string{"--", typedLine(p.behind...)}
	}
	if p.behind != nil {
		words = strings.Replace(words, " SOURCE", "", 1)
	}
	return `use "mcpctl ` + strings.Join(append([]string{advised.Name + words}, servers...), " ") + `"`
}

var (
	// otherTool matches a hint about a word or a flag of another tool.
	otherTool = kit.Pattern(`^use "mcpctl ([a-z]+)([^"]*)"$`)
	// onlyPackages matches arguments that are about published packages.
	onlyPackages = kit.Pattern(` (npm:|--upgrade)`)
)

// contacted returns the SOURCEs that a command line names, quoted, if all of them are servers to contact.
func contacted(p program, c *cli.Command) []string {
	words, live := namedSources(p, c)
	if !live {
		return nil
	}
	return words
}

// namedSources returns the SOURCEs that a command line names, quoted, and whether all of them are servers to
// contact; none if one is wrong.
func namedSources(p program, c *cli.Command) (words []string, live bool) {
	for _, a := range argumentsOf(p.typed[1:], takesValue(c)) {
		if a.flag == "" && c.Name != "accept" { // its words may be fingerprints
			words = append(words, a.words[0])
		}
	}
	if _, behind := usagesOf(c); behind != "" { // what follows the one SOURCE is none
		words, _ = oneSource(p, words)
	}
	sources, err := p.sources(words)
	if err != nil {
		return nil, false
	}
	words = kit.Map(redact.MaskArgs(words), printable.ShellWord)
	if p.behind != nil {
		words = append(words, "--", typedLine(p.behind...))
	}
	return words, !slices.ContainsFunc(sources, func(s source.Source) bool { return !s.Live() })
}

// beforeDashes returns the hint about a server on the command line that ended over flags of mcpctl, which its
// standard error names; empty for others.
func beforeDashes(p program, stderr string) string {
	if len(p.behind) < 2 || len(p.typed) == 0 {
		return ""
	}
	c := newApp(newProgram(p.Process, nil, nil)).Command(p.typed[0])
	if c == nil {
		return ""
	}
	known, moved, kept := takesValue(c), []string{}, p.behind[:1:1]
	for _, a := range argumentsOf(p.behind[1:], known) {
		meaning := flagFor(c, strings.Split(a.words[0], "=")[0])
		_, taken := known[a.flag]
		rejected := regexp.MustCompile(`(^|[^\w-])--?` + regexp.QuoteMeta(a.flag) + `($|[^\w-])`)
		switch {
		case a.flag == "" || !rejected.MatchString(stderr):
			kept = append(kept, a.words...)
		case taken:
			moved = append(moved, a.words...)
		case strings.HasPrefix(meaning, "--format "):
			moved = append(moved, strings.Fields(meaning)...)
		default:
			kept = append(kept, a.words...)
		}
	}
	if len(moved) == 0 {
		return ""
	}
	line := typedLine(slices.Concat(p.typed, moved, []string{"--"}, kept)...)
	return "mcpctl's flags go before --: mcpctl " + line
}

// takesValue returns for each name of a flag of a command whether a value follows it.
func takesValue(c *cli.Command) map[string]bool {
	values := map[string]bool{}
	for _, f := range c.Flags {
		_, boolean := f.(*cli.BoolFlag)
		for _, name := range f.Names() {
			values[name] = !boolean
		}
	}
	return values
}
