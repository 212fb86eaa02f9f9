package packages

import "testing"

func TestWithRegistry(t *testing.T) {
	for image, want := range map[string]string{
		"alpine": "docker.io/library/alpine", "mcp/fetch": "docker.io/mcp/fetch", "ghcr.io/org/server": "ghcr.io/org/server",
		"localhost/server": "localhost/server", "localhost:5000/server": "localhost:5000/server", "registry:5000/a/b": "registry:5000/a/b",
	} {
		if got := withRegistry(image); got != want {
			t.Errorf("%s is %s, want %s", image, got, want)
		}
	}
}
