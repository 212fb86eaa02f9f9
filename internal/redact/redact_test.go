package redact

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"testing"
)

// writings are ways in which a server may write a value into its output.
var writings = map[string]func(string) string{
	"as it is":        func(v string) string { return v },
	"query":           url.QueryEscape,
	"path":            url.PathEscape,
	"lower query":     func(v string) string { return lowerEscapes(url.QueryEscape(v)) },
	"Go's JSON":       func(v string) string { b, _ := json.Marshal(v); return string(b) },
	"JSON in ASCII":   func(v string) string { return jsonForms(v)[2] },
	"JSON in JSON":    func(v string) string { b, _ := json.Marshal(v); b, _ = json.Marshal(string(b)); return string(b) },
	"base64":          func(v string) string { return base64.StdEncoding.EncodeToString([]byte(v)) },
	"base64 of a URL": func(v string) string { return base64.URLEncoding.EncodeToString([]byte(v)) },
	"Basic":           func(v string) string { return base64.StdEncoding.EncodeToString([]byte("user:" + v)) },
	"base64 inside":   func(v string) string { return base64.StdEncoding.EncodeToString([]byte("ab" + v + "cde")) },
	"CR LF":           func(v string) string { return strings.ReplaceAll(v, "\n", "\r\n") },
}

// TestText writes secrets in every way between other words, and wants nothing of them to be left but edges of base64.
func TestText(t *testing.T) {
	values := []string{
		"plain-token-value", `q"uote\s and <angles> & 'ticks'`, "slash/plus+equals==", "line one of several\nline two of several\n",
		"umläut-💡-pässwörd", "a.*(b)[c]{d}|e^f$g?", "p%40ss%word", "tab\tin it",
	}
	for _, value := range values {
		for name, write := range writings {
			text := "before " + write(value) + " after"
			got := Of(value).Text(text)
			if !strings.HasPrefix(got, "before ") || !strings.HasSuffix(got, " after") {
				t.Errorf("%q, %s: the words around it are gone: %q", value, name, got)
			}
			if left := len(got) - len("before  after"); left > 16 && !strings.Contains(value, "\n") || got == text {
				t.Errorf("%q, %s: %q is left of %q", value, name, got, text)
			}
		}
	}
}

func TestTooShort(t *testing.T) {
	if got := Of("", "abc", "   ").Text("abc abcd"); got != "abc abcd" {
		t.Errorf("got %q", got)
	}
}

// wrapped returns a text with a line break after so many bytes.
func wrapped(text string, width int, end string) string {
	var out strings.Builder
	for len(text) > width {
		out.WriteString(text[:width] + end)
		text = text[width:]
	}
	return out.String() + text
}

// TestBase64 hides a token in every way that tools wrap base64, wherever in it the wrap falls.
func TestBase64(t *testing.T) {
	const token = "glsa_Zx81kQvT02mNpR7wYbEo4uHs_9d2c71aF"
	std := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	ways := map[string]func(string) string{
		"base64(1)":              func(s string) string { return wrapped(std(s), 76, "\n") + "\n" },
		"OpenSSL":                func(s string) string { return wrapped(std(s), 64, "\n") },
		"MIME":                   func(s string) string { return wrapped(std(s), 76, "\r\n") },
		"in an indent":           func(s string) string { return wrapped(std(s), 30, "\n\t  ") },
		"URL alphabet, no pad":   func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
		"JSON of wrapped base64": func(s string) string { b, _ := json.Marshal(wrapped(std(s), 20, "\n")); return string(b) },
	}
	for name, write := range ways {
		for lead := range 40 { // so that the wrap and the groups of three fall everywhere
			text := strings.Repeat("a", lead) + token + ".tail"
			got := "say: " + write(text) + " :end"
			clean := Of(token).Text(got)
			if clean == got || !Of(token).In(got) || Of(token).In(strings.ReplaceAll(clean, Mask, "")) {
				t.Errorf("%s after %d: %q", name, lead, clean)
			}
			if !strings.HasPrefix(clean, "say: ") || !strings.HasSuffix(clean, " :end") {
				t.Errorf("%s after %d: the words around it are gone: %q", name, lead, clean)
			}
		}
	}
	raw, _ := json.Marshal(map[string]string{"text": wrapped(std("token: "+token), 40, "\n")})
	if clean, found := Of(token).JSON(raw); !found || !json.Valid(clean) || Of(token).In(string(clean)) {
		t.Errorf("JSON: %s", clean)
	}
}

func BenchmarkIn(b *testing.B) {
	secrets := Of("glsa_Zx81kQvT02mNpR7wYbEo4uHs_9d2c71aF", "ghp_0123456789abcdefghijABCDEFGHIJ456789", "hunter2-is-a-secret")
	text := strings.Repeat("Creates an issue in a GitHub repository, and returns its number. The title is required; see RFC 9110. ", 10_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		_ = secrets.In(text)
	}
}

// TestLonger hides the longer of two secrets as a whole.
func TestLonger(t *testing.T) {
	if got := Of("abcd1234", "abcd1234-and-more").Text("abcd1234-and-more, abcd1234"); got != "***, ***" {
		t.Errorf("got %q", got)
	}
}

// TestCut cuts a text with a secret in it at every place: no four characters of it may be left at an edge.
func TestCut(t *testing.T) {
	const value = "hunter2-is-a-secret"
	text := "before " + value + " after"
	for i := range text {
		for _, piece := range []string{text[i:], text[:i]} {
			got := Of(value).Cut(piece)
			for n := 0; n+5 <= len(value); n++ {
				if strings.Contains(got, value[n:n+5]) {
					t.Fatalf("cut to %q gives %q", piece, got)
				}
			}
		}
	}
}

// TestElision hides what is left of a secret that someone else has cut.
func TestElision(t *testing.T) {
	secrets := Of("hunter2-is-a-secret")
	for in, want := range map[string]string{
		`the cursor "hunter2-is… again`: `the cursor "***… again`,
		`…a-secret is wrong`:            `…*** is wrong`,
		`hunt… and …cret`:               `***… and …***`,
		`ends with hunter2`:             `ends with hunter2`,
	} {
		if got := secrets.Text(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("hunter22", "say hunter22")
	f.Add("\\\"/<>&", `{"a":"\\\"\/\u003c>&"}`)
	f.Add("ünï", "%C3%BCn%c3%af")
	f.Fuzz(func(t *testing.T, value, text string) {
		secrets := Of(value)
		got := secrets.Text(text + value)
		if len(value) >= Least && !strings.Contains(value, "*") && strings.Contains(got, value) {
			t.Errorf("%q is left in %q", value, got)
		}
		_ = secrets.Cut(text)
	})
}

func TestJSON(t *testing.T) {
	secrets := Of(`p"ss\word`, "token-value-1")
	for in, want := range map[string]string{
		`{"a": [1.50, "plain \u00e9"]}`:                `{"a": [1.50, "plain \u00e9"]}`,
		`{"a": "is token-value-1."}`:                   `{"a": "is ***."}`,
		`{"token-value-1":{"b":"p\"ss\\word"}}`:        `{"***":{"b":"***"}}`,
		`["\u0074oken-value-1 <b>", "\u0070lain <b>"]`: `["*** <b>", "\u0070lain <b>"]`,
		`["dG9rZW4tdmFsdWUtMQ=="]`:                     `["***"]`,
		`"token-value-1`:                               `"token-value-1`,
		`"x\`:                                          `"x\`,
		``:                                             ``,
	} {
		got, found := secrets.JSON([]byte(in))
		if string(got) != want || found != (in != want) {
			t.Errorf("%s: %s, %v, want %s", in, got, found, want)
		}
	}
}
