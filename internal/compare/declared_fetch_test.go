package compare

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestURL reads what is at a URL, and says why it does not.
func TestURL(t *testing.T) {
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	mux := http.NewServeMux()
	for path, kind := range map[string]string{"/server.json": "application/json", "/page": "text/html; charset=utf-8"} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(w, `{"server": {"name": "a.b/c", "version": "1.0.0", "packages": []}}`)
		})
	}
	mux.HandleFunc("/huge", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.Copy(w, io.LimitReader(spaces{}, 5<<20))
	})
	mux.Handle("/moved", http.RedirectHandler("/server.json", http.StatusFound))
	mux.Handle("/away", http.RedirectHandler(other.URL, http.StatusFound))
	mux.Handle("/circle", http.RedirectHandler("/circle", http.StatusFound))
	server := httptest.NewServer(mux)
	defer server.Close()
	for path, want := range map[string]string{
		"/server.json": "", "/moved": "",
		"/none": "HTTP 404 Not Found", "/page": "a page for people", "/away": "it redirects to " + other.URL, "/circle": "redirects too often", "/huge": "larger than 4",
	} {
		all, err := load(t, t.TempDir(), server.URL+path)
		if want == "" && (err != nil || all[0].File != server.URL+path) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

// TestURLSecrets shows no secret of an address, in an error or as the name of the file.
func TestURLSecrets(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/server.json" {
			panic(http.ErrAbortHandler)
		}
		_, _ = io.WriteString(w, `{"name": "a.b/c", "version": "1.0.0", "packages": []}`)
	}))
	defer server.Close()
	for _, path := range []string{"/server.json", "/broken"} {
		address := strings.Replace(server.URL, "://", "://somebody:hunter2secret@", 1) + path + "?token=abcdef0123456789"
		all, err := load(t, t.TempDir(), address)
		if said := fmt.Sprint(all, err); strings.Contains(said, "hunter2") || strings.Contains(said, "abcdef") || (err == nil) != (path == "/server.json") {
			t.Errorf("%s: %s", path, said)
		}
	}
}

// spaces is white space without an end.
type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}
