package config

import (
	"slices"
	"testing"

	"github.com/mcpctl/mcpctl/internal/syntax"
)

// TestServerSecrets knows what a server may quote back that is neither environment nor header.
func TestServerSecrets(t *testing.T) {
	for text, want := range map[string][]string{
		`{"command": "run", "args": ["--token", "abc123", "--port", "8080"]}`:      {"abc123"},
		`{"command": "run", "args": ["--verbose", "${API_KEY}", "${REGION}"]}`:     {"from-env"},
		`{"command": "run", "args": ["${LOOK}"]}`:                                  {"ghp_0123456789abcdef"},
		`{"command": "run", "env": {"DB": "postgres://me:s3cret@h/db"}}`:           {"me:s3cret", "s3cret", "postgres://me:s3cret@h/db"},
		`{"command": "run", "env": {"DB": "postgres://me:${DB_PASSWORD}@h/db"}}`:   {"pw", "me:pw", "postgres://me:pw@h/db"},
		`{"url": "https://h/api/s/0a1b2c3d4e5f6a7b8c9d/mcp"}`:                      {"0a1b2c3d4e5f6a7b8c9d"},
		`{"command": "${workspaceFolder}/run", "args": ["${REGION:-eu}", "word"]}`: nil,
	} {
		env := map[string]string{"API_KEY": "from-env", "REGION": "eu", "LOOK": "ghp_0123456789abcdef", "DB_PASSWORD": "pw"}
		s := fileScope{folder: "/src", expander: expander{folder: "/src",
			lookup: func(name string) (string, bool) { v, ok := env[name]; return v, ok }}}
		root, wrong := syntax.JSON([]byte(text))
		if wrong != nil {
			t.Fatal(wrong)
		}
		e := s.entry(syntax.Field{Key: "s", Line: 1, Value: root})
		var got []string
		for _, secret := range e.Server.Secrets {
			got = append(got, secret.Reveal())
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(want, slices.Compact(got)) || e.Err() != nil {
			t.Errorf("%s: %q, want %q; %v", text, got, want, e.Err())
		}
	}
}
