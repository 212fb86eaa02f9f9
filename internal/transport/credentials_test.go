package transport

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
)

// guarded lets requests in whose Authorization is good, and refuses others in the way of refuse.
func guarded(good string, refuse http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != good {
			refuse(w, r)
			return
		}
		write(200, jsonType, fine)(w, r)
	}
}

func unauthorized(w http.ResponseWriter, r *http.Request) {
	w.Header().Add("WWW-Authenticate", `Bearer error="invalid_token"`)
	http.Error(w, "no: "+r.Header.Get("Authorization"), http.StatusUnauthorized)
}

func tooNarrow(w http.ResponseWriter, _ *http.Request) {
	w.Header().Add("WWW-Authenticate", `Bearer scope="a b", error="insufficient_scope"`)
	w.WriteHeader(http.StatusForbidden)
}

func forbidden(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }

// tokens gives one token after another, and counts the calls.
type tokens struct {
	values []string
	calls  atomic.Int32
	last   *Refusal
}

func (s *tokens) ask(_ context.Context, r *Refusal) (map[string]Credential, error) {
	n := int(s.calls.Add(1))
	s.last = r
	if n > len(s.values) {
		return nil, nil
	}
	return map[string]Credential{"Authorization": Credential(s.values[n-1])}, nil
}

// TestCredentials asks when it must, sends a refused request once more, and never goes on for ever.
func TestCredentials(t *testing.T) {
	tests := []struct {
		name   string
		refuse http.HandlerFunc
		tokens []string
		want   string // the error of the last of two requests
		calls  int32
	}{
		{"good at once", unauthorized, []string{"Bearer good-token"}, "", 1},
		{"good after 401", unauthorized, []string{"Bearer old-token", "Bearer good-token"}, "", 2},
		{"wider after 403", tooNarrow, []string{"Bearer old-token", "Bearer good-token"}, "", 2},
		{"403 without the reason", forbidden, []string{"Bearer old-token", "Bearer good-token"},
			"HTTP 403 Forbidden with an empty body", 1},
		{"nothing better", unauthorized, []string{"Bearer old-token"}, `HTTP 401 Unauthorized: "no: Bearer old-token"`, 2},
		{"nothing at all", unauthorized, nil, `HTTP 401 Unauthorized: "no:"`, 2},
		{"never good", unauthorized, []string{"Bearer old-token", "Bearer new-token", "Bearer one-more"},
			`HTTP 401 Unauthorized: "no: Bearer new-token"`, 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			srv := httptest.NewServer(guarded("Bearer good-token", test.refuse))
			t.Cleanup(srv.Close)
			source := &tokens{values: test.tokens}
			l := openStreamable(t, Endpoint{URL: srv.URL, Credentials: NewCredentials(source.ask)})
			_, _ = ask(t, l, 1)
			_, err := ask(t, l, 2)
			if got := errText(err); got != test.want {
				t.Errorf("error %q, want %q", got, test.want)
			}
			if got := source.calls.Load(); got != test.calls {
				t.Errorf("%d calls, want %d", got, test.calls)
			}
		})
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestCredentialsExpireAgain renews credentials that worked as often as they are refused.
func TestCredentialsExpireAgain(t *testing.T) {
	var good atomic.Value
	good.Store("Bearer token-1")
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		guarded(good.Load().(string), unauthorized)(w, r)
	}))
	defer srv.Close()
	source := &tokens{values: []string{"Bearer token-1", "Bearer token-2", "Bearer token-3"}}
	l := openStreamable(t, Endpoint{URL: srv.URL, Credentials: NewCredentials(source.ask)})
	for i, token := range source.values {
		good.Store(token)
		if _, err := ask(t, l, int64(i)); err != nil {
			t.Errorf("%s: %v", token, err)
		}
	}
}

// TestCredentialsAreAskedOnce lets requests at the same time share one answer, a bad one too.
func TestCredentialsAreAskedOnce(t *testing.T) {
	for name, fail := range map[string]error{"good": nil, "bad": errors.New("no such command")} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(guarded("Bearer good-token", unauthorized))
			t.Cleanup(srv.Close)
			var calls atomic.Int32
			l := openStreamable(t, Endpoint{URL: srv.URL,
				Credentials: NewCredentials(func(context.Context, *Refusal) (map[string]Credential, error) {
					return map[string]Credential{"Authorization": Credential(fmt.Sprint("Bearer ",
						[]string{"old-token", "good-token"}[min(calls.Add(1), 2)-1]))}, fail
				})})
			var all sync.WaitGroup
			for i := range 8 {
				all.Go(func() {
					if _, err := ask(t, l, int64(i)); (err == nil) != (fail == nil) || fail != nil && !errors.Is(err, fail) {
						t.Errorf("request %d: %v", i, err)
					}
				})
			}
			all.Wait()
			if got := calls.Load(); fail != nil && got != 1 || fail == nil && got != 2 {
				t.Errorf("asked %d times", got)
			}
		})
	}
}
