package auth

import (
	"strconv"
	"strings"
)

// quoted is a short text of a stranger, quoted for people.
func quoted(text string) string {
	const most = 200
	if len(text) > most {
		return strconv.QuoteToASCII(text[:most]) + "…"
	}
	return strconv.QuoteToASCII(text)
}

// unprintable tells runes that have no place in a URL or a token.
func unprintable(r rune) bool { return r <= 0x20 || r >= 0x7f }

// words are the values of a list with spaces between them, each once, in order.
func words(lists ...string) []string {
	seen := map[string]bool{}
	var all []string
	for _, word := range strings.Fields(strings.Join(lists, " ")) {
		if !seen[word] {
			seen[word] = true
			all = append(all, word)
		}
	}
	return all
}

// Bounds of what is asked for, whatever servers name.
const (
	mostScopes   = 100
	longestScope = 256
)

// scopes are the scopes of some lists, each once. What is not a scope-token (RFC 6749, 3.3) is left out, and what is more
// than anybody could agree to.
func scopes(lists ...[]string) []string {
	var all []string
	for _, list := range lists {
		for _, scope := range words(strings.Join(list, " ")) {
			if len(scope) <= longestScope && !strings.ContainsFunc(scope, func(r rune) bool { return unprintable(r) || r == '"' || r == '\\' }) {
				all = append(all, scope)
			}
		}
	}
	all = words(strings.Join(all, " "))
	return all[:min(len(all), mostScopes)]
}
