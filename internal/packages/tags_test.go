package packages

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cuelabs.dev/go/oci/ociregistry/ociauth"
	"github.com/google/go-cmp/cmp"
)

func TestRegistryOf(t *testing.T) {
	for image, want := range map[string]string{
		"alpine": "registry-1.docker.io/library/alpine", "mcp/fetch": "registry-1.docker.io/mcp/fetch",
		"docker.io/alpine": "registry-1.docker.io/library/alpine", "docker.io/mcp/fetch": "registry-1.docker.io/mcp/fetch",
		"ghcr.io/org/server": "ghcr.io/org/server", "localhost/server": "localhost/server", "localhost:5000/server": "localhost:5000/server",
		"registry:5000/a/b": "registry:5000/a/b",
	} {
		if host, repository := registryOf(image); host+"/"+repository != want {
			t.Errorf("%s is %s/%s, want %s", image, host, repository, want)
		}
	}
}

// guarded is a registry that lists tags, two a page, to whoever has fetched a token by the name and password ann:secret.
func guarded(t *testing.T) (host string) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch name, password, _ := r.BasicAuth(); {
		case r.URL.Path == "/token" && name == "ann" && password == "secret":
			fmt.Fprint(w, `{"token": "pass"}`)
		case r.URL.Path == "/token":
			http.Error(w, `{"errors": [{"code": "UNAUTHORIZED", "message": "who are you?"}]}`, http.StatusUnauthorized)
		case r.Header.Get("Authorization") != "Bearer pass":
			w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm="http://%s/token",service="here",scope="repository:acme/server:pull"`, r.Host))
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path != "/v2/acme/server/tags/list":
			http.Error(w, `{"errors": [{"code": "NAME_UNKNOWN", "message": "no such name"}]}`, http.StatusNotFound)
		case r.URL.Query().Get("last") == "":
			w.Header().Set("Link", `</v2/acme/server/tags/list?last=v2.0.0>; rel="next"`)
			fmt.Fprint(w, `{"name": "acme/server", "tags": ["latest", "v2.0.0"]}`)
		default:
			fmt.Fprint(w, `{"name": "acme/server", "tags": ["v10.0.0"]}`)
		}
	}))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

// loggedIn is an environment in which docker keeps logins at hosts, each as NAME:PASSWORD.
func loggedIn(t *testing.T, at map[string]string) []string {
	var rows []string
	for host, who := range at {
		rows = append(rows, fmt.Sprintf("%q: {\"auth\": %q}", host, base64.StdEncoding.EncodeToString([]byte(who))))
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(`{"auths": {`+strings.Join(rows, ",")+`}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"DOCKER_CONFIG=" + dir}
}

func TestTagsAreListedAsWhoeverIsLoggedIn(t *testing.T) {
	host := guarded(t)
	env := loggedIn(t, map[string]string{host: "ann:secret"})
	got, err := listTags(t.Context(), host+"/acme/server", env)
	if diff := cmp.Diff([]string{"latest", "v2.0.0", "v10.0.0"}, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

func TestTagsAreRefusedInWordsThatPeopleKnow(t *testing.T) {
	host := guarded(t)
	ref := Ref{Registry: "oci", Name: host + "/acme/server"}
	for name, want := range map[string]struct {
		env []string
		ref Ref
		say string
	}{
		"nobody":     {loggedIn(t, nil), ref, "docker login"},
		"not there":  {loggedIn(t, map[string]string{host: "ann:secret"}), Ref{Registry: "oci", Name: host + "/acme/other"}, "the registry has no such image"},
		"no service": {nil, Ref{Registry: "oci", Name: "127.0.0.1:9/acme/server"}, "nobody listens there"},
	} {
		_, err := image{&Store{Env: want.env}}.versions(context.Background(), want.ref, true)
		if err == nil || !strings.Contains(err.Error(), want.say) {
			t.Errorf("%s: %v, want something of %q", name, err, want.say)
		}
	}
}

// TestLoginsAtDockerHub holds that they are looked for where docker keeps them, which is neither the host nor its name.
func TestLoginsAtDockerHub(t *testing.T) {
	docker, err := ociauth.LoadWithEnv(nil, loggedIn(t, map[string]string{"https://index.docker.io/v1/": "ann:secret", "ghcr.io": "bob:hidden"}))
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]string{"registry-1.docker.io": "ann", "ghcr.io": "bob", "example.com": ""} {
		if got, err := (logins{docker}).EntryForRegistry(host); err != nil || got.Username != want {
			t.Errorf("at %s it is %q (%v), want %q", host, got.Username, err, want)
		}
	}
}

// TestTagsComeFromOneHost holds that a registry sends nobody elsewhere: not with a login, and not into this network.
func TestTagsComeFromOneHost(t *testing.T) {
	asked := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer other.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Link", "<"+other.URL+`/v2/acme/server/tags/list>; rel="next"`)
		fmt.Fprint(w, `{"tags": ["v1.0.0"]}`)
	}))
	defer server.Close()
	if _, err := listTags(t.Context(), strings.TrimPrefix(server.URL, "http://")+"/acme/server", nil); err == nil || asked {
		t.Error("the next page was asked for at another host:", err)
	}
}
