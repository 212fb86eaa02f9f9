// Package registrytest is a registry of packages on this machine, which npm asks as it asks its own, for tests.
package registrytest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// Release is one version of a package.
type Release struct {
	Manifest map[string]any    // package.json
	Files    map[string]string // beside it
	Digest   string            // what the registry says of it instead of the truth
}

// Registry serves packages as npm's registry does, and counts the requests.
type Registry struct {
	*httptest.Server
	Asked     atomic.Int64
	Published []string // names that were put here, in order; read it once their senders are done

	packages map[string]map[string]Release
}

// New starts a registry of packages, by name and version. Its caller closes it.
func New(published map[string]map[string]Release) *Registry {
	r := &Registry{packages: published}
	r.Server = httptest.NewUnstartedServer(http.HandlerFunc(r.serve)) // which reads the address
	r.Start()
	return r
}

func (r *Registry) serve(w http.ResponseWriter, request *http.Request) {
	r.Asked.Add(1)
	path := strings.TrimPrefix(request.URL.Path, "/")
	if request.Method == http.MethodPut {
		r.Published = append(r.Published, path)
		return
	}
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
		for key, value := range one.Manifest {
			manifest[key] = value
		}
		digest := one.Digest
		if digest == "" {
			sum := sha512.Sum512(archive(one))
			digest = "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
		}
		manifest["dist"] = map[string]any{"tarball": r.URL + "/" + path + "/-/" + version + ".tgz", "integrity": digest}
		described[version] = manifest
		if !strings.Contains(version, "-") {
			latest = max(latest, version)
		}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"name": path, "dist-tags": map[string]string{"latest": latest}, "versions": described})
}

// archive is what npm pack would make.
func archive(one Release) []byte {
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	files := tar.NewWriter(zipped)
	manifest, _ := json.Marshal(one.Manifest)
	add := func(name, text string) {
		_ = files.WriteHeader(&tar.Header{Name: "package/" + name, Mode: 0o755, Size: int64(len(text))})
		_, _ = files.Write([]byte(text))
	}
	add("package.json", string(manifest))
	for _, name := range kit.SortedKeys(one.Files) { // each time the same bytes
		add(name, one.Files[name])
	}
	_, _ = files.Close(), zipped.Close()
	return out.Bytes()
}
