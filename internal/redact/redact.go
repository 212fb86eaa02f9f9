// Package redact hides known secrets in texts, in whichever of the usual ways they were written there.
//
// It knows values, not what secrets look like: it hides what it was told to, and nothing else.
package redact

import (
	"cmp"
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
)

// Mask stands for what is not shown.
const Mask = "***"

// Least is the length below which a value is not looked for, in bytes: it would hide ordinary words and numbers.
const Least = 4

// Secrets are values to hide. The zero value hides nothing; a value may be used by several goroutines.
type Secrets struct{ forms []string } // each once, longest first

// Of are the secrets with these values.
func Of(values ...string) Secrets { return Secrets{}.And(values...) }

// And are the secrets of s and further ones.
func (s Secrets) And(values ...string) Secrets {
	all := slices.Clone(s.forms)
	for _, value := range values {
		all = append(all, forms(value)...)
	}
	all = slices.DeleteFunc(all, func(form string) bool { return len(form) < Least })
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return Secrets{slices.Compact(all)}
}

// Elision is what stands in a text where the rest of something was left out.
const Elision = "…"

// Text is text with every secret in it replaced by Mask, and what is left of one beside an Elision.
func (s Secrets) Text(text string) string {
	for _, form := range s.forms {
		text = strings.ReplaceAll(text, form, Mask)
	}
	pieces := strings.Split(text, Elision)
	for i := range pieces[:len(pieces)-1] {
		for _, form := range s.forms {
			pieces[i], pieces[i+1] = end(pieces[i], form), start(pieces[i+1], form)
		}
	}
	return strings.Join(pieces, Elision)
}

// In tells whether a text holds a secret.
func (s Secrets) In(text string) bool {
	return slices.ContainsFunc(s.forms, func(form string) bool { return strings.Contains(text, form) })
}

// Cut is Text for a text that was cut out of a longer one: the part of a secret that was left at an edge is replaced, too.
func (s Secrets) Cut(text string) string {
	text = s.Text(text)
	for _, form := range s.forms {
		text = end(start(text, form), form)
	}
	return text
}

// start replaces the longest end of form that text begins with.
func start(text, form string) string {
	for n := min(len(form)-1, len(text)); n >= Least; n-- {
		if strings.HasPrefix(text, form[len(form)-n:]) {
			return Mask + text[n:]
		}
	}
	return text
}

// end replaces the longest beginning of form that text ends with.
func end(text, form string) string {
	for n := min(len(form)-1, len(text)); n >= Least; n-- {
		if strings.HasSuffix(text, form[:n]) {
			return text[:len(text)-n] + Mask
		}
	}
	return text
}

// Header are the secrets in a header's value: the whole, the credential of "Bearer abc", the user and password of
// "Basic dXNlcjpwYXNz", and the values of cookies.
func Header(value string) []string {
	secrets := []string{value}
	scheme, credential, ok := strings.Cut(value, " ")
	if credential = strings.TrimSpace(credential); ok {
		secrets = append(secrets, credential)
	}
	if user, err := base64.StdEncoding.DecodeString(credential); err == nil && strings.EqualFold(scheme, "Basic") {
		_, password, _ := strings.Cut(string(user), ":")
		secrets = append(secrets, string(user), password)
	}
	for _, cookie := range strings.Split(value, ";") {
		if _, value, ok := strings.Cut(cookie, "="); ok {
			secrets = append(secrets, strings.Trim(strings.TrimSpace(value), `"`))
		}
	}
	return secrets
}

// URL are the secrets in a URL: its user info, as written, decoded and as HTTP sends it, and the values of its query. What
// is no URL is a secret as a whole.
func URL(raw string) []string {
	address, err := url.Parse(raw)
	if err != nil {
		return []string{raw}
	}
	var secrets []string
	if user := address.User; user != nil {
		password, _ := user.Password()
		written, _, _ := strings.Cut(raw, "@")
		_, written, _ = strings.Cut(written, "//")
		_, writtenPassword, _ := strings.Cut(written, ":")
		secrets = append(secrets, written, writtenPassword, user.String(), user.Username(), password, user.Username()+":"+password)
	}
	for _, pair := range strings.Split(address.RawQuery, "&") {
		_, value, _ := strings.Cut(pair, "=")
		secrets = append(secrets, value)
	}
	for _, values := range address.Query() {
		secrets = append(secrets, values...)
	}
	return append(secrets, address.Fragment)
}
