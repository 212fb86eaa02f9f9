package probe

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// TestOptionsNameWhatIsMissing: without an environment a command has no PATH, and the error names the field.
func TestOptionsNameWhatIsMissing(t *testing.T) {
	_, err := Open(t.Context(), Server{Name: "s", Stdio: &Stdio{Command: "node"}}, Options{})
	const missing = "no Options.Environ: set it to os.Environ()"
	if failure := Failures(err)[0]; failure.Code != OptionsWrong || !strings.Contains(err.Error(), missing) {
		t.Errorf("%s: %v", failure.Code, err)
	}
}

// TestClientIsTheProgram: servers see the name that the options give, and the environment decides about no proxy.
func TestClientIsTheProgram(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	for name, options := range map[string]Options{
		"mcp-client/dev": {},
		"gateway/2.1":    {ClientName: "gateway", ClientVersion: "2.1"},
	} {
		tiny, agents := &tiny{}, map[string]int{}
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			agents[r.UserAgent()]++
			tiny.ServeHTTP(w, r)
		}))
		defer s.Close()
		// a proxy for the first attempt, which is the server itself
		proxied := 0
		options.Proxy = func(*http.Request) (*url.URL, error) {
			proxied++
			return url.Parse(s.URL)
		}
		session, err := Open(t.Context(), Server{Name: "s", HTTP: &HTTP{URL: "http://mcp.invalid/mcp"}}, options)
		if err != nil {
			t.Fatal(err)
		}
		session.Leave()
		if len(agents) != 1 || agents[name] == 0 || proxied == 0 {
			t.Errorf("agents %v, want %s; %d requests by the proxy", agents, name, proxied)
		}
	}
}

// TestSecretIsNotShown by verbs of fmt and encoders, alone and inside.
func TestSecretIsNotShown(t *testing.T) {
	server := Server{HTTP: &HTTP{Headers: map[string]Secret{"Authorization": "sesame"}}, Secrets: []Secret{"sesame"}}
	encoded, err := json.Marshal(server)
	shown := string(encoded) + fmt.Sprintf("%v %+v %#v %s", *server.HTTP, *server.HTTP, *server.HTTP, server.Secrets)
	if err != nil || strings.Contains(shown, "sesame") || Secret("sesame").Reveal() != "sesame" {
		t.Errorf("%v: %s", err, shown)
	}
}
