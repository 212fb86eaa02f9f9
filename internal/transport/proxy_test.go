package transport

import (
	"net/http"
	"strings"
	"testing"
)

// TestInvalidProxy refuses a variable that holds no URL, without its value, which may hold a password.
func TestInvalidProxy(t *testing.T) {
	for _, c := range []struct {
		variable, value, address string
		refused                  bool
	}{
		{"HTTP_PROXY", "http://user:s3cr3t@proxy:80:80", "http://example.com/mcp", true},
		{"http_proxy", "http://pro xy:s3cr3t", "http://example.com/mcp", true},
		{"HTTPS_PROXY", "http://[::1:s3cr3t", "https://example.com/mcp", true},
		{"HTTPS_PROXY", "http://[::1:s3cr3t", "http://example.com/mcp", false},
		{"HTTP_PROXY", "http://[::1:s3cr3t", "http://localhost:8080/mcp", false},
		{"HTTP_PROXY", "http://[::1:s3cr3t", "http://127.0.0.1:8080/mcp", false},
		{"HTTP_PROXY", "proxy:3128", "http://example.com/mcp", false},
		{"HTTP_PROXY", "", "http://example.com/mcp", false},
	} {
		t.Run(strings.Join([]string{c.variable, c.value, c.address}, " "), func(t *testing.T) {
			for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"} {
				t.Setenv(name, "")
			}
			t.Setenv(c.variable, c.value)
			request, err := http.NewRequest(http.MethodGet, c.address, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, err = Proxy(request)
			if (err != nil) != c.refused {
				t.Errorf("error %v", err)
			}
			if err != nil && (strings.Contains(err.Error(), "s3cr3t") || !strings.Contains(err.Error(), c.variable)) {
				t.Errorf("error %v", err)
			}
		})
	}
}
