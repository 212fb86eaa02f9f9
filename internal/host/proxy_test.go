package host

import (
	"net/http"
	"strings"
	"testing"
)

// TestProxyThatIsNone: a variable that holds no URL is not passed over where it counts, and its value, which may hold a password, not reported.
func TestProxyThatIsNone(t *testing.T) {
	for _, c := range []struct {
		variable, value, except, address string
		refused                          bool
	}{
		{"HTTP_PROXY", "http://user:s3cr3t@proxy:80:80", "", "http://example.com/mcp", true},
		{"http_proxy", "http://pro xy:s3cr3t", "", "http://example.com/mcp", true},
		{"HTTPS_PROXY", "http://[::1:s3cr3t", "", "https://example.com/mcp", true},
		{"HTTPS_PROXY", "http://[::1:s3cr3t", "other.com, 10.0.0.0/8", "https://example.com/mcp", true},
		{"HTTPS_PROXY", "http://[::1:s3cr3t", "", "http://example.com/mcp", false},
		{"HTTP_PROXY", "http://[::1:s3cr3t", "", "http://localhost:8080/mcp", false},
		{"HTTP_PROXY", "http://[::1:s3cr3t", "", "http://127.0.0.1:8080/mcp", false},
		{"HTTP_PROXY", "http://[::1:s3cr3t", "com", "http://example.com/mcp", false},
		{"HTTP_PROXY", "http://[::1:s3cr3t", "a,.example.com:8080", "http://x.example.com:8080/mcp", false},
		{"HTTP_PROXY", "http://[::1:s3cr3t", "10.0.0.0/8", "http://10.1.2.3/mcp", false},
		{"HTTP_PROXY", "http://[::1:s3cr3t", "*", "http://example.com/mcp", false},
		{"HTTP_PROXY", "proxy:3128", "", "http://example.com/mcp", false},
		{"HTTP_PROXY", "", "", "http://example.com/mcp", false},
	} {
		t.Run(strings.Join([]string{c.variable, c.value, c.except, c.address}, " "), func(t *testing.T) {
			for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "no_proxy"} {
				t.Setenv(name, "")
			}
			t.Setenv(c.variable, c.value)
			t.Setenv("NO_PROXY", c.except)
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
