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
type Secrets struct {
	forms  []string // each once, longest first
	finder *finder  // nil = nothing is hidden
}

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
	if all = slices.Compact(all); len(all) == 0 {
		return Secrets{}
	}
	return Secrets{all, newFinder(all)}
}

// Elision is what stands in a text where the rest of something was left out.
const Elision = "…"

// Text is text with every secret in it replaced by Mask, and what is left of one beside an Elision. Longer secrets are also
// found where lines were wrapped, in another case of letters, and in base64, once more encoded or not.
func (s Secrets) Text(text string) string {
	if s.finder == nil {
		return text
	}
	for _, form := range s.forms {
		text = strings.ReplaceAll(text, form, Mask)
	}
	text = cover(text, s.finder.spans(text, false))
	text = cover(text, s.finder.encodedSpans(text, nested, false))
	pieces := strings.Split(text, Elision)
	for i := range pieces[:len(pieces)-1] {
		for _, form := range s.forms {
			pieces[i], pieces[i+1] = end(pieces[i], form), start(pieces[i+1], form)
		}
	}
	return strings.Join(pieces, Elision)
}

// cover is text with pieces of it replaced by Mask.
func cover(text string, spans []span) string {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	var out strings.Builder
	end := 0
	for _, s := range spans {
		if s.start >= end {
			out.WriteString(text[end:s.start] + Mask)
		}
		end = max(end, s.end)
	}
	return out.String() + text[end:]
}

// In tells whether a text holds a secret.
func (s Secrets) In(text string) bool {
	return s.finder != nil && (slices.ContainsFunc(s.forms, func(form string) bool { return strings.Contains(text, form) }) ||
		len(s.finder.spans(text, true)) > 0 || len(s.finder.encodedSpans(text, nested, true)) > 0)
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
