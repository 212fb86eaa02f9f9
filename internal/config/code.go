package config

import (
	"regexp"
	"slices"
	"strings"

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
	"sh", "bash", "zsh", "dash", "ash", "ksh", "mksh", "fish", "csh", "tcsh", "nu", "xonsh", "elvish", "rbash",
	"cmd", "powershell", "pwsh", "busybox", "toybox", "wsl",
}

// interpreter is how a program takes code from its command line.
type interpreter struct {
	flag     func() *regexp.Regexp // how the argument begins that is code, or that code follows
	kind     string
	anywhere bool   // also after arguments that are no options
	unless   string // an option by which the code is in a file
}

var (
	jsCode     = interpreter{kit.Pattern(`^(?:-[pr]*e|-p|--eval|--print)(?:=|p?$)|^eval$|data:`), inlineText, false, ""}
	pythonCode = interpreter{kit.Pattern(`^-[bBdEhiIOqsSuvx]*c`), inlineText, false, ""}
	perlCode   = interpreter{kit.Pattern(`^-[0-9acdfFilnpsStTuUvwW]*[eEM]`), inlineText, false, ""}
	evalCode   = interpreter{
		kit.Pattern(`^(?:-[a-zA-Z]?e|-E|--eval|--print|-r|-R|-B|-c|--run|-eval|-ex|-cmd)`), inlineText, false, ""}
	shellCode = interpreter{kit.Pattern(`^(?:-[A-Za-z]*c|--command)`), shellLine, false, ""}
	msCode    = interpreter{kit.Pattern(`(?i)^(?:[-/](?:c|co[a-z]*|e|ec|en[a-z]*)$|/[ckr])`), shellLine, true, ""}
	callCode  = interpreter{kit.Pattern(`^(?:-[A-Za-z]*c$|--call(?:=|$)|--shell-mode$)`), shellLine, false, ""}
	splitCode = interpreter{kit.Pattern(`^(?:-[a-z0]*S|--split-string)`), commandLine, false, ""}
	lineCode  = interpreter{kit.Pattern(`^(?:-[a-z]*c|--run|--command)`), shellLine, true, ""}
	makeCode  = interpreter{kit.Pattern(`^--eval`), inlineText, true, ""}
	awkCode   = interpreter{kit.Pattern(`^[^-]`), inlineText, false, "-f"}
)

// interpreters are programs that take code from their command line.
var interpreters = map[string]interpreter{
	"sh": shellCode, "bash": shellCode, "zsh": shellCode, "dash": shellCode, "ash": shellCode, "ksh": shellCode,
	"mksh": shellCode, "fish": shellCode, "csh": shellCode, "tcsh": shellCode, "nu": shellCode, "rbash": shellCode,
	"xonsh": shellCode, "elvish": shellCode, "busybox": shellCode, "toybox": shellCode,
	"cmd": msCode, "powershell": msCode, "pwsh": msCode, "wsl": lineCode,
	"env": splitCode, "su": lineCode, "runuser": lineCode, "script": lineCode, "nix-shell": lineCode,
	"nix": lineCode, "flock": lineCode,
	"npx": callCode, "npm": callCode, "pnpm": callCode, "pnpx": callCode, "yarn": callCode,
	"node": jsCode, "nodejs": jsCode, "bun": jsCode, "deno": jsCode, "tsx": jsCode, "ts-node": jsCode,
	"electron": jsCode, "qjs": jsCode,
	"python": pythonCode, "pythonw": pythonCode, "py": pythonCode, "pypy": pythonCode, "ipython": pythonCode,
	"perl": perlCode, "ruby": perlCode, "jruby": perlCode,
	"php": evalCode, "lua": evalCode, "luajit": evalCode, "r": evalCode, "rscript": evalCode, "julia": evalCode,
	"elixir": evalCode, "erl": evalCode, "osascript": evalCode, "groovy": evalCode, "scala": evalCode,
	"racket": evalCode, "guile": evalCode, "sbcl": evalCode, "clojure": evalCode, "clj": evalCode,
	"ghc": evalCode, "emacs": evalCode, "vim": evalCode, "gdb": evalCode, "expect": evalCode, "sqlite3": evalCode,
	"awk": awkCode, "gawk": awkCode, "mawk": awkCode, "nawk": awkCode, "make": makeCode,
}

// valued are options that are followed by a value, and words after which options of the program still come.
var valued = kit.Pattern(`^(?:-r|--require|--import|--loader|--experimental-loader|-C|--conditions|-[WXIouOp]|` +
	`\+[oO]|--rcfile|--init-file|--env-file|--title|--package|--cache|--registry|--prefix|--unset|--chdir)$`)
var between = kit.Pattern(`^(?:exec|x|dlx|run|repl|sh|ash|bash|[A-Za-z_][A-Za-z0-9_]*=.*)$`)

// versionEnd is the version in the name of a program, such as python3.12.
var versionEnd = kit.Pattern(`-?[0-9][0-9.]*$`)

// inlineCode returns the kind of code that a command line holds: an argument that is code itself for a shell
// or an interpreter, wherever that stands in it; "" for none. It only marks an entry, which is shown whole.
func inlineCode(words []string) string {
	kind := ""
	for i, word := range words {
		name := process.ProgramName(word)
		program, known := interpreters[name]
		if !known {
			name = versionEnd().ReplaceAllString(name, "")
			program, known = interpreters[name]
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
			if !isOption && !program.anywhere && !between().MatchString(rest) && !valued().MatchString(words[i+j]) {
				break
			}
		}
	}
	return kind
}
