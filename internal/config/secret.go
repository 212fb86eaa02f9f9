package config

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/pkg/probe"
)

// secretsIn are the parts of texts that MaskArgs and MaskURL would not show: values of --token and its like, user info,
// what looks like a token. A server may quote them back.
func secretsIn(texts, shown []string) []probe.Secret {
	var secrets []probe.Secret
	for i, text := range texts {
		for _, part := range hidden(text, shown[i]) {
			secrets = append(secrets, probe.Secret(part))
			if user, password, ok := strings.Cut(part, ":"); ok && user != "" && password != "" {
				secrets = append(secrets, probe.Secret(password))
			}
		}
	}
	return secrets
}

// secretsOfArgs are those in arguments alone.
func secretsOfArgs(args []expanded) []probe.Secret {
	var values []string
	for _, a := range args {
		values = append(values, a.value)
	}
	return secretsIn(values, MaskArgs(values))
}

// hidden are the parts of text that *** stands for in shown.
func hidden(text, shown string) []string {
	pieces := strings.Split(shown, masked)
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

// confidential are the values that are put into s for variables that must not be shown: the name or the look of the value
// says so, or it is the answer to a hidden input.
func (x expander) confidential(s string) []probe.Secret {
	var secrets []probe.Secret
	for s != "" {
		_, token, rest := x.next(s)
		s = rest
		if _, folder := x.folders(strings.TrimSuffix(strings.TrimPrefix(token, "${"), "}")); token == "" || folder {
			continue
		}
		value, _, _ := x.replace(token)
		if value != "" && (secretName(strings.Trim(token, "${}")) || maskText(value) != value || x.hides(token)) {
			secrets = append(secrets, probe.Secret(value))
		}
	}
	return secrets
}

// aboutSecrets are names that speak of secrets and hold none: where one is kept, whose it is, how much of it there may be.
var aboutSecrets = regexp.MustCompile(`(?i)([_-](files?|path|dir|url|uri|host|port|name|id|type|kind|mode|limit|ttl|expiry|header|prefix|algorithm|provider)|tokens|tokenizer|authors?|author[_-].*)$`)

// secretName is whether a variable, header or parameter of this name holds a secret.
func secretName(name string) bool {
	return secretWord.MatchString(name) && !aboutSecrets.MatchString(name)
}

// misplaced are tokens where none belongs: in the address or the working folder.
func misplaced(s probe.Server) []probe.Secret {
	var texts, shown []string
	if s.Stdio != nil {
		texts = append(texts, s.Stdio.Dir, s.Stdio.Command)
	}
	if s.HTTP != nil {
		texts = append(texts, s.HTTP.URL)
	}
	for _, text := range texts {
		shown = append(shown, maskTokens(text))
	}
	return secretsIn(texts, shown)
}

// Confidential are the values of environment variables or headers whose name or look says that they are secret.
func Confidential(values map[string]probe.Secret) []probe.Secret {
	var secrets []probe.Secret
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if value := values[name].Reveal(); value != "" && (secretName(name) || maskText(value) != value) {
			secrets = append(secrets, values[name])
		}
	}
	return secrets
}

// secretsOfURL are the parts of a URL that are secret by their place or look: user info, segments of the path, and values
// of the query that are called so.
func secretsOfURL(raw string) []probe.Secret {
	address, search, _ := strings.Cut(raw, "?")
	secrets := secretsIn([]string{address}, []string{MaskURL(address)})
	search, _, _ = strings.Cut(search, "#")
	for _, pair := range strings.Split(search, "&") {
		name, written, _ := strings.Cut(pair, "=")
		if value, err := url.QueryUnescape(written); err == nil && value != "" && (secretName(name) || maskText(value) != value) {
			secrets = append(secrets, probe.Secret(value))
		}
	}
	return secrets
}
