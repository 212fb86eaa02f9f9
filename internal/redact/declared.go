package redact

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// What a person agrees to is the repository's own text, so it is shown whole. Declared values hide no more
// than a whole literal secret, and nothing that a program could take for code, a path or a host.

var (
	plainValue  = kit.Pattern(`^[A-Za-z0-9_+=][A-Za-z0-9_.+/=-]*$`)
	programName = kit.Pattern(`^(?:[a-z]+[_-])*[a-z]*[_-]?[0-9]{0,4}$`) // evil-program-1, python3
	digitsIn    = kit.Pattern(`[0-9]`)
	lettersIn   = kit.Pattern(`[A-Za-z]`)
	// the words of the token after the prefix of its issuer, such as "proj" in sk-proj-…
	issuedToken = kit.Pattern(`^(?:gh[pousr]_|github_pat_|glpat-|sk-(?:[a-z0-9]{1,8}-){0,2}|` +
		`[srp]k_(?:[a-z]{4}_)?|xox[a-z]-|xapp-|AKIA|ASIA|AIza|npm_|hf_|dop_v1_|shpat_)` +
		`[A-Za-z0-9_-]*[A-Za-z0-9]{14,}[=-]*$`)
	webToken = kit.Pattern(`^eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{20,}$`)
	keyBlock = kit.Pattern(`^(-----BEGIN ([A-Z ]*PRIVATE KEY)-----)([A-Za-z0-9+/=\s]+)` +
		`(-----END ([A-Z ]*PRIVATE KEY)-----)\s*$`)
	urlPassword = kit.Pattern(`^([A-Za-z][A-Za-z0-9+.-]*://[A-Za-z0-9_.+~%-]*:)([A-Za-z0-9_.+=-]+)` +
		`(@[^@\s"'<>\\]*)$`)
	wholeURL  = kit.Pattern(`^[A-Za-z][A-Za-z0-9+.-]*://[^\s"'<>\\;|()]*$`)
	queryPair = kit.Pattern(`([?&])([A-Za-z0-9_.-]+)=([^&#]*)`)
	scheme    = kit.Pattern(`^(?i:Bearer|Basic|Token|Digest) `)
	// obeyed are variables that runtimes, loaders and package managers take options, paths or code from.
	obeyed = kit.Pattern(`(?i)^(?:` +
		`(?:node|npm_config|ld|dyld|xdg|git|ssh|sudo|uv|pip|pipx|virtual_env|conda|poetry|yarn|pnpm|bun|` +
		`deno|dotnet|coreclr|corehost|cor|nuget|cgo|cargo|rust|java|jdk|_java|jvm|maven|gradle|php|lua|` +
		`julia|erl|elixir|mix|guile|electron|docker|podman|buildkit|compose|kube|helm|ssl|openssl|curl|` +
		`ts_node|tsx|babel|gio|nvm|fnm|volta|pyenv|rbenv|asdf|mise|corepack|glibc|aws_config|` +
		`requests|malloc|gtk|qt|nix|opam|stack|make|cmake|pkg_config|puppeteer|playwright|chrome|bundle|` +
		`gem|prompt|systemd)_.*|(?:python|perl|ruby|bash|rustc|coreclr|go)[a-z0-9_]*|` +
		`r_(?:profile|environ|home).*|(?:https?|all|no|ftp|socks)_proxy|(?:ps[0-9]|env|zdotdir|shell|` +
		`shellopts|ifs|path|pathext|comspec|cdpath|home|userprofile|tmpdir|tmp|temp|editor|visual|pager|` +
		`browser|less|lessopen|lessclose|manpager|term|termcap|terminfo|inputrc|phprc|classpath|cc|cxx|cpp|` +
		`cflags|ldflags|makeflags|mflags|awkpath|gconv_path|locpath|nlspath|hostaliases|localdomain|` +
		`res_options|wgetrc|tclsh|tcllibpath|swift_exec|kubeconfig|aws_profile|psmodulepath|fpath|` +
		`windir|systemroot))$`)
	// place is how names end whose values are paths, addresses, programs or their options.
	place = kit.Pattern(`(?i)(?:^|_)(?:(?:[a-z]*path|dir|directory|folder|home|root|prefix|file|config|` +
		`url|uri|endpoint|host|hostname|server|addr|address|domain|origin|registry|mirror|index|proxy|` +
		`command|cmd|exec|executable|binary|bin|shell|script|hook|wrapper|entrypoint|interpreter|` +
		`opt|option|arg|flag|module|plugin|extension|` +
		`preload|preset|require|import|loader|lib|package|image|profile|base|target|` +
		`program|main|entry|runner|runtime|tool|webhook|callback|init|startup)s?)$`)
	// secretEnd is how names end that those programs do not obey: NPM_CONFIG_… and GIT_… have secrets, too.
	secretEnd = kit.Pattern(`(?i)(?:token|secret|password|passwd|_pat|api_?key|access_?key)$`)
)

// IsObeyed reports whether a variable of this name can decide what a runtime, loader or package manager runs.
func IsObeyed(name string) bool {
	return obeyed().MatchString(name) && !secretEnd().MatchString(name)
}

// IsPlace reports whether a variable of this name holds a path, an address, a program or its options.
func IsPlace(name string) bool { return place().MatchString(name) || IsObeyed(name) }

// Declared returns the text of a value as a file declares it, for the person who decides about it. A whole
// value that is nothing but a secret is shown as *** with its length, also as the password or a query value
// of a URL, after the scheme of an Authorization header, and as the body of a key.
func Declared(name, value string) string {
	switch {
	case IsObeyed(name):
		return value
	case LooksSecret(name, value) && !IsPlace(name):
		return counted(value)
	case wholeURL().MatchString(value):
		return declaredURL(value)
	}
	if at := scheme().FindString(value); at != "" && LooksSecret("token", value[len(at):]) {
		return at + counted(value[len(at):])
	}
	return declaredKey(value)
}

// LooksSecret reports whether a text is one token that looks like a secret, by itself or under its name, and
// cannot be a path, a host or an option.
func LooksSecret(name, value string) bool {
	if !plainValue().MatchString(value) {
		return false
	}
	mixedUp := digitsIn().MatchString(value) && lettersIn().MatchString(value)
	switch {
	case webToken().MatchString(value):
		return true
	case strings.Contains(value, "."), !mixedUp:
		return false
	case issuedToken().MatchString(value):
		return !strings.Contains(value, "/")
	case strings.Contains(value, "/"): // base64, unless it is a path
		return SecretName(name) && len(value) >= leastBase && len(value)%4 == 0 &&
			strings.Count(value, "/") <= len(value)/leastSegment &&
			strings.ToUpper(value) != value && strings.ToLower(value) != value
	case SecretName(name):
		return len(value) >= leastNamed && !programName().MatchString(value)
	}
	return len(value) >= leastUnnamed && !strings.Contains(value, "-") && maskLong(value) == Mask
}

// Lengths of what looks like a secret: under the name of one, without, in base64, and for each slash of that.
const (
	leastNamed   = 6
	leastUnnamed = 24
	leastBase    = 32
	leastSegment = 12
)

// DeclaredWord returns one argument of a command line for messages and reports: a token alone is not shown.
func DeclaredWord(previous, word string) string {
	flag := ""
	if strings.HasPrefix(previous, "-") && !strings.Contains(previous, "=") {
		flag = previous
	}
	if LooksSecret(flag, word) {
		return counted(word)
	}
	return word
}

func counted(secret string) string { return fmt.Sprintf("%s (%d characters)", Mask, len(secret)) }

// declaredURL hides the password and the query values of a URL that look secret.
func declaredURL(address string) string {
	if parts := urlPassword().FindStringSubmatch(address); parts != nil && isPassword(parts[2]) {
		address = parts[1] + counted(parts[2]) + parts[3]
	}
	before, fragment, hasFragment := strings.Cut(address, "#")
	before = queryPair().ReplaceAllStringFunc(before, func(pair string) string {
		parts := queryPair().FindStringSubmatch(pair)
		if !LooksSecret(parts[2], parts[3]) {
			return pair
		}
		return parts[1] + parts[2] + "=" + counted(parts[3])
	})
	if hasFragment {
		return before + "#" + fragment
	}
	return before
}

// isPassword reports whether the password of a URL can be nothing else: no host and no path.
func isPassword(text string) bool {
	return len(text) >= Least && !strings.ContainsAny(text, "./") && plainValue().MatchString(text)
}

// declaredKey hides the body of a text that is a private key in PEM and nothing else.
func declaredKey(value string) string {
	parts := keyBlock().FindStringSubmatch(value)
	if parts == nil || parts[2] != parts[5] {
		return value
	}
	body := strings.Join(strings.Fields(parts[3]), "")
	data, err := base64.StdEncoding.DecodeString(body)
	isKey := len(data) > leastKey && (data[0] == 0x30 && data[1]&0x80 != 0 ||
		strings.HasPrefix(string(data), "openssh-key-v1"))
	if err != nil || !isKey {
		return value
	}
	return parts[1] + counted(body) + parts[4]
}

// leastKey is the length in bytes of the shortest private key, without its algorithm.
const leastKey = 32
