package redact

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMaskArgs(t *testing.T) {
	for in, want := range map[string]string{
		"npx -y @modelcontextprotocol/server-everything@2025.8.4 stdio": "npx -y @modelcontextprotocol/server-everything@2025.8.4 stdio",
		"x --token abc --port 3000":                                     "x --token *** --port 3000",
		"x --api-key=abc --apikey abc --no-auth --verbose":              "x --api-key=*** --apikey *** --no-auth --verbose",
		"x --token ${TOKEN} --token=${TOKEN}":                           "x --token ${TOKEN} --token=${TOKEN}",
		"x --token ${TOKEN:-abc}":                                       "x --token ***",
		"docker run -e TOKEN -e A=b -e C=${C} img":                      "docker run -e TOKEN -e A=*** -e C=${C} img",
		"docker run --env=A=b img":                                      "docker run --env=A=*** img",
		"x ghp_abcdefghijklmnop sk-proj-abcdefgh":                       "x *** ***",
		"x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.sig":                    "x ***",
		"x https://u:p@h/p?k=v&w=${V}#f":                                "x https://***@h/p?k=***&w=${V}#***",
		"x --db postgres://u:p@h/db":                                    "x --db postgres://***@h/db",
		"x Server=db;Password=abc;Port=1":                               "x Server=db;Password=***;Port=1",
		"x --dsn Server=db":                                             "x --dsn ***",
		"env API_TOKEN=abc DB_PASS=abc LEVEL=info x":                    "env API_TOKEN=*** DB_PASS=*** LEVEL=info x",
		"x 550e8400-e29b-41d4-a716-446655440000":                        "x ***",
		"/usr/lib/python3.12/site-packages/server_2024_01_01.py":        "/usr/lib/python3.12/site-packages/server_2024_01_01.py",
	} {
		if diff := cmp.Diff(strings.Fields(want), MaskArgs(strings.Fields(in))); diff != "" {
			t.Errorf("MaskArgs(%q) (-want +got):\n%s", in, diff)
		}
	}
	got := MaskArgs([]string{"mcp-remote", "https://h", "--header", "Authorization: Bearer abc", "-H", "X-Key: ${KEY}", "Bearer abc def"})
	want := []string{"mcp-remote", "https://h", "--header", "Authorization:***", "-H", "X-Key: ${KEY}", "Bearer *** def"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("MaskArgs (-want +got):\n%s", diff)
	}
}

func TestMaskURL(t *testing.T) {
	for in, want := range map[string]string{
		"https://h":                            "https://h",
		"https://h/mcp?":                       "https://h/mcp",
		"https://h/mcp?token":                  "https://h/mcp?***",
		"https://h/mcp?a=b&c=d":                "https://h/mcp?a=***&c=***",
		"https://user@h":                       "https://***@h",
		"https://user:pa/ss@h/":                "https://***",
		"https://${HOST}:${PORT}/x?k=${K}":     "https://${HOST}:${PORT}/x?k=${K}",
		"https://h/@scope/name":                "https://h/@scope/name",
		"https://h/s/ghp_abcdefghijklmnop/mcp": "https://h/s/***/mcp",
		"not a url":                            "not a url",
	} {
		if got := MaskURL(in); got != want {
			t.Errorf("MaskURL(%q) = %q, want %q", in, got, want)
		}
	}
}

// Where a secret stands in its usual places it is never shown, whatever it is made of.
func FuzzMask(f *testing.F) {
	f.Add("hunter2!")
	f.Add("a/b@c:d?e#f")
	f.Fuzz(func(t *testing.T, secret string) {
		if len(secret) < 8 || strings.HasPrefix(secret, "-") || IsVariable(strings.TrimSpace(secret)) || strings.Trim(secret, "*") == "" {
			return
		}
		lines := [][]string{
			{"x", "--token", secret}, {"x", "--api-key=" + secret}, {"x", "-e", "NAME=" + secret}, {"x", "-H", "Name: " + secret},
		}
		if !strings.ContainsAny(secret, "/?#") { // which end a URL's user info
			lines = append(lines, []string{"x", "https://user:" + secret + "@host.example/"})
		}
		for _, argv := range lines {
			if shown := strings.Join(MaskArgs(argv), " "); strings.Contains(shown, secret) {
				t.Errorf("MaskArgs(%q) = %q", argv, shown)
			}
		}
	})
}

// TestHidden finds what *** stands for.
func TestHidden(t *testing.T) {
	for _, test := range []struct {
		text, shown string
		want        []string
	}{
		{"plain", "plain", nil},
		{"s3cret", "***", []string{"s3cret"}},
		{"--token=s3cret", "--token=***", []string{"s3cret"}},
		{"https://u:p@h/mcp?a=1&b=2", "https://***@h/mcp?a=***&b=***", []string{"u:p", "1", "2"}},
		{"a=x and b=y.", "a=*** and b=***.", []string{"x", "y"}},
		{"other", "else ***", []string{"other"}},
	} {
		if diff := cmp.Diff(test.want, hidden(test.text, test.shown)); diff != "" {
			t.Errorf("hidden(%q, %q) (-want +got):\n%s", test.text, test.shown, diff)
		}
	}
}

// TestOpaque hides long values in what servers offer, and no addresses, paths and numbers.
func TestOpaque(t *testing.T) {
	for value, want := range map[string]bool{
		"internal-cow-4712": true, "correct horse battery": true, "postgres://me:pw@db.example/x": true,
		"/x/AbC1dEf2gHi3jKl4MnO5pQr6": true,
		"short-cow-4712":              false, "/srv/data/documents": false, "~/work/documents": false, `C:\Users\me\documents`: false,
		"../documents/of/mine":       false,
		"files.internal.example.com": false, "files.internal.example.com:8443": false, "https://files.internal.example.com/v1": false,
		"1234567890123456": false, "2026-11-27 20:00:15": false, "10.0.0.0/8,172.16.0.0/12": false,
	} {
		if got := Opaque(value); got != want {
			t.Errorf("%s: %v", value, got)
		}
	}
}

// TestSecretName compares names of secrets with names that mention them.
func TestSecretName(t *testing.T) {
	for name, want := range map[string]bool{
		"API_KEY": true, "X-Api-Key": true, "GITHUB_TOKEN": true, "DB_PASSWORD": true, "Authorization": true, "MY_KEY": true,
		"Cookie": true, "DSN": true,
		"TOKEN_FILE": false, "MAX_TOKENS": false, "GIT_AUTHOR_NAME": false, "AUTHOR": false, "TOKENIZER": false, "AUTH_URL": false,
		"CLIENT_SECRET_PATH": false,
		"GITLAB_PAT":         true, "AZURE_DEVOPS_EXT_PAT": true, "DB_PW": true, "ADMIN_PASSCODE": true, "CARD_PIN": true,
		"STRIPE_SK": true,
		"MFA_OTP":   true, "dbPw": true, "githubPat": true, "PAT2": true, "DB_PASS": true, "apiKey": true,
		"PATH": false, "SPAWN": false, "PINNED": false, "COMPAT_MODE": false, "TASK": false, "PASSENGER": false, "OPTIONS": false,
		"KEYBOARD": false, "MONKEY": false, "LOG_LEVEL": false,
	} {
		if got := SecretName(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
