package manifest

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/mcpctl/mcpctl/internal/match"
)

// interpreters run code that stands in an argument behind one of these flags.
var interpreters = []struct {
	programs []string
	flag     func() *regexp.Regexp
}{
	{[]string{"sh", "bash", "zsh", "dash", "ash", "ksh", "fish", "busybox", "su"}, match.Pattern(`^-[a-zA-Z]*c[a-zA-Z]*$`)},
	{[]string{"cmd", "cmd.exe"}, match.Pattern(`(?i)^/[ck]$`)},
	{[]string{"powershell", "pwsh", "powershell.exe", "pwsh.exe"}, match.Pattern(`(?i)^-(c|command|e|enc|encodedcommand)$`)},
	{[]string{"python", "python3", "py"}, match.Pattern(`^-[a-zA-Z]*c$`)},
	{[]string{"node", "bun", "tsx", "perl", "ruby", "lua"}, match.Pattern(`^(-e|-p|-pe|--eval|--print|-E)(=.*)?$`)},
	{[]string{"deno"}, match.Pattern(`^eval$`)},
	{[]string{"php"}, match.Pattern(`^-r$`)},
	{[]string{"npx", "npm"}, match.Pattern(`^(-c|--call)(=.*)?$`)},
}

// IsCode tells whether the argument at i of a command line is code that its program, or one that it starts, runs.
func IsCode(argv []string, i int) bool {
	for _, in := range interpreters {
		for at := 0; at < i; at++ {
			if !slices.Contains(in.programs, base(argv[at])) {
				continue
			}
			flags := argv[at+1 : i+1]
			if slices.ContainsFunc(flags[:len(flags)-1], in.flag().MatchString) || in.flag().MatchString(argv[i]) && strings.Contains(argv[i], "=") {
				return true
			}
		}
	}
	return false
}

// base is the name of a program without its folder.
func base(program string) string {
	return program[strings.LastIndexAny(program, `/\`)+1:]
}

// escapes are arguments that let a container out of its box.
var escapes = match.Pattern(`^(-v|--volume|--mount|--privileged|--device|--cap-add|--pid|--ipc|--userns|--security-opt|--network|--net)(=.*)?$`)

// oddCommand says what a person should know of a command line.
func oddCommand(words []Text) string {
	argv := make([]string, len(words))
	for i, word := range words {
		argv[i] = word.exact
	}
	for i := range argv {
		if IsCode(argv, i) {
			return "runs code that stands in an argument"
		}
	}
	if slices.Contains([]string{"docker", "podman", "nerdctl"}, base(argv[0])) {
		if i := slices.IndexFunc(argv, escapes().MatchString); i >= 0 {
			return "opens the container with " + argv[i]
		}
	}
	return ""
}

// unseen says so of a text with characters that a reader cannot see, or that change the order of others.
func unseen(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsPrint(r) && r != '\n' && r != '\t' || r == '\u00ad' || r == '\u2800' || r == '\u3164'
	}) {
		return "characters that cannot be seen"
	}
	return ""
}

// steering are environment variables that change which code runs, where it comes from or whom it trusts, whatever program
// is started.
var steering = match.Pattern(`(?i)^(PATH|PATHEXT|HOME|USERPROFILE|SHELL|ENV|BASH_ENV|BASH_FUNC_.*|PROMPT_COMMAND|IFS|` +
	`LD_.*|DYLD_.*|GLIBC_TUNABLES|NODE_OPTIONS|NODE_PATH|NODE_EXTRA_CA_CERTS|NODE_TLS_REJECT_UNAUTHORIZED|NODE_REPL_.*|` +
	`PYTHON(PATH|HOME|STARTUP|USERBASE|INSPECT|BREAKPOINT|WARNINGS|HTTPSVERIFY|EXECUTABLE)|PERL5?(LIB|OPT|DB).*|RUBY(LIB|OPT)|GEM_.*|BUNDLE_.*|` +
	`(_?JAVA|JDK_JAVA)(_TOOL)?_OPTIONS|CLASSPATH|DOTNET_STARTUP_HOOKS|CORECLR_.*|COR_PROFILER.*|GO(FLAGS|PROXY|ROOT|PATH|TOOLCHAIN)|RUSTC?_?WRAPPER|` +
	`NPM_CONFIG_.*|YARN_.*|PNPM_.*|BUN_.*|DENO_.*|UV_.*|PIP_.*|PIPX_.*|CARGO_.*|DOCKER_(HOST|CONFIG|CONTEXT)|GIT_.*|SSH_.*|` +
	`(HTTPS?|ALL|NO|FTP)_PROXY|SSL_CERT_(FILE|DIR)|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|EDITOR|VISUAL|PAGER|BROWSER|LUA_(INIT|PATH).*|PHPRC|PHP_INI_SCAN_DIR|R_PROFILE.*)$`)

// Steers tells whether an environment variable of that name changes what runs.
func Steers(name string) bool { return steering().MatchString(name) }

// WhereIs says of a host that it is not on the Internet, when its name or address says so: "this machine", "private network".
func WhereIs(host string) string {
	name := strings.Trim(host, "[]")
	if h, port, ok := strings.Cut(host, ":"); ok && !strings.Contains(port, ":") {
		name = h
	} else if at := strings.LastIndex(host, "]:"); at >= 0 {
		name = strings.Trim(host[:at+1], "[]")
	}
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	ip, err := netip.ParseAddr(name)
	switch {
	case name == "localhost" || strings.HasSuffix(name, ".localhost") || err == nil && (ip.Unmap().IsLoopback() || ip.IsUnspecified()):
		return "this machine"
	case err == nil && !(ip.Unmap().IsGlobalUnicast() && !ip.Unmap().IsPrivate()):
		return "private network"
	case err == nil:
		return ""
	}
	if !strings.Contains(name, ".") && !strings.Contains(name, "$") && name != "" {
		return "private network"
	}
	for _, suffix := range []string{".local", ".internal", ".lan", ".home", ".home.arpa", ".intranet", ".corp", ".private"} {
		if strings.HasSuffix(name, suffix) {
			return "private network"
		}
	}
	return ""
}
