package config

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/process"
)

// The kinds of code in a command line, as the question names them.
const (
	shellLine   = "a shell line"
	inlineText  = "inline code"
	commandLine = "a command line"
	aShell      = "a shell"
)

// shells run a command line that is one of their arguments.
var shells = []string{
	"sh", "bash", "zsh", "dash", "ash", "ksh", "mksh", "fish", "csh", "tcsh", "nu", "xonsh",
	"elvish", "rbash", "cmd", "powershell", "pwsh", "busybox", "toybox", "wsl", "ssh",
}

// interpreter is how a program takes code from its command line.
type interpreter struct {
	flag     func() *regexp.Regexp // how the argument begins that is code, or that code follows
	kind     string
	anywhere bool   // also after arguments that are not options
	unless   string // an option by which the code is in a file
}

// programs are those that take code in the same way.
type programs struct {
	names string
	interpreter
}

// interpreters are programs that take code from their command line.
var interpreters = sync.OnceValue(func() map[string]interpreter {
	byName := map[string]interpreter{}
	for _, group := range []programs{
		{"sh bash zsh dash ash ksh mksh fish csh tcsh nu rbash xonsh elvish busybox toybox",
			interpreter{flag: kit.Pattern(`^(?:-[A-Za-z]*c|--command)`), kind: shellLine}},
		{"cmd powershell pwsh", interpreter{kind: shellLine, anywhere: true,
			flag: kit.Pattern(`(?i)^(?:[-/](?:c|co[a-z]*|e|ec|en[a-z]*)$|/[ckr])`)}},
		{"su runuser script nix nix-shell flock wsl",
			interpreter{flag: kit.Pattern(`^(?:-[a-z]*c|--run|--command)`), kind: shellLine, anywhere: true}},
		{"ssh doppler infisical concurrently parallel nodemon watchexec",
			interpreter{flag: kit.Pattern(`\s|^--command`), kind: shellLine, anywhere: true}},
		{"git", interpreter{kind: shellLine, anywhere: true, flag: kit.Pattern(
			`(?i)^(?:--config-env|alias\.[^=]*=!|core\.(?:sshcommand|pager|editor|fsmonitor)=)`)}},
		{"npx npm pnpm pnpx yarn",
			interpreter{flag: kit.Pattern(`^(?:-[A-Za-z]*c$|--call(?:=|$)|--shell-mode$)`), kind: shellLine}},
		{"env", interpreter{flag: kit.Pattern(`^(?:-[a-z0]*S|--split-string)`), kind: commandLine}},
		{"node nodejs bun deno tsx ts-node electron qjs", interpreter{
			flag: kit.Pattern(`^(?:-[pr]*e|-p|--eval|--print)(?:=|p?$)|^eval$|data:`), kind: inlineText}},
		{"python pythonw py pypy ipython",
			interpreter{flag: kit.Pattern(`^-[bBdEhiIOqsSuvx]*c`), kind: inlineText}},
		{"perl ruby jruby",
			interpreter{flag: kit.Pattern(`^-[0-9acdfFilnpsStTuUvwW]*[eEM]`), kind: inlineText}},
		{"php lua luajit r rscript julia elixir erl osascript groovy scala racket guile sbcl clojure clj " +
			"ghc emacs vim gdb expect sqlite3", interpreter{kind: inlineText,
			flag: kit.Pattern(`^(?:-[a-zA-Z]?e|-E|--eval|--print|-r|-R|-B|-c|--run|-eval|-ex|-cmd)`)}},
		{"make", interpreter{flag: kit.Pattern(`^--eval`), kind: inlineText, anywhere: true}},
		{"awk gawk mawk nawk", interpreter{flag: kit.Pattern(`^[^-]`), kind: inlineText, unless: "-f"}},
	} {
		for name := range strings.FieldsSeq(group.names) {
			byName[name] = group.interpreter
		}
	}
	return byName
})

// valued are options that are followed by a value, and words after which options of the program still come.
var valued = kit.Pattern(`^(?:-[rCWXIouOp]|--require|--import|--loader|--experimental-loader|--conditions|` +
	`\+[oO]|--rcfile|--init-file|--env-file|--title|--package|--cache|--registry|--prefix|--unset|--chdir)$`)
var between = kit.Pattern(`^(?:exec|x|dlx|run|repl|sh|ash|bash|[A-Za-z_][A-Za-z0-9_]*=.*)$`)

// versionEnd is the version in the name of a program, such as python3.12, and the build of that version.
var versionEnd = kit.Pattern(`-?[0-9][0-9.]*(?:t|-dbg)?$`)

// inlineCode returns the kind of code that a command line holds: an argument that is code itself for a shell
// or an interpreter, wherever that stands in it; "" for none. It only marks an entry, which is shown whole.
func inlineCode(words []string) string {
	kind := ""
	for i, word := range words {
		name := process.ProgramName(word)
		program, known := interpreters()[name]
		if !known {
			name = versionEnd().ReplaceAllString(name, "")
			program, known = interpreters()[name]
		}
		if !known {
			continue
		}
		if program.kind == shellLine && slices.Contains(shells, name) {
			kind = aShell
		}
		for j, rest := range words[i+1:] {
			if program.flag().MatchString(rest) {
				return program.kind
			}
			if program.unless != "" && strings.HasPrefix(rest, program.unless) {
				break
			}
			isOption := strings.HasPrefix(rest, "-") || strings.HasPrefix(rest, "+")
			if isOption || program.anywhere {
				continue
			}
			if !between().MatchString(rest) && !valued().MatchString(words[i+j]) {
				break
			}
		}
	}
	return kind
}
