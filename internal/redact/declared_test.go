package redact

import (
	"encoding/base64"
	"regexp"
	"strings"
	"testing"
)

// TestDeclared: a whole literal secret is hidden, with its length, and nothing else of what a file declares.
func TestDeclared(t *testing.T) {
	key := "-----BEGIN PRIVATE KEY-----\n" + base64.StdEncoding.EncodeToString([]byte("\x30\x82"+strings.Repeat("k", 46))) +
		"\n-----END PRIVATE KEY-----\n"
	const same = "the same"
	for _, test := range []struct{ name, value, want string }{
		{"LEVEL", "info", same},
		{"API_KEY", "s3cret", "*** (6 characters)"},
		{"API_KEY", "gh" + "p_abcdefghijklmnop0123456789abcdefghij", "*** (40 characters)"},
		{"X", "gh" + "p_abcdefghijklmnop0123456789abcdefghij", "*** (40 characters)"},
		{"X", "5f1d7a84be0f4c2ab1c9d3e7f8a60b12", "*** (32 characters)"},
		{"AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "*** (40 characters)"},
		{"TOKEN", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U", "*** (92 characters)"},
		{"Authorization", "Bearer gh" + "p_abcdefghijklmnop0123456789abcdefghij", "Bearer *** (40 characters)"},
		{"DB", "postgres://me:s3cret99@h/db", "postgres://me:*** (8 characters)@h/db"},
		{"", "https://h/p?token=abc123def456&page=2#x", "https://h/p?token=*** (12 characters)&page=2#x"},
		{"KEY", key, "-----BEGIN PRIVATE KEY-----*** (64 characters)-----END PRIVATE KEY-----"},

		{"API_KEY", "${API_KEY}", same},
		{"API_KEY", "${API_KEY:-ghp_abcdefghijklmnop0123456789}", same},
		{"API_KEY", "$(touch pwned1)", same},
		{"API_KEY", "./evil1-program", same},
		{"API_KEY", "/tmp/evil1", same},
		{"API_KEY", "~/evil1", same},
		{"API_KEY", "-evil1", same},
		{"API_KEY", "bin/evil1x2y3", same},
		{"API_KEY", "evil1.example", same},
		{"API_KEY", "evil1.example:443", same},
		{"AUTH_COMMAND", "evil-program-1", same},
		{"AUTH_COMMAND", "touch", same},
		{"NODE_OPTIONS", "a1b2c3d4e5f6a1b2c3d4e5f6", same},
		{"BASH_ENV", "a1b2c3d4e5f6a1b2c3d4e5f6", same},
		{"LD_PRELOAD", "a1b2c3d4e5f6a1b2c3d4e5f6.so", same},
		{"GIT_ASKPASS", "a1b2c3d4e5f6a1b2c3d4e5f6", same},
		{"HTTPS_PROXY", "http://me:s3cret99@h/?token=abc123def456", same},
		{"KUBECONFIG", "a1b2c3d4e5f6a1b2c3d4e5f6", same},
		{"AWS_CONFIG_FILE", "a1b2c3d4e5f6a1b2c3d4e5f6", same},
		{"OPENAI_BASE_URL", "a1b2c3d4e5f6a1b2c3d4e5f6", same},
		{"AUTH_COMMAND", "a1b2c3d4e5f6a1b2c3d4e5f6", same},
		{"SECRETS_DIR", "a1b2c3d4e5f6a1b2c3d4e5f6", same},
		{"PluginPath", "a1b2c3d4e5f6a1b2c3d4e5f6", same},
		{"TOKEN_HELPER_ARGS", "a1b2c3d4e5f6a1b2c3d4e5f6", same},
		{"GIT_TOKEN", "a1b2c3d4e5f6a1b2c3d4e5f6", "*** (24 characters)"},
		{"X", "-----BEGIN PRIVATE KEY-----\n/tmp/evil\n-----END PRIVATE KEY-----", same},
		{"X", "touch pwned # -----BEGIN PRIVATE KEY-----", same},
		{"", "https://evil1.example/x1y2z3?u=evil1.example/x", same},
		{"", "https://evil1.example:443/x@good.example/", same},
		{"", "https://h/$(touch${IFS}pwned1)?token=a;touch", same},
		{"TOKEN", "eyJevilevilevil1.eyJevilevilevil1.example", same},
	} {
		want := test.want
		if want == same {
			want = test.value
		}
		if got := Declared(test.name, test.value); got != want {
			t.Errorf("%s: %s\ngives %s\nwant  %s", test.name, test.value, got, want)
		}
	}
}

// TestDeclaredWord: one argument in a message or report, after the one before it.
func TestDeclaredWord(t *testing.T) {
	for _, test := range []struct{ previous, word, want string }{
		{"--token", "s3cret99", "*** (8 characters)"},
		{"x", "gh" + "p_abcdefghijklmnop0123456789abcdefghij", "*** (40 characters)"},
		{"x", "s3cret99", "s3cret99"},
		{"--token", "evil-program-1", "evil-program-1"},
		{"--token", "$(touch pwned1)", "$(touch pwned1)"},
		{"-y", "sk-totally-evil-package-1", "sk-totally-evil-package-1"},
		{"--token=x", "s3cret99", "s3cret99"},
	} {
		if got := DeclaredWord(test.previous, test.word); got != test.want {
			t.Errorf("%s %s: %s, want %s", test.previous, test.word, got, test.want)
		}
	}
}

// FuzzDeclared: what is hidden is one whole value of a few harmless characters, and everything else is there.
func FuzzDeclared(f *testing.F) {
	for _, text := range []string{"s3cret99", "$(touch x)", "https://u:p4ssw0rd@h/?token=a1b2c3d4", "Bearer a1b2c3d4e5f6", "x.y/z",
		"-----BEGIN PRIVATE KEY-----"} {
		f.Add("API_KEY", text)
		f.Add("NODE_OPTIONS", text)
	}
	hidden := regexp.MustCompile(`[*]{3} [(][0-9]+ characters[)]`)
	plain := regexp.MustCompile(`^[A-Za-z0-9_+=][A-Za-z0-9_.+/=-]*$`)
	f.Fuzz(func(t *testing.T, name, value string) {
		shown := Declared(name, value)
		if shown == value {
			return
		}
		if IsObeyed(name) {
			t.Fatalf("%s=%q is shown as %q", name, value, shown)
		}
		rest := value
		for i, piece := range hidden.Split(shown, -1) { // what stands between the pieces was hidden
			at := strings.Index(rest, piece)
			if i == 0 && at != 0 || at < 0 {
				t.Fatalf("%s=%q is shown as %q", name, value, shown)
			}
			if i > 0 && piece == "" {
				at = len(rest)
			}
			isKey := strings.HasPrefix(shown, "-----BEGIN")
			if part := rest[:at]; i > 0 && !plain.MatchString(part) && !isKey {
				t.Fatalf("%s=%q hides %q", name, value, part)
			}
			rest = rest[at+len(piece):]
		}
	})
}
