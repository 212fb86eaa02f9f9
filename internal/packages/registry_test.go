package packages_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcpctl/mcpctl/internal/packages"
)

// release is one version of a package in a registry of the tests.
type release struct {
	manifest map[string]any    // package.json
	files    map[string]string // beside it
	digest   string            // what the registry says of it instead of the truth
}

// registry serves packages as npm's registry does, by name and version, and counts the requests.
type registry struct {
	*httptest.Server
	packages map[string]map[string]release
	asked    atomic.Int64
}

func newRegistry(t *testing.T, published map[string]map[string]release) *registry {
	r := &registry{packages: published}
	r.Server = httptest.NewServer(http.HandlerFunc(r.serve))
	t.Cleanup(r.Close)
	return r
}

func (r *registry) serve(w http.ResponseWriter, request *http.Request) {
	r.asked.Add(1)
	path := strings.TrimPrefix(request.URL.Path, "/")
	if name, version, ok := strings.Cut(path, "/-/"); ok {
		_, _ = w.Write(archive(r.packages[name][strings.TrimSuffix(version, ".tgz")]))
		return
	}
	versions, ok := r.packages[path]
	if !ok {
		http.Error(w, "{}", http.StatusNotFound)
		return
	}
	described, latest := map[string]any{}, ""
	for version, one := range versions {
		manifest := map[string]any{"name": path, "version": version}
		for key, value := range one.manifest {
			manifest[key] = value
		}
		digest := one.digest
		if digest == "" {
			sum := sha512.Sum512(archive(one))
			digest = "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
		}
		manifest["dist"] = map[string]any{"tarball": r.URL + "/" + path + "/-/" + version + ".tgz", "integrity": digest}
		described[version], latest = manifest, max(latest, version)
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"name": path, "dist-tags": map[string]string{"latest": latest}, "versions": described})
}

// archive is what npm pack would make.
func archive(one release) []byte {
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	files := tar.NewWriter(zipped)
	manifest, _ := json.Marshal(one.manifest)
	add := func(name, text string) {
		_ = files.WriteHeader(&tar.Header{Name: "package/" + name, Mode: 0o755, Size: int64(len(text))})
		_, _ = files.Write([]byte(text))
	}
	add("package.json", string(manifest))
	for name, text := range one.files {
		add(name, text)
	}
	_, _ = files.Close(), zipped.Close()
	return out.Bytes()
}

// newStore is an empty store of somebody whose npm asks the registry.
func newStore(t *testing.T, r *registry) packages.Store {
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("NOT TESTED: npm is not installed")
	}
	home := t.TempDir()
	t.Cleanup(func() { _ = os.RemoveAll(filepath.Join(home, "store")) })
	return packages.Store{Folder: filepath.Join(home, "store"), Env: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + os.TempDir(), "npm_config_registry=" + r.URL,
		"npm_config_fetch_retries=0",
	}}
}
