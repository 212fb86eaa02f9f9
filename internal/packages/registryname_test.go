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
	for host, want := range map[string]bool{"127.0.0.1:5000": true, "localhost": true, "localhost:1": true, "[::1]:5000": true, "ghcr.io": false, "10.0.0.1:5000": false, "registry:5000": false} {
		if got := loopback(host); got != want {
			t.Errorf("loopback(%s) = %v", host, got)
		}
	}
}
