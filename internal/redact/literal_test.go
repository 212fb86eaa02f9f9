package redact

import "testing"

// TestLiteral masks literal secrets in a text, and nothing else of it.
func TestLiteral(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"curl https://me:s3cret@h/ -H 'X-Api-Key: s3cret99'", "curl https://***@h/ -H 'X-Api-Key: ***'"},
		{"GITHUB_TOKEN=s3cret99 run ghp_abcdefghijklmnop0123456789", "GITHUB_TOKEN=*** run ***"},
		{"TOKEN=touch123; $TOKEN /tmp/x", "TOKEN=touch123; $TOKEN /tmp/x"},
		{"the token decides, token 1234567 and token parse9(x)", "the token decides, token 1234567 and token parse9(x)"},
		{"a\n-----BEGIN PRIVATE KEY-----\nMIIE", "***"},
	} {
		if got := Literal(test.in); got != test.want {
			t.Errorf("%s\n%s, want\n%s", test.in, got, test.want)
		}
	}
}

// TestJSONLiterals masks strings and numbers by the name of their member, also in lists, and other strings as texts.
func TestJSONLiterals(t *testing.T) {
	for in, want := range map[string]string{
		`{"api_key":"x","list":[{"password":12345}],"secret":["a"]}`: `{"api_key":"***","list":[{"password":"***"}],"secret":["***"]}`,
		`["ghp_abcdefghijklmnop0123456789","plain",7,null]`:          `["***","plain",7,null]`,
		`{"user":"me","":"me"}`:                                      `{"":"me","user":"me"}`,
		`{"api_key":`:                                                ``,
	} {
		if got := string(JSON([]byte(in))); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}
