package schema

import (
	"net/mail"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/pkg/schema/internal/pattern"
)

// formats judges strings by the formats of 2020-12 validation §7.3. A nil one takes formats for the annotations that
// they are by default (§7.2.1).
type formats struct{}

func newFormats(assert bool) *formats {
	if !assert {
		return nil
	}
	return &formats{}
}

// accepts reports whether a string has a format. It is unsure of one that it does not know.
func (f *formats) accepts(name, s string) answer {
	if f == nil {
		return inhabited
	}
	switch name {
	case "date-time":
		return parses(time.Parse(time.RFC3339, strings.ToUpper(s)))
	case "date":
		return parses(time.Parse(time.DateOnly, s))
	case "time":
		return parses(time.Parse("15:04:05Z07:00", strings.ToUpper(s)))
	case "email":
		address, err := mail.ParseAddress(s)
		return answerOf(err == nil && address.Address == s)
	case "hostname":
		return answerOf(isHostname(s))
	case "ipv4":
		ip, err := netip.ParseAddr(s)
		return answerOf(err == nil && ip.Is4())
	case "ipv6":
		ip, err := netip.ParseAddr(s)
		return answerOf(err == nil && ip.Is6() && ip.Zone() == "")
	case "uri":
		u, err := url.Parse(s)
		return answerOf(err == nil && u.IsAbs())
	case "uri-reference":
		return parses(url.Parse(s))
	case "uuid":
		return answerOf(isUUID(s))
	case "json-pointer":
		return answerOf(isPointer(s))
	case "regex":
		if _, err := pattern.Parse(s); err != nil {
			return unsure // it may be one that is only not decided here
		}
		return inhabited
	}
	return unsure
}

func parses[T any](_ T, err error) answer { return answerOf(err == nil) }

// formatExample returns a string of a format, empty for one that is not known.
func formatExample(name string) string {
	switch name {
	case "date-time":
		return "2026-01-31T12:00:00Z"
	case "date":
		return "2026-01-31"
	case "time":
		return "12:00:00Z"
	case "duration":
		return "P1D"
	case "email", "idn-email":
		return "ada@example.com"
	case "hostname", "idn-hostname":
		return "example.com"
	case "ipv4":
		return "192.0.2.1"
	case "ipv6":
		return "2001:db8::1"
	case "uri", "iri", "url":
		return "https://example.com"
	case "uri-reference", "iri-reference", "json-pointer":
		return "/a"
	case "uuid":
		return "123e4567-e89b-12d3-a456-426614174000"
	case "regex":
		return "^a$"
	case "uri-template":
		return "/{id}"
	}
	return ""
}

// isHostname follows RFC 1123 §2.1.
func isHostname(s string) bool {
	if len(s) > 253 {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		odd := strings.Trim(label, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") != ""
		if label == "" || len(label) > 63 || odd || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
	}
	return true
}

// isUUID follows RFC 4122 §3.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i, c := range []byte(s) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (c == '-') || !dash && !strings.ContainsRune("0123456789abcdefABCDEF", rune(c)) {
			return false
		}
	}
	return true
}

// isPointer follows RFC 6901 §3.
func isPointer(s string) bool {
	rest := strings.NewReplacer("~0", "", "~1", "").Replace(s)
	return s == "" || s[0] == '/' && !strings.Contains(rest, "~")
}
