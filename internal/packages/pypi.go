package packages

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/process"
)

// pypiProject is what https://docs.pypi.org/api/json says of a package, or of one release.
type pypiProject struct {
	Info struct {
		Version      string
		RequiresDist []string `json:"requires_dist"`
	}
	Releases map[string]any // of a package
	URLs     []struct {
		Filename string
		Digests  map[string]string
	}
}

// pypi asks the package index that uv is set up with about a package, such as "NAME/json".
func (l Launcher) pypi(ctx context.Context, path string) (p pypiProject, err error) {
	set := func(name string) string { return process.Variable(l.Environ, name) }
	index := strings.TrimSuffix(cmp.Or(set("UV_DEFAULT_INDEX"), set("UV_INDEX_URL"),
		"https://pypi.org/simple"), "/")
	request, err := http.NewRequestWithContext(ctx, http.MethodGet,
		strings.TrimSuffix(index, "/simple")+"/pypi/"+path, nil)
	if err != nil {
		return p, errors.New("the address of the package index is not a URL") // it may hold a password
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return p, err
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound:
		return p, errNotPublished
	default:
		return p, fmt.Errorf("%s answers %s", request.URL.Host, response.Status)
	}
	data, err := files.ReadLimited(response.Body, maxAnswer)
	if err == nil {
		err = json.Unmarshal(data, &p)
	}
	return p, err
}

// pypiRelease returns a release. Its digest is that of the wheel for every system, else of the first file by
// name.
func (l Launcher) pypiRelease(ctx context.Context, ref Ref) (Package, error) {
	path := ref.Name + "/json"
	if ref.Version != "" {
		path = ref.Name + "/" + ref.Version + "/json"
	}
	p, err := l.pypi(ctx, path)
	if err != nil {
		return Package{}, err
	}
	ref.Version = p.Info.Version
	digests, chosen := map[string]string{}, ""
	for _, file := range p.URLs {
		if sum := file.Digests["sha256"]; sum != "" {
			digests[file.Filename] = "sha256:" + sum
		}
		if strings.HasSuffix(file.Filename, "-none-any.whl") {
			chosen = file.Filename
		}
	}
	if names := kit.SortedKeys(digests); digests[chosen] == "" && len(names) > 0 {
		chosen = names[0]
	}
	release := Package{Ref: ref, Integrity: digests[chosen]}
	for _, text := range p.Info.RequiresDist {
		spec, marker, _ := strings.Cut(text, ";")
		name := requirement().FindString(spec)
		if strings.Contains(marker, "extra") {
			continue
		}
		if release.Dependencies == nil {
			release.Dependencies = map[string]string{}
		}
		release.Dependencies[normalized(name)] = cmp.Or(
			strings.TrimSpace(strings.TrimPrefix(spec, name)), "*")
	}
	return release, nil
}

// requirement matches the name at the beginning of a requirement.
var requirement = kit.Pattern(`^[A-Za-z0-9][A-Za-z0-9._-]*`)
