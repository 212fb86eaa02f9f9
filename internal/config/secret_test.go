package config

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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

// TestServerSecrets knows what a server may quote back that is neither environment nor header.
func TestServerSecrets(t *testing.T) {
	for text, want := range map[string][]string{
		`{"command": "run", "args": ["--token", "abc123", "--port", "8080"]}`:      {"abc123"},
		`{"command": "run", "args": ["--verbose", "${API_KEY}", "${REGION}"]}`:     {"from-env"},
		`{"command": "run", "args": ["${LOOK}"]}`:                                  {"ghp_0123456789abcdef", "ghp_0123456789abcdef"},
		`{"command": "run", "env": {"DB": "postgres://me:s3cret@h/db"}}`:           {"me:s3cret", "s3cret", "postgres://me:s3cret@h/db"},
		`{"command": "run", "env": {"DB": "postgres://me:${DB_PASSWORD}@h/db"}}`:   {"pw", "me:pw", "pw", "postgres://me:pw@h/db"},
		`{"url": "https://h/api/s/0a1b2c3d4e5f6a7b8c9d/mcp"}`:                      {"0a1b2c3d4e5f6a7b8c9d"},
		`{"command": "${workspaceFolder}/run", "args": ["${REGION:-eu}", "word"]}`: nil,
	} {
		env := map[string]string{"API_KEY": "from-env", "REGION": "eu", "LOOK": "ghp_0123456789abcdef", "DB_PASSWORD": "pw"}
		s := scope{folder: "/src", expander: expander{folder: "/src", lookup: func(name string) (string, bool) { v, ok := env[name]; return v, ok }}}
		root, wrong := parseJSON([]byte(text))
		if wrong != nil {
			t.Fatal(wrong)
		}
		e := s.server(field{"s", 1, root})
		var got []string
		for _, secret := range e.Server.Secrets {
			got = append(got, secret.Reveal())
		}
		if !slices.Equal(want, got) || e.Err() != nil {
			t.Errorf("%s: %q, want %q; %v", text, got, want, e.Err())
		}
	}
}

// TestSecretName tells names of secrets from names that speak of them.
func TestSecretName(t *testing.T) {
	for name, want := range map[string]bool{
		"API_KEY": true, "X-Api-Key": true, "GITHUB_TOKEN": true, "DB_PASSWORD": true, "Authorization": true, "MY_KEY": true, "Cookie": true, "DSN": true,
		"TOKEN_FILE": false, "MAX_TOKENS": false, "GIT_AUTHOR_NAME": false, "AUTHOR": false, "TOKENIZER": false, "AUTH_URL": false, "CLIENT_SECRET_PATH": false,
		"KEYBOARD": false, "MONKEY": false, "LOG_LEVEL": false,
	} {
		if got := secretName(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
