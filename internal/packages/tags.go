package packages

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"cuelabs.dev/go/oci/ociregistry/ociauth"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/match"
)

// mostTags bounds what one page of a registry may hold, in bytes, and mostPages how many there are.
const (
	mostTags  = 8 << 20
	mostPages = 1000
)

// listTags asks the registry of an image, as whoever is logged in there with docker, page by page:
// https://github.com/opencontainers/distribution-spec/blob/main/spec.md#listing-tags. A page may be shorter than was asked for, and
// have another one after it.
func listTags(ctx context.Context, image string, env []string) ([]string, error) {
	host, repository := registryOf(image)
	client := http.Client{}
	if docker, err := ociauth.LoadWithEnv(nil, env); err == nil { // else nobody is logged in
		client.Transport = ociauth.NewStdTransport(ociauth.StdTransportParams{Config: logins{docker}})
	}
	next := &url.URL{Scheme: "https", Host: host, Path: "/v2/" + repository + "/tags/list", RawQuery: "n=1000"}
	if match.ThisMachine(host) { // which docker asks without TLS
		next.Scheme = "http"
	}
	var all []string
	for range mostPages {
		tags, after, err := tagsAt(ctx, &client, next)
		if all = append(all, tags...); err != nil || after == nil {
			return all, err
		}
		if after.Scheme != next.Scheme || after.Host != host {
			return nil, fmt.Errorf("%s refers to %s for more tags", host, after.Host)
		}
		next = after
	}
	return nil, fmt.Errorf("%s has more than %d pages of tags", host, mostPages)
}

// tagsAt are the tags on one page, and where the next one is; nil after the last.
func tagsAt(ctx context.Context, client *http.Client, page *url.URL) (tags []string, next *url.URL, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, page.String(), nil)
	if err != nil {
		return nil, nil, err
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	body, err := files.ReadLimited(response.Body, mostTags)
	if err != nil {
		return nil, nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, nil, fmt.Errorf("%s: %.200s", response.Status, body)
	}
	var found struct{ Tags []string }
	if err := json.Unmarshal(body, &found); err != nil {
		return nil, nil, fmt.Errorf("what the registry says of its tags: %w", err)
	}
	if link := nextLink().FindStringSubmatch(response.Header.Get("Link")); link != nil {
		next, err = page.Parse(link[1])
	}
	return found.Tags, next, err
}

// nextLink is a link to the next page: RFC 8288, section 3.
var nextLink = match.Pattern(`<([^>]*)>\s*;\s*rel="?next\b`)

// Docker Hub goes by three names: in those of images, as a host, and where logins are kept.
const (
	hub       = "docker.io"
	hubHost   = "registry-1.docker.io"
	hubLogins = "https://index.docker.io/v1/"
)

// logins are those that docker keeps.
type logins struct{ ociauth.Config }

// EntryForRegistry is the login at a host, that at Docker Hub included.
func (l logins) EntryForRegistry(host string) (ociauth.ConfigEntry, error) {
	if host == hubHost {
		host = hubLogins
	}
	return l.Config.EntryForRegistry(host)
}

// registryOf is the host that an image comes from, and its name there, as docker understands them.
func registryOf(image string) (host, repository string) {
	first, rest, nested := strings.Cut(image, "/")
	switch {
	case !nested:
		return hubHost, "library/" + image
	case !strings.ContainsAny(first, ".:") && first != "localhost":
		return hubHost, image
	case first == hub && !strings.Contains(rest, "/"):
		return hubHost, "library/" + rest
	case first == hub:
		return hubHost, rest
	}
	return first, rest
}
