package check

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/wording"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// securityRules are on attacks against users and on leaked credentials: few and precise.
var securityRules = map[string]rule{
	"text-hidden-characters": eachText(func(t text, at location) {
		if hidden := snapshot.Hidden(t.value); len(hidden) > 0 {
			at.add("", rawjson.Quote(excerpt(t.value, hidden[0])), "The text contains %s (first: %U).",
				kit.Counted(len(hidden), "invisible character"), hidden[0])
		}
	}),
	"text-hides-order":           orderRule(true),
	"text-instructs-model":       orderRule(false),
	"text-claims-priority":       eachPhraseOnce(claimsPriority),
	"text-names-credential-file": eachPhraseOnce(namesCredentialFile),
	"text-hidden-comment":        eachPhraseOnce(hidesComment),
	"text-padded":                eachText(textPadded),
	"secret-exposed":             combined(noticed("secret-echoed"), eachPhraseOnce(secretInText)),
	"url-with-credentials":       eachPhraseOnce(urlWithCredentials),
}

// orderRule makes a rule that reports the first order in each text: those without an innocent reading, or the
// others.
func orderRule(strict bool) rule {
	return func(s *server, report reporter) {
		orders := s.orders()
		for n, t := range s.texts {
			if o, found := orders[n]; found && o.Strict == strict && !s.stopped() {
				at := location{s, t.item, t.path, report}
				at.add("", rawjson.Quote(o.Passage), "%s", o.String())
			}
		}
	}
}

// findOrders returns the first order in each text that has one, by its index.
func (s *server) findOrders() map[int]wording.Order {
	found := map[int]wording.Order{}
	for n, t := range s.texts {
		if len(t.value) < minPhrase || s.stopped() {
			continue
		}
		if o, ok := wording.FindOrder(t.value, t.prose); ok {
			found[n] = o
		}
	}
	return found
}

// excerpt returns the surroundings of a character.
func excerpt(text string, r rune) string {
	const around = 60
	at := strings.IndexRune(text, r)
	start, end := max(0, at-around), min(len(text), at+around)
	return strings.ToValidUTF8(text[start:end], "")
}

var (
	comment = kit.Pattern(`(?s)<!--.*?-->`)
	gap     = kit.Pattern(`[ \t\x{00a0}]{200,}|(?:\r?\n[ \t]*){40,}`)
)

// claimsPriority looks for a claim that the tool goes before others.
func claimsPriority(t text, at location) {
	if claims := wording.Claims(t.value); len(claims) > 0 {
		said := rawjson.Quote(claims[0].Passage)
		at.add("", said, "The text claims priority: %s.", said)
	}
}

// hidesComment looks for a comment, which a model reads and a rendered text does not show.
func hidesComment(t text, at location) {
	if found := wording.Read(t.value).Find(comment); found != nil {
		const longest = 210
		said := rawjson.Quote(kit.Clip(strings.TrimSpace(t.value[found[0]:found[1]]), longest))
		at.add("", said, "The text has the hidden comment %s.", said)
	}
}

// namesCredentialFile looks for the path of a file with credentials. An order to read it or pass it on
// is worse than a sentence that only says what the tool does with it.
func namesCredentialFile(t text, at location) {
	found := wording.Read(t.value).Find(wording.CredentialFile)
	if found == nil {
		return
	}
	passage := rawjson.Quote(strings.TrimSpace(t.value[found[0]:found[1]]))
	f := finding.Finding{Item: at.item, Path: at.path.String(), New: passage,
		Message: fmt.Sprintf("The text names the credential file %s.", passage)}
	switch weight, first := wording.SentenceAt(t.value, found[0]); {
	case weight > 0:
	case thirdPerson(first) && english().MatchString(t.value): // such as "Reads"
		f = lowered(f, describesItsUse)
	default:
		f = lowered(f, withoutOrder)
	}
	at.report(f)
}

// thirdPerson reports whether a word may be a verb that says what a tool does, such as "Reads".
func thirdPerson(word string) bool {
	return strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss")
}

var english = kit.Pattern(`(?i)\b(?:the|of|and|from|with)\b`)

// textPadded looks for 200 blanks or 40 empty lines with text after them, which a user may not see. Texts
// with few blanks are passed over first, because matching the pattern takes time.
func textPadded(t text, at location) {
	if blanks := strings.Count(t.value, " ") + strings.Count(t.value, "\t") + strings.Count(t.value, "\n") +
		strings.Count(t.value, "\u00a0"); blanks < 40 {
		return
	}
	if found := gap().FindStringIndex(t.value); found != nil &&
		strings.TrimSpace(t.value[found[1]:]) != "" {
		at.add("", nil, "The text has a gap of %d blank characters.", found[1]-found[0])
	}
}

// secretForms are the forms of keys, as their issuers document them.
var secretForms = []struct {
	name    string
	pattern lazy
}{
	{"a private key", kit.Pattern(`-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----\s*[A-Za-z0-9+/=]{16,}`)},
	{"a GitHub token", kit.Pattern(`\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{60,})\b`)},
	{"a GitLab token", kit.Pattern(`\bglpat-[A-Za-z0-9_-]{20,}`)},
	{"an AWS access key", kit.Pattern(`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`)},
	{"a Google API key", kit.Pattern(`\bAIza[A-Za-z0-9_-]{35}\b`)},
	{"a Slack token", kit.Pattern(`\bxox[abprs]-[0-9]{8,}-[A-Za-z0-9-]{10,}`)},
	{"an npm token", kit.Pattern(`\bnpm_[A-Za-z0-9]{36}\b`)},
	{"an Anthropic API key", kit.Pattern(`\bsk-ant-[a-z0-9]+-[A-Za-z0-9_-]{32,}`)},
	{"an OpenAI API key", kit.Pattern(`\bsk-(?:proj-)?[A-Za-z0-9_-]{40,}`)},
	{"a JSON web token", kit.Pattern(`\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{20,}`)},
	{"a Stripe secret key", kit.Pattern(`\b[sr]k_live_[A-Za-z0-9]{24,}`)},
}

// maxSecretShown is how many characters of a secret a report shows.
const maxSecretShown = 6

// secretInText looks for texts with a key in a form that its issuer documents, such as ghp_ and 36 letters.
// Only its first characters are reported, and keys that are clearly examples are not.
func secretInText(t text, at location) {
	lower := strings.ToLower(t.value)
	for _, form := range secretForms {
		if !wording.MayMatch(form.pattern(), lower) {
			continue
		}
		if found := form.pattern().FindString(t.value); found != "" && !isExample(found) {
			at.path = t.pathWithoutSecret()
			at.add("", rawjson.Quote(found[:maxSecretShown]+"…"), "The text contains %s.", form.name)
			return
		}
	}
}

// pathWithoutSecret returns the pointer to the text; of a name that holds a secret, that of the object.
func (t text) pathWithoutSecret() *pointer {
	if t.key {
		return t.path.parent
	}
	return t.path
}

// isExample reports whether a key is one of documentation: it says so, or has few different characters.
func isExample(key string) bool {
	return len(kit.Distinct([]rune(strings.ToLower(key)))) < 10 || saysExample(key)
}

func saysExample(text string) bool {
	lower := strings.ToLower(text)
	return slices.ContainsFunc([]string{"example", "xxxx", "your", "placeholder", "dummy", "1234567890",
		"abcdef"}, func(word string) bool { return strings.Contains(lower, word) })
}

var urlWithUser = kit.Pattern(`\b[a-z][a-z0-9+.-]*://[^\s/?#@"'<>:]+:[^\s/?#@"'<>]+@[^\s/?#"'<>]+`)

// urlWithCredentials looks for texts with a password in a URL, such as postgres://app:pa55word@db/x. The
// finding leaves out user and password.
func urlWithCredentials(t text, at location) {
	for _, found := range urlWithUser().FindAllString(t.value, -1) {
		if u, err := url.Parse(found); err == nil && hasPassword(u) {
			at.path = t.pathWithoutSecret()
			at.add("", rawjson.Quote(u.Scheme+"://…@"+u.Host), "The text contains a password for %s.",
				u.Host)
			return
		}
	}
}

// hasPassword reports whether a URL has a password other than those of documentation.
func hasPassword(u *url.URL) bool {
	password, _ := u.User.Password()
	examples := []string{"password", "passwd", "pass", "pwd", "secret", "token", "…", "..."}
	return !strings.ContainsAny(password, "<>{}$*[]") &&
		!slices.Contains(examples, strings.ToLower(password)) && !saysExample(password)
}
