package manifest

import (
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/match"
)

// interpreters run code that stands in an argument behind one of these flags, or in the flag itself, as what it captures. The code gets
// the arguments after it, and may run them, if it is handed over after such words.
var interpreters = []struct {
	programs []string
	hands    func(words []string) bool
	flag     func() *match.Expression
}{
	{[]string{"sh", "bash", "rbash", "zsh", "dash", "ash", "ksh", "mksh", "csh", "tcsh", "nu", "xonsh", "fish", "busybox"}, ownFlags, match.Pattern(`^(?:-[a-zA-Z]*c[a-zA-Z]*|-C|--(?:init-)?commands?(=.*)?)$`)},
	{[]string{"su", "runuser", "script", "flock"}, anyWords, match.Pattern(`^(?:-[a-zA-Z]*c[a-zA-Z]*|--(?:session-)?command(=.*)?)$`)},
	{[]string{"env"}, anyWords, match.Pattern(`^(?:-[iv0]*S(.*)|--split-string(=.*)?)$`)},
	{[]string{"cmd"}, noWords, match.Pattern(`(?i)^(?:/[a-z:]+)*/[ckr](.*)$`)},
	{[]string{"powershell", "pwsh"}, ownFlags, match.Pattern(`(?i)^(?:-|--|/)(?:c|co|comm?a?n?d?|commandwithargs|cwa|e|ec|en[a-z]*)$`)},
	{[]string{"python", "pythonw", "ipython", "pypy", "py"}, ownFlags, match.Pattern("^-[bBdEiIOPqsSuvVx]*c(.*[ (;'\"].*)?$")},
	{[]string{"node", "nodejs", "bun", "tsx", "ts-node", "electron"}, ownFlags, match.Pattern(`^(?:-e|-p|-pe|--eval|--print)(=.*)?$`)},
	{[]string{"perl", "ruby", "lua", "luajit", "gawk"}, ownFlags, match.Pattern("^-[alnpwsSTtuUW0-7]{0,6}[eEmM](.*[ (;'\"].*)?$")},
	{[]string{"awk", "gawk", "mawk", "nawk"}, noWords, match.Pattern(`^(.*[{(|].*)$`)},
	{[]string{"deno"}, anyWords, match.Pattern(`^eval$`)},
	{[]string{"php"}, ownFlags, match.Pattern("^(?:-[rBRE]|--(?:run|process-(?:begin|code|end)))(.*[ (;'\"].*)?$")},
	{[]string{"npx", "npm", "pnpm"}, noWords, match.Pattern(`^(?:-c|--call|--shell-mode)(=.*)?$`)},
	{[]string{"rscript", "r", "raku", "racket", "scala", "kotlin", "ghci", "iex", "mix", "erl", "sbcl", "octave", "julia", "osascript", "make", "nix", "nix-shell", "emacs", "gdb", "elixir", "groovy", "clojure", "guile"}, noWords, match.Pattern(`^(?:-e|-E|-ex|-eval|--eval(=.*)?|--expr|--run|--command)$`)},
	{[]string{"ssh", "git"}, noWords, match.Pattern(`^(?:-c|-o(.*))$`)},
}

// inlined is code as the address of a module.
var inlined = match.Pattern(`^(?:--?[a-z-]+=)?data:[^,]*,`)

// CodeIn tells of each argument of a command line whether it is code that its program, or one that it starts, runs, and whether it is
// handed to such code, which may run it, too. An argument that is neither may hold a secret.
func CodeIn(argv []string) (code, handed []bool) {
	code, handed = make([]bool, len(argv)), make([]bool, len(argv))
	started := make([]int, len(interpreters)) // behind which argument each was last named; 0 = nowhere
	over := false
	for i, word := range argv {
		handed[i], code[i] = over, inlined().MatchString(word)
		for n, in := range interpreters {
			if at := started[n]; at > 0 && (at < i && in.flag().MatchString(argv[i-1]) || captures(in.flag(), word)) {
				code[i], over = true, over || in.hands(argv[at:i])
			}
			if slices.Contains(in.programs, base(word)) {
				started[n] = i + 1
			}
		}
	}
	return code, handed
}

func captures(flag *match.Expression, word string) bool {
	found := flag.FindStringSubmatch(word)
	return found != nil && strings.Join(found[1:], "") != ""
}

// ownFlags tells whether words are flags of an interpreter and their values: what is behind a script or module is for that.
func ownFlags(words []string) bool {
	return len(words) == 0 || strings.HasPrefix(words[0], "-") && !slices.Contains(words, "-m")
}

func anyWords([]string) bool { return true }

func noWords([]string) bool { return false }

// base is what a program is called, without the folder, the version and the .exe that may be around it.
func base(program string) string {
	name := strings.ToLower(program[strings.LastIndexAny(program, `/\`)+1:])
	return strings.TrimRight(strings.TrimSuffix(name, ".exe"), "0123456789.")
}

// escapes are options that let a container out of its box or hand it what is outside, short ones with others before them and their
// value behind them.
var escapes = match.Pattern(`^(?:(-[ditPq]*v)(?:$|.*[/\\:])|(--(?:volume|volumes-from|mount|privileged|device|device-cgroup-rule|cap-add|pid|ipc|uts|userns|cgroupns|security-opt|network|net|` +
	`env-file|env-host|rootfs|use-api-socket|gpus|runtime|init-path|hooks-dir|secret|ssh))(?:$|=))`)

// harmless are the options of an engine, before what it shall do, that change neither which engine it is nor who is logged in.
var harmless = match.Pattern(`^(?:-D|--debug|-l|--log-level|-v|--version|--help)(?:$|=)`)

// option is the name of one, with what stands behind the letter of a short one left out.
var option = match.Pattern(`^(?:--[a-z-]+|-D?[A-Za-z])`)

const runsCode = "runs code that stands in an argument"

// oddCommand says what a person should know of a command line.
func oddCommand(words []Text) string {
	argv := make([]string, len(words))
	for i, word := range words {
		argv[i] = word.exact
	}
	if code, _ := CodeIn(argv); slices.Contains(code, true) {
		return runsCode
	}
	engine := slices.IndexFunc(argv, func(word string) bool { return slices.Contains([]string{"docker", "podman", "nerdctl"}, base(word)) })
	if engine < 0 {
		return ""
	}
	for _, word := range argv[engine:] {
		if option := escapes().FindStringSubmatch(word); option != nil {
			return "opens the container with " + option[1] + option[2] // its value is the repository's word, and may be a secret
		}
	}
	for i, word := range argv[engine+1:] {
		flag := strings.HasPrefix(word, "-")
		if !flag && !strings.HasPrefix(argv[engine+i], "-") { // no flag's value
			break
		}
		if flag && !harmless().MatchString(word) {
			return "uses another engine or login with " + option().FindString(word)
		}
	}
	return ""
}

// starters run what a later word names, behind flags: here are those without a value, and those whose value is it.
var starters = map[string]string{
	"npx": "-y --yes -q --quiet", "npm": "-y --yes -q --quiet", "pnpm": "-q", "pnpx": "-y", "yarn": "-q", "bunx": "-y --bun", "bun": "--bun", "deno": "-A --allow-all -q --quiet --allow-net --allow-env --allow-read",
	"uv": "-q --quiet", "uvx": "-q --quiet", "pipx": "", "poetry": "", "python": "-m -u -B -E -I -O -s -S -v", "pythonw": "-m -u", "pypy": "-m -u", "py": "-m -u", "node": "--no-warnings --enable-source-maps", "nodejs": "--no-warnings",
	"tsx": "", "ts-node": "", "java": "-jar", "php": "-f", "perl": "-w", "ruby": "-w", "lua": "", "dotnet": "", "go": "", "cargo": "-q", "nix": "", "sh": "", "bash": "-l", "zsh": "", "dash": "", "ash": "", "ksh": "", "fish": "", "pwsh": "", "powershell": "",
	"docker": containerFlags, "podman": containerFlags, "nerdctl": containerFlags, "env": "-i", "sudo": "-n -E", "doas": "", "nice": "", "ionice": "", "timeout": "", "nohup": "", "setsid": "", "stdbuf": "", "xargs": "", "time": "", "strace": "",
	"flock": "", "chroot": "", "unshare": "", "nsenter": "", "bwrap": "", "firejail": "", "setpriv": "", "runuser": "", "taskset": "", "systemd-run": "", "dbus-run-session": "", "direnv": "", "mise": "", "asdf": "", "bundle": "", "busybox": "",
}

const containerFlags = "-i -t -it -ti -d --rm --init --interactive --tty --quiet"

// subcommands of starters are none of what they run, and neither are times and variables that stand before it.
var subcommands = match.Pattern(`^(?:run|exec|x|dlx|tool|container|compose|create|start|image|shell|develop|[0-9.]+[smhd]?|[A-Za-z_][A-Za-z0-9_]*=.*)$`)

// Named tells of each argument of a command line whether it may be the program, script, package or image that runs. Whoever wrote the
// command line chose the flags before it, which may look as if they had it for a value, and a secret one.
func Named(argv []string) []bool {
	named := make([]bool, len(argv))
	open, alone := false, ""
	for i, word := range argv {
		named[i] = open || i == 0
		switch flags, starts := starters[strings.TrimSuffix(base(word), ".cmd")]; {
		case starts:
			open, alone, named[i] = true, flags, true
		case !open || strings.HasPrefix(word, "-") || subcommands().MatchString(word):
		case !strings.HasPrefix(argv[i-1], "-") || argv[i-1] == "--" || strings.Contains(argv[i-1], "=") || slices.Contains(strings.Fields(alone), argv[i-1]):
			open = false
		}
	}
	return named
}
