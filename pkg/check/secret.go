package check

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

// secretForm is the form of one kind of key, as its issuer documents it.
type secretForm struct {
	name    string
	pattern lazy
}

var secretForms = []secretForm{
	{"a private key", expression(`-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----\s*[A-Za-z0-9+/=]{16,}`)},
	{"a token of GitHub", expression(`\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{60,})\b`)},
	{"a token of GitLab", expression(`\bglpat-[A-Za-z0-9_-]{20,}`)},
	{"an access key of AWS", expression(`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`)},
	{"an API key of Google", expression(`\bAIza[A-Za-z0-9_-]{35}\b`)},
	{"a token of Slack", expression(`\bxox[abprs]-[0-9]{8,}-[A-Za-z0-9-]{10,}`)},
	{"a token of npm", expression(`\bnpm_[A-Za-z0-9]{36}\b`)},
	{"an API key of Anthropic", expression(`\bsk-ant-[a-z0-9]+-[A-Za-z0-9_-]{32,}`)},
	{"an API key of OpenAI", expression(`\bsk-(?:proj-)?[A-Za-z0-9_-]{40,}`)},
	{"a secret key of Stripe", expression(`\b[sr]k_live_[A-Za-z0-9]{24,}`)},
}

// shownOfSecret is how many characters of a secret a report may show.
const shownOfSecret = 6

// secrets tells of what looks like a key, and of what the prober has masked because the server was given it.
func secrets(s *subject, report tell) {
	noticed("secret-echoed")(s, report)
	for _, p := range s.texts {
		for _, form := range secretForms {
			if found := form.pattern().FindString(p.text); found != "" && !placeholder(found) {
				report(finding.Finding{Item: p.item, Path: masked(p), New: quoted(found[:shownOfSecret] + "…"), Message: fmt.Sprintf("The text holds what looks like %s.", form.name)})
				break
			}
		}
	}
}

// masked is the path of a passage; of a name that is the secret itself only the object around it.
func masked(p passage) string {
	if p.key {
		return p.path()[:strings.LastIndex(p.path(), "/")]
	}
	return p.path()
}

// placeholder tells an example of documentation from a key: it says so, or has hardly any different characters.
func placeholder(text string) bool {
	different := map[rune]bool{}
	for _, r := range strings.ToLower(text) {
		different[r] = true
	}
	return len(different) < 10 || admits(text)
}

// admits tells whether a text says of itself that it is no secret.
func admits(text string) bool {
	lower := strings.ToLower(text)
	return slices.ContainsFunc([]string{"example", "xxxx", "your", "placeholder", "dummy", "1234567890", "abcdef"}, func(word string) bool {
		return strings.Contains(lower, word)
	})
}

var withUser = expression(`\b[a-z][a-z0-9+.-]*://[^\s/?#@"'<>:]+:[^\s/?#@"'<>]+@[^\s/?#"'<>]+`)

func credentials(s *subject, report tell) {
	for _, p := range s.texts {
		for _, found := range withUser().FindAllString(p.text, -1) {
			if u, err := url.Parse(found); err == nil && realPassword(u) {
				report(finding.Finding{Item: p.item, Path: masked(p), New: quoted(u.Scheme + "://…@" + u.Host), Message: fmt.Sprintf("The text holds the password of a user at %s.", u.Host)})
				break
			}
		}
	}
}

// realPassword tells a password from what documentation writes in its place.
func realPassword(u *url.URL) bool {
	password, _ := u.User.Password()
	stands := []string{"password", "passwd", "pass", "pwd", "secret", "token", "…", "..."}
	return !strings.ContainsAny(password, "<>{}$*[]") && !slices.Contains(stands, strings.ToLower(password)) && !admits(password)
}
