package probe

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// advised is an error that knows what to do next.
type advised struct{}

func (advised) Error() string { return "the token expired; it was sesame-open" }
func (advised) Hint() string  { return "log in again" }

// TestAuthorizeFails reports why there are not credentials, and what the error itself advises.
func TestAuthorizeFails(t *testing.T) {
	tests := map[string]struct {
		authorize   Authorize
		cause, hint string
	}{
		"advised": {func(context.Context, *Refused) (map[string]Secret, error) { return nil, advised{} },
			"getting credentials: the token expired", "log in again"},
		"plain": {func(context.Context, *Refused) (map[string]Secret, error) { return nil, errors.New("no") }, "getting credentials: no",
			""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			server := Server{Name: "x", HTTP: &HTTP{URL: "http://127.0.0.1:1/mcp", Authorize: test.authorize}}
			_, err := Open(t.Context(), server, Options{})
			failure := Failures(err)[0]
			if failure.Stage != Connecting || failure.Code != AuthorizeFailed || failure.Hint != test.hint ||
				!strings.Contains(failure.Error(), test.cause) {
				t.Errorf("stage %s, error %q, hint %q", failure.Stage, failure, failure.Hint)
			}
		})
	}
}

// TestAuthorizeIsMasked masks what Authorize gave where the server quotes it.
func TestAuthorizeIsMasked(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		http.Error(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"bad `+token+`"}}`, http.StatusBadRequest)
	}))
	defer srv.Close()
	server := Server{Name: "x", HTTP: &HTTP{URL: srv.URL, Kind: StreamableHTTP,
		Authorize: func(context.Context, *Refused) (map[string]Secret, error) {
			return map[string]Secret{"Authorization": "Bearer sesame-open"}, nil
		}}}
	_, err := Open(t.Context(), server, Options{})
	if err == nil || strings.Contains(err.Error(), "sesame") || !strings.Contains(err.Error(), "bad ***") {
		t.Errorf("error %v", err)
	}
}
