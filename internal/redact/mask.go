package redact

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// issued are tokens that are known by how their issuers begin them.
const issued = `(?:gh[pousr]_|github_pat_|glpat-|sk-|sk_|pk_|rk_|xox[a-z]-|xapp-|AKIA|ASIA|AIza|eyJ|` +
	`ya29\.|npm_|hf_|dop_v1_|shpat_|SG\.)[A-Za-z0-9_.=-]{6,}`

var (
	// words inside of names, and words that names hold as a whole: MY_PAT and dbPw, not PATH and spawn
	secretWord = kit.Pattern(
		`(?i:token|secret|passw|passphrase|passcode|passkey|pwd|(?:api|access|private)-?_?key|auth)|` +
			`(?i:credential)|(?i:bearer|cookie|session|signature|connection-?_?string)|` +
			`(?:^|[^A-Za-z])(?i:pass|pw|pat|pin|otp|mfa|sk|key|dsn)(?:$|[^A-Za-z])|` +
			`[a-z](?:Pass|Pw|PW|Pat|PAT|Pin|PIN|Otp|OTP|Key|Dsn|DSN)(?:$|[^a-z])`)
	secretValue = kit.Pattern(`^` + issued)
	tokenInside = kit.Pattern(`\b` + issued)
	assignment  = kit.Pattern(`([A-Za-z0-9_-]+)=[^;&\s,]+`)
	bearer      = kit.Pattern(`(?i)\b(bearer|basic)[ =:]+\S+`)
	longToken   = kit.Pattern(`[A-Za-z0-9_+=-]{20,}`)
	variable    = kit.Pattern(`^\$\{[^{}]*\}$`)
	address     = kit.Pattern(`[A-Za-z][A-Za-z0-9+.-]*://\S+`)
	flagLike    = kit.Pattern(`^--?[A-Za-z][A-Za-z0-9_-]*(=|$)`)
	privateKey  = kit.Pattern(`-----BEGIN [A-Z ]*PRIVATE KEY-----`)
	mixed       = kit.Pattern(`[0-9]+[A-Za-z]|[A-Za-z]+[0-9]`)
)

// nextIs are flags whose value is a header or an environment variable.
var nextIs = map[string]func() *regexp.Regexp{
	"-H": kit.Pattern(`^[^:]*:`), "--header": kit.Pattern(`^[^:]*:`),
	"-e": kit.Pattern(`^[^=]*(=|$)`), "--env": kit.Pattern(`^[^=]*(=|$)`),
}

// MaskArgs returns a command line in which every argument that looks secret is ***: values of --token and
// the like, NAME=value environment, headers, bearer tokens, user info and query values of URLs. A whole
// variable stays as written.
func MaskArgs(argv []string) []string {
	return argStyle{named: maskNamed, other: maskOther}.show(argv)
}

// argStyle is a way to show the arguments of a command line.
type argStyle struct {
	// shows the value of a flag, or of a header or variable that is the value of a flag (pair)
	named func(name, value string, pair bool) string
	other func(arg string) string // shows any other argument
}

func (s argStyle) show(argv []string) []string {
	shown, previous := make([]string, len(argv)), ""
	for i, arg := range argv {
		shown[i], previous = s.arg(previous, arg), arg
	}
	return shown
}

func (s argStyle) arg(previous, arg string) string {
	flag, value, assigned := strings.Cut(arg, "=")
	prefix, pair := nextIs[previous]
	switch {
	case arg == "":
		return ""
	case assigned && strings.HasPrefix(flag, "-"):
		return flag + "=" + s.arg(flag, value)
	case pair:
		name := prefix().FindString(arg)
		return name + s.named(strings.TrimRight(name, ":="), arg[len(name):], true)
	case strings.HasPrefix(previous, "-") && !strings.Contains(previous, "=") && !flagLike().MatchString(arg):
		return s.named(previous, arg, false)
	}
	return s.other(arg)
}

func maskNamed(name, value string, pair bool) string {
	if pair || secretWord().MatchString(name) {
		return maskRest(value)
	}
	return maskOther(value)
}

func maskOther(arg string) string {
	if IsVariable(arg) {
		return arg
	}
	return MaskText(arg)
}

var (
	word       = kit.Pattern(`"[^"]*"|'[^']*'|[^\s'"]+`)
	namedValue = kit.Pattern(
		`(?i)([A-Za-z0-9_-]*(?:token|secret|passw|key|auth|credential|cookie)[A-Za-z0-9_-]*` +
			`["']?\s*:\s*["']?)[^"',}]+`)
)

// MaskLine masks a shell line like MaskArgs, and the values of headers and JSON members that are named like
// secrets.
func MaskLine(line string) string {
	at := word().FindAllStringIndex(line, -1)
	words := kit.Map(at, func(span []int) string { return strings.Trim(line[span[0]:span[1]], `"'`) })
	var shown strings.Builder
	end := 0
	for i, masked := range MaskArgs(words) {
		quote := ""
		if mark := line[at[i][0]]; mark == '"' || mark == '\'' {
			quote = string(mark)
		}
		shown.WriteString(line[end:at[i][0]] + quote + masked + quote)
		end = at[i][1]
	}
	text := namedValue().ReplaceAllString(shown.String()+line[end:], "${1}"+Mask)
	return MaskTokens(bearer().ReplaceAllString(text, "$1 "+Mask))
}

func maskRest(rest string) string {
	if rest == "" || IsVariable(strings.TrimSpace(rest)) {
		return rest
	}
	return Mask
}

// IsVariable reports whether a text is one variable without a default.
func IsVariable(text string) bool {
	return variable().MatchString(text) && !strings.Contains(text, ":-")
}

// MaskText masks what looks secret inside a text.
func MaskText(s string) string {
	if secretValue().MatchString(s) || privateKey().MatchString(s) {
		return Mask
	}
	s = oneSlash().ReplaceAllString(s, "${1}"+Mask+"@")
	switch at := address().FindStringIndex(s); {
	case at != nil && at[0] == 0:
		return MaskURL(s)
	case at != nil:
		return address().ReplaceAllStringFunc(s, MaskURL)
	}
	s = bearer().ReplaceAllString(s, "$1 "+Mask)
	s = maskPairs(s)
	return longToken().ReplaceAllStringFunc(s, maskLong)
}

// maskPairs hides the values of NAME=VALUE with the name of a secret.
func maskPairs(text string) string {
	return assignment().ReplaceAllStringFunc(text, func(found string) string {
		if name, _, _ := strings.Cut(found, "="); SecretName(name) {
			return name + "=" + Mask
		}
		return found
	})
}

// maskLong hides a long run in which letters and digits take turns as in a token.
func maskLong(run string) string {
	if len(mixed().FindAllString(run, 3)) == 3 {
		return Mask
	}
	return run
}

// leastToken is the length of the shortest token of an issuer that is known by its beginning.
const leastToken = 20

// MaskTokens hides tokens where none belongs, such as in a key or the name of a directory.
func MaskTokens(text string) string {
	return tokenInside().ReplaceAllStringFunc(text, func(token string) string {
		if len(token) < leastToken || !strings.ContainsAny(token, "0123456789") {
			return token
		}
		return Mask
	})
}

// oneSlash matches user info behind a scheme with a slash too few.
var oneSlash = kit.Pattern(`\b([A-Za-z][A-Za-z0-9+.-]*:/)[^\s/@:]+:[^\s/@]+@`)

var query = kit.Pattern(`=[^&]*`)

// MaskURL returns a URL with its user info, query values, fragment and token-like path segments as ***.
// Variables stay as written. Of an invalid URL only the scheme is shown.
func MaskURL(raw string) string {
	scheme, rest, ok := strings.Cut(raw, "://")
	if ok {
		scheme += "://"
	} else {
		scheme, rest = "", raw
	}
	if _, err := url.Parse(withDefault().ReplaceAllString(raw, "1")); err != nil {
		return scheme + Mask
	}
	rest, fragment, hasFragment := strings.Cut(rest, "#")
	rest, search, hasQuery := strings.Cut(rest, "?")
	host, path, hasPath := strings.Cut(rest, "/")
	shown := scheme
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		shown, host = shown+Mask+"@", host[at+1:]
	}
	shown += host
	if hasPath {
		shown += "/" + maskPath(path)
	}
	if hasQuery && search != "" {
		shown += "?" + maskQuery(search)
	}
	if hasFragment && fragment != "" {
		shown += "#" + Mask
	}
	return shown
}

// maskPath masks token-like segments, and a path with "@" as a whole: it is the rest of a password with a
// slash.
func maskPath(path string) string {
	if strings.Contains(strings.ReplaceAll("/"+path, "/@", "/"), "@") {
		return Mask
	}
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if !IsVariable(s) && (secretValue().MatchString(s) || maskLong(s) != s && len(s) >= 16) {
			segments[i] = Mask
		}
	}
	return strings.Join(segments, "/")
}

func maskQuery(search string) string {
	if !strings.Contains(search, "=") {
		return Mask
	}
	return query().ReplaceAllStringFunc(search, func(pair string) string { return "=" + maskRest(pair[1:]) })
}

// aboutSecrets are names that speak of secrets and hold none: where one is kept, whose it is, how much of it
// there may be.
var aboutSecrets = kit.Pattern(
	`(?i)([_-](files?|path|dir|url|uri|host|port|name|id|type|kind|mode|limit|ttl|expiry|header|prefix|` +
		`algorithm|provider)|tokens|tokenizer|authors?|author[_-].*)$`)

// SecretName reports whether a variable, header or parameter of this name holds a secret.
func SecretName(name string) bool {
	return secretWord().MatchString(name) && !aboutSecrets().MatchString(name)
}

// Hidden returns the parts of texts that their masked forms do not show, which a server may quote, also
// without the escapes of URLs.
func Hidden(texts, shown []string) []string {
	var secrets []string
	for i, text := range texts {
		for _, part := range hidden(text, shown[i]) {
			secrets = append(secrets, part)
			if user, password, ok := strings.Cut(part, ":"); ok && user != "" && password != "" {
				secrets = append(secrets, password)
			}
		}
	}
	for _, part := range slices.Clone(secrets) {
		if plain, err := url.QueryUnescape(part); err == nil && plain != part {
			secrets = append(secrets, plain)
		}
	}
	return secrets
}

func hidden(text, shown string) []string {
	pieces := strings.Split(shown, Mask)
	rest, ok := strings.CutPrefix(text, pieces[0])
	if !ok {
		return []string{text}
	}
	var parts []string
	for i, piece := range pieces[1:] {
		end := len(rest)
		if piece != "" {
			end = strings.Index(rest, piece)
		}
		if i == len(pieces)-2 && strings.HasSuffix(rest, piece) {
			end = len(rest) - len(piece)
		}
		if end < 0 {
			return append(parts, rest)
		}
		if end > 0 {
			parts = append(parts, rest[:end])
		}
		rest = rest[end+len(piece):]
	}
	return parts
}

// leastOpaque is the length in bytes from which a value is hidden in what servers offer under any name.
const leastOpaque = 16

var (
	hostOnly = kit.Pattern(
		`^(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,24}\.?(?::\d+)?$`)
	numberOnly = kit.Pattern(`^[0-9][0-9.,:/ _+-]*$`)
)

// Opaque reports whether a value that a server was given can be hidden in what it offers without taking away
// ordinary words: it is long, and not a path, host, URL or number.
func Opaque(value string) bool {
	switch {
	case len(value) < leastOpaque, numberOnly().MatchString(value), hostOnly().MatchString(value):
		return false
	case pathLike().MatchString(value):
		return maskPath(value) != value
	case address().FindString(value) == value:
		return MaskURL(value) != value
	}
	return true
}

// Sensitive reports whether the name or the look of a value is that of a secret.
func Sensitive(name, value string) bool {
	return value != "" && (SecretName(name) || MaskText(value) != value)
}

// URL returns the secret parts of a URL: user info, token-like segments, and query values with names or looks
// of secrets.
func URL(raw string) []string {
	address, search, _ := strings.Cut(raw, "?")
	secrets := Hidden([]string{address}, []string{MaskURL(address)})
	search, _, _ = strings.Cut(search, "#")
	for _, pair := range strings.Split(search, "&") {
		name, written, _ := strings.Cut(pair, "=")
		if value, err := url.QueryUnescape(written); err == nil && Sensitive(name, value) {
			secrets = append(secrets, value)
		}
	}
	return secrets
}

// InEnvironment returns the values of an environment ("K=V", as os.Environ returns it) whose names or looks
// are those of secrets.
func InEnvironment(environ []string) []string {
	var values []string
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		if (secretWord().MatchString(name) || MaskText(value) != value) && !strings.HasPrefix(value, "/") {
			values = append(values, value)
		}
	}
	return values
}
