package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSecretCannotBePrinted tries the ways in which values get into texts by accident.
func TestSecretCannotBePrinted(t *testing.T) {
	server := Server{Name: "s", Stdio: &Stdio{Env: map[string]Secret{"TOKEN": "hunter22"}},
		HTTP: &HTTP{Headers: map[string]Secret{"A": "hunter22"}}}
	encoded, err := json.Marshal(server)
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{string(encoded)}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		texts = append(texts, fmt.Sprintf(verb, server.Stdio.Env), fmt.Sprintf(verb, server.HTTP.Headers["A"]),
			fmt.Sprintf(verb, *server.Stdio))
	}
	for _, text := range texts {
		if strings.Contains(text, "hunter22") || strings.Contains(text, "68756e746572") {
			t.Errorf("the secret is in %s", text)
		}
	}
	if got := server.Stdio.Env["TOKEN"].Reveal(); got != "hunter22" {
		t.Errorf("revealed %q", got)
	}
}

func TestRedact(t *testing.T) {
	stdio := Server{Stdio: &Stdio{Env: map[string]Secret{
		"TOKEN": "abcd1234", "LONGER": "abcd1234-and-more", "SHORT": "abc", "PATH": "/usr/bin", "EMPTY": "",
	}}}
	web := Server{HTTP: &HTTP{
		URL:     "https://user:pa%24%24word@host.example/mcp?key=q%2Fvalue&flag=on&empty=",
		Headers: map[string]Secret{"Authorization": "Bearer t0ken.t0ken", "X-Key": "key-of-x"},
	}}
	tests := map[string]struct {
		server Server
		text   string
		want   string
	}{
		"exact":                 {stdio, "token abcd1234, again abcd1234", "token ***, again ***"},
		"PATH is none":          {stdio, "no such command in /usr/bin", "no such command in /usr/bin"},
		"header and credential": {web, "Bearer t0ken.t0ken; t0ken.t0ken; key-of-x", "***; ***; ***"},
		"query value":           {web, "key=q%2Fvalue or q/value, flag=on", "key=*** or ***, flag=on"},
		"user info":             {web, "user:pa%24%24word pa$$word", "*** ***"},
		"as HTTP sends it":      {web, "Basic dXNlcjpwYSQkd29yZA==", "Basic ***"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, redactorFor(test.server, nil).Text(test.text)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// TestUnwrappedErrorsAreRedacted walks an error's whole tree: no layer of it may hold a secret.
func TestUnwrappedErrorsAreRedacted(t *testing.T) {
	server := closed(t)
	server.HTTP.URL += "?token=sup3rs3cret"
	server.HTTP.Headers = map[string]Secret{"Authorization": "Bearer sup3rs3cret"}
	_, err := Open(t.Context(), server, Options{})
	layers := 0
	for ; err != nil; layers++ {
		if text := fmt.Sprintf("%v %+v %q", err, err, err); strings.Contains(text, "sup3rs3cret") {
			t.Errorf("the secret is in %s", text)
		}
		next, ok := err.(interface{ Unwrap() error })
		if !ok {
			break
		}
		err = next.Unwrap()
	}
	if layers < 1 {
		t.Error("there was no error to look into")
	}
}

// TestPanicsAreRedacted lets what the prober calls panic with a secret in its hands.
func TestPanicsAreRedacted(t *testing.T) {
	server := Server{Name: "s", HTTP: &HTTP{
		URL: "http://127.0.0.1:1/mcp", Headers: map[string]Secret{"Authorization": "Bearer sup3rs3cret"},
		Authorize: func(context.Context, *Refused) (map[string]Secret, error) { panic("no luck with sup3rs3cret") },
	}}
	for _, kind := range []HTTPKind{AutoHTTP, SSE} {
		for _, version := range []string{"", legacy} {
			server.HTTP.Kind, server.Protocol = kind, version
			_, err := Open(t.Context(), server, Options{})
			if err == nil || !strings.Contains(err.Error(), "no luck with ***") ||
				strings.Contains(fmt.Sprintf("%+v %#v", err, err), "sup3rs3cret") {
				t.Errorf("%s, version %q: got %v", kind, version, err)
			}
		}
	}
}

// TestLauncherSecrets: what a launcher gets of the user's environment is masked where it holds a password.
func TestLauncherSecrets(t *testing.T) {
	environ := []string{"HTTPS_PROXY=http://me:hunter2hunter2@proxy:8080", "UV_INDEX_URL=https://u:s3cretpassw0rd@index/simple"}
	mask := redactorFor(Server{Stdio: &Stdio{Command: "uvx"}}, environ)
	for _, text := range []string{"via http://me:hunter2hunter2@proxy:8080", "password s3cretpassw0rd"} {
		if got := mask.Text(text); strings.Contains(got, "hunter2") || strings.Contains(got, "s3cret") {
			t.Errorf("%q is shown as %q", text, got)
		}
	}
	if got := redactorFor(Server{Stdio: &Stdio{Command: "node"}}, environ).Text("s3cretpassw0rd"); got != "s3cretpassw0rd" {
		t.Errorf("what node does not get is masked: %q", got)
	}
}
