package config

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

func TestReadSecretFile(t *testing.T) {
	dir := t.TempDir()
	for name, test := range map[string]struct{ content, want, wrong string }{
		"plain":    {content: "s3cret", want: "s3cret"},
		"newline":  {content: "s3cret\n", want: "s3cret"},
		"windows":  {content: "s3cret\r\n", want: "s3cret"},
		"mark":     {content: "\ufeffs3cret\n", want: "s3cret"},
		"one only": {content: "s3cret\n\n", want: "s3cret\n"},
		"empty":    {content: "\n", wrong: "empty"},
		"largest":  {content: strings.Repeat("x", maxSecret), want: strings.Repeat("x", maxSecret)},
		"large":    {content: strings.Repeat("x", maxSecret+1), wrong: "larger than 64 KiB"},
		"bytes":    {content: "\xff\xfe\x00", wrong: "UTF-16"},
	} {
		path := filepath.Join(dir, name)
		place(t, path, []byte(test.content))
		got, err := readSecretFile(path)
		if got != test.want || (err == nil) != (test.wrong == "") || err != nil && !strings.Contains(err.Error(), test.wrong) {
			t.Errorf("%s: %.20q, %v", name, got, err)
		}
	}
	if _, err := readSecretFile(dir); err == nil || !strings.Contains(err.Error(), "regular") {
		t.Errorf("a directory: %v", err)
	}
}

// TestHelperHeaders reads what commands write; no error quotes it.
func TestHelperHeaders(t *testing.T) {
	for output, want := range map[string]string{
		`{"authorization": "Bearer s3cret"}`:     "Bearer s3cret",
		`{"Authorization": " s3cret ", "X": ""}`: "s3cret",
		`{"Authorization": 1}`:                   "",
		`{"Authoriza tion": "s3cret"}`:           "",
		`{"Authorization": "s3cret\nX: y"}`:      "",
		`["s3cret"]`:                             "",
		`s3cret`:                                 "",
		``:                                       "",
		"\xff":                                   "",
	} {
		got, err := HelperHeaders(probe.Helper{}, []byte(output))
		if value := got["Authorization"].Reveal(); value != want || (err == nil) != (want != "") ||
			err != nil && strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %q, %v", output, value, err)
		}
	}
	for output, want := range map[string]string{"s3cret\n": "Bearer s3cret", " s3cret": "Bearer s3cret", "": "", "s3cret s3cret": "",
		"s3cret\ns3cret": ""} {
		got, err := HelperHeaders(probe.Helper{Bearer: true}, []byte(output))
		if value := got["Authorization"].Reveal(); value != want || (err == nil) != (want != "") ||
			err != nil && strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: %q, %v", output, value, err)
		}
	}
}

// TestMaskLine hides what looks secret in a command line of the shell, and keeps the rest as it is.
func TestMaskLine(t *testing.T) {
	for in, want := range map[string]string{
		`./headers.sh --profile "a b"`:                    `./headers.sh --profile "a b"`,
		`get --token s3cret | jq  .x`:                     `get --token *** | jq  .x`,
		`echo '{"Authorization": "Bearer s3cret"}'`:       `echo '{"Authorization": "***'`,
		`curl -s https://me:s3cret@h/ -H "X-Key: s3cret"`: `curl -s https://***@h/ -H "X-Key:***"`,
		`printf '{"X-Api-Key": "s3cret s3cret"}'`:         `printf '{"X-Api-Key": "***"}'`,
		`TOKEN=s3cret run`:                                `TOKEN=*** run`,
		`vault read -field=token secret/mcp`:              `vault read -field=token secret/mcp`,
	} {
		if got := redact.MaskLine(in); got != want {
			t.Errorf("%s\n%s, want\n%s", in, got, want)
		}
	}
}
