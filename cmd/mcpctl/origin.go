package main

import (
	"maps"
	"net/url"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/pkg/probe"
)

// defaultTimeout bounds the probe of one server unless a flag, the environment or a file says otherwise.
const defaultTimeout = 30 * time.Second

// origins are the different origins of the HTTP servers among servers, sorted.
func origins(servers []probe.Server) []string {
	seen := map[string]bool{}
	for _, s := range servers {
		if s.HTTP == nil {
			continue
		}
		if u, err := url.Parse(s.HTTP.URL); err == nil {
			seen[u.Scheme+"://"+u.Host] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}
