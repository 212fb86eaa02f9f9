package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"mime/quotedprintable"
	"net/url"
	"strings"
	"testing"
)

// wrapped is a text with a line break after so many bytes.
func wrapped(text string, width int, end string) string {
	var out strings.Builder
	for len(text) > width {
		out.WriteString(text[:width] + end)
		text = text[width:]
	}
	return out.String() + text
}

// TestFoundHoweverWritten hides a token in every way that tools wrap, spell and nest it, wherever in it the wrap falls.
func TestFoundHoweverWritten(t *testing.T) {
	const token = "glsa_Zx81kQvT02mNpR7wYbEo4uHs_9d2c71aF"
	std := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	ways := map[string]func(string) string{
		"white space":             func(s string) string { return strings.Join(strings.Split(s, ""), " ") },
		"no-break spaces":         func(s string) string { return wrapped(s, 7, "\u00a0") },
		"wide spaces":             func(s string) string { return wrapped(s, 2, "\u2003\u3000") },
		"other line breaks":       func(s string) string { return wrapped(std(s), 9, "\v\f\u0085\u2028") },
		"wrapped at 20, indented": func(s string) string { return wrapped(s, 20, "\n    ") },
		"upper case":              strings.ToUpper,
		"lower case":              strings.ToLower,
		"base64(1)":               func(s string) string { return wrapped(std(s), 76, "\n") + "\n" },
		"OpenSSL":                 func(s string) string { return wrapped(std(s), 64, "\n") },
		"MIME":                    func(s string) string { return wrapped(std(s), 76, "\r\n") },
		"80 columns":              func(s string) string { return wrapped(s, 80, "\n") },
		"base64 in an indent":     func(s string) string { return wrapped(std(s), 30, "\n\t  ") },
		"URL alphabet, no pad":    func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
		"base64 twice":            func(s string) string { return std(std(s)) },
		"base64 twice, of upper":  func(s string) string { return std(std(strings.ToUpper(s))) },
		"base64 of wrapped":       func(s string) string { return wrapped(std(wrapped(std(s), 64, "\n")), 76, "\n") },
		"base64 of hexadecimal":   func(s string) string { return std(hex.EncodeToString([]byte(s))) },
		"HEX, wrapped":            func(s string) string { return wrapped(strings.ToUpper(hex.EncodeToString([]byte(s))), 32, "\n") },
		"JSON of wrapped base64":  func(s string) string { b, _ := json.Marshal(wrapped(std(s), 20, "\n")); return string(b) },
		"quoted-printable": func(s string) string {
			var out strings.Builder
			w := quotedprintable.NewWriter(&out)
			_, _ = w.Write([]byte(strings.Repeat("x", 60) + s))
			_ = w.Close()
			return out.String()
		},
	}
	for name, write := range ways {
		for lead := range 40 { // so that the wrap and the groups of three fall everywhere
			text := strings.Repeat("a", lead) + token + ".tail"
			got := "say: " + write(text) + " :end"
			clean := Of(token).Text(got)
			if clean == got || !Of(token).In(got) || strings.Contains(strings.ToLower(plainOf(clean)), strings.ToLower(token[6:30])) {
				t.Errorf("%s behind %d: %q", name, lead, clean)
			}
			if !strings.HasPrefix(clean, "say: ") || !strings.HasSuffix(clean, " :end") {
				t.Errorf("%s behind %d: the words around it are gone: %q", name, lead, clean)
			}
		}
	}
	raw, _ := json.Marshal(map[string]string{"text": wrapped(std("token: "+token), 40, "\n")})
	if clean, found := Of(token).JSON(raw); !found || !json.Valid(clean) || Of(token).In(string(clean)) {
		t.Errorf("JSON: %s", clean)
	}
}

// TestFoundEncodedTwice hides a token of characters that every encoding writes otherwise in each pair of encodings.
func TestFoundEncodedTwice(t *testing.T) {
	const token = `Zq8+k/S&e"7w<R=9`
	ways := map[string]func(string) string{
		"URL":         url.QueryEscape,
		"HTML":        html.EscapeString,
		"JSON":        func(s string) string { b, _ := json.Marshal(s); return string(b[1 : len(b)-1]) },
		"base64":      func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
		"hexadecimal": func(s string) string { return hex.EncodeToString([]byte(s)) },
	}
	for once, inner := range ways {
		for twice, outer := range ways {
			for lead := range 3 {
				got := "say: " + outer(strings.Repeat("a", lead)+inner(strings.Repeat("b", lead)+token+".t")+".t") + " :end"
				if clean := Of(token).Text(got); clean == got || !Of(token).In(got) || !strings.HasPrefix(clean, "say: ") || !strings.HasSuffix(clean, " :end") {
					t.Errorf("%s in %s: %q", once, twice, clean)
				}
			}
		}
	}
}

// plainOf is a text without white space.
func plainOf(text string) string { return strings.Join(strings.Fields(text), "") }

// TestOrdinaryWordsStay takes no words that are put together for a short secret.
func TestOrdinaryWordsStay(t *testing.T) {
	text := "the late stop, change me, Test1234 and TEST1234: c h a n g e"
	if got := Of("test", "changeme", "hunter2").Text(text); got != text {
		t.Errorf("got %q", got)
	}
	if got := Of("test1234").Text(text); got != "the late stop, change me, *** and ***: c h a n g e" {
		t.Errorf("got %q", got)
	}
}

func BenchmarkText(b *testing.B) {
	secrets := Of("glsa_Zx81kQvT02mNpR7wYbEo4uHs_9d2c71aF", "ghp_0123456789abcdefghijABCDEFGHIJ456789", "hunter2-is-a-secret")
	text := strings.Repeat("Creates an issue in a GitHub repository, and returns its number. The title is required; see RFC 9110. ", 10_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		_ = secrets.In(text)
	}
}
