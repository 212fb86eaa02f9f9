package check

import (
	"net/url"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/wording"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// securityRules are about what a server may do to those who trust it: few and precise.
var securityRules = map[string]look{
	"text-hidden-characters": ofTexts(func(p passage, at spot) {
		if hidden := snapshot.Hidden(p.text); len(hidden) > 0 {
			at.say("", rawjson.Quote(p.text),
				"The text holds %d characters that nobody sees, the first is %U.", len(hidden), hidden[0])
		}
	}),
	"text-instructs-model":       instructions,
	"text-claims-priority":       ofTexts(matching("The text says %s.", wording.PriorityClaims...)),
	"text-names-credential-file": ofTexts(matching("The text names %s.", credentialFile)),
	"text-hidden-comment":        ofTexts(matching("The text has the comment %s.", comment)),
	"text-padded":                ofTexts(padded),
	"secret-exposed":             secrets,
	"url-with-credentials":       ofTexts(credentials),
}

var (
	credentialFile = kit.Pattern(`(?i)(?:~|\$HOME|/home/[^/\s]+|/Users/[^/\s]+|/root)/(?:` +
		`\.ssh/(?:id_[a-z0-9]+|authorized_keys)|\.aws/credentials|\.netrc|\.npmrc|\.pypirc|\.git-credentials|` +
		`\.cursor/mcp\.json|\.docker/config\.json|\.config/gcloud/[\w.-]+|\.kube/config)|` +
		`/etc/shadow|/proc/self/environ|claude_desktop_config\.json`)
	comment = kit.Pattern(`(?s)<!--.{0,200}?-->`)
	gap     = kit.Pattern(`[ \t\x{00a0}]{200,}|(?:\r?\n[ \t]*){40,}`)
)

// instructions reports texts that give orders, about this server or about another one's tools.
func instructions(s *server, report tell) {
	told := map[string]bool{}
	once := func(f finding.Finding) {
		if place := f.Item + f.Path; !told[place] {
			told[place] = true
			report(f)
		}
	}
	ofTexts(poisoned)(s, once)
	shadowing(s, once)
}

// matching tells the first match of some patterns in a text, however it is disguised.
func matching(message string, patterns ...lazy) func(passage, spot) {
	return func(p passage, at spot) {
		if p.short() {
			return
		}
		read := wording.Read(p.text)
		for _, pattern := range patterns {
			if found := read.Find(pattern); found != nil {
				said := rawjson.Quote(strings.TrimSpace(p.text[found[0]:found[1]]))
				at.say("", said, message, said)
				return
			}
		}
	}
}

func padded(p passage, at spot) {
	if blanks := strings.Count(p.text, " ") + strings.Count(p.text, "\t") + strings.Count(p.text, "\n") +
		strings.Count(p.text, "\u00a0"); blanks < 40 {
		return
	}
	if blank := gap().FindStringIndex(p.text); blank != nil && strings.TrimSpace(p.text[blank[1]:]) != "" {
		at.say("", nil, "The text has a gap of %d blank characters in it.", blank[1]-blank[0])
	}
}

// secretForm is the form of one kind of key, as its issuer documents it.
type secretForm struct {
	name    string
	pattern lazy
}

var secretForms = []secretForm{
	{"a private key", kit.Pattern(`-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----\s*[A-Za-z0-9+/=]{16,}`)},
	{"a token of GitHub", kit.Pattern(`\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{60,})\b`)},
	{"a token of GitLab", kit.Pattern(`\bglpat-[A-Za-z0-9_-]{20,}`)},
	{"an access key of AWS", kit.Pattern(`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`)},
	{"an API key of Google", kit.Pattern(`\bAIza[A-Za-z0-9_-]{35}\b`)},
	{"a token of Slack", kit.Pattern(`\bxox[abprs]-[0-9]{8,}-[A-Za-z0-9-]{10,}`)},
	{"a token of npm", kit.Pattern(`\bnpm_[A-Za-z0-9]{36}\b`)},
	{"an API key of Anthropic", kit.Pattern(`\bsk-ant-[a-z0-9]+-[A-Za-z0-9_-]{32,}`)},
	{"an API key of OpenAI", kit.Pattern(`\bsk-(?:proj-)?[A-Za-z0-9_-]{40,}`)},
	{"a secret key of Stripe", kit.Pattern(`\b[sr]k_live_[A-Za-z0-9]{24,}`)},
}

// shownOfSecret is how many characters of a secret a report may show.
const shownOfSecret = 6

// secrets tells of what looks like a key, and of what the prober has masked because the server was given it.
func secrets(s *server, report tell) {
	noticed("secret-echoed")(s, report)
	keysInText(s, report)
}

var keysInText = ofTexts(func(p passage, at spot) {
	if p.short() {
		return
	}
	for _, form := range secretForms {
		if found := form.pattern().FindString(p.text); found != "" && !placeholder(found) {
			at.way = masked(p)
			at.say("", rawjson.Quote(found[:shownOfSecret]+"…"), "The text holds what looks like %s.",
				form.name)
			return
		}
	}
})

// masked is the way to a passage; of a name that is the secret itself only the way to the object around it.
func masked(p passage) *trail {
	if p.key {
		return p.way.up
	}
	return p.way
}

// placeholder tells an example of documentation from a key: it says so, or has hardly any different
// characters.
func placeholder(text string) bool {
	different := map[rune]bool{}
	for _, r := range strings.ToLower(text) {
		different[r] = true
	}
	return len(different) < 10 || admits(text)
}

func admits(text string) bool {
	lower := strings.ToLower(text)
	return slices.ContainsFunc([]string{"example", "xxxx", "your", "placeholder", "dummy", "1234567890",
		"abcdef"}, func(word string) bool {
		return strings.Contains(lower, word)
	})
}

var withUser = kit.Pattern(`\b[a-z][a-z0-9+.-]*://[^\s/?#@"'<>:]+:[^\s/?#@"'<>]+@[^\s/?#"'<>]+`)

func credentials(p passage, at spot) {
	if p.short() {
		return
	}
	for _, found := range withUser().FindAllString(p.text, -1) {
		if u, err := url.Parse(found); err == nil && realPassword(u) {
			at.way = masked(p)
			at.say("", rawjson.Quote(u.Scheme+"://…@"+u.Host),
				"The text holds the password of a user at %s.", u.Host)
			return
		}
	}
}

// realPassword tells a password from what documentation writes in its place.
func realPassword(u *url.URL) bool {
	password, _ := u.User.Password()
	stands := []string{"password", "passwd", "pass", "pwd", "secret", "token", "…", "..."}
	return !strings.ContainsAny(password, "<>{}$*[]") &&
		!slices.Contains(stands, strings.ToLower(password)) && !admits(password)
}
