package transport

import (
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// ProxyError reports a variable for a proxy that holds no URL. It does not hold the value, in which there may
// be a password.
type ProxyError struct{ Variable string }

// Error names the variable.
func (e *ProxyError) Error() string {
	return e.Variable + " holds no URL of a proxy, such as http://proxy.example:3128"
}

// Proxy returns the proxy that the environment has for a request, as http.ProxyFromEnvironment does, which
// passes over a variable without a URL; nil = none.
func Proxy(r *http.Request) (*url.URL, error) {
	name := strings.ToUpper(r.URL.Scheme) + "_PROXY"
	if os.Getenv(name) == "" {
		name = strings.ToLower(name)
	}
	if !isProxy(os.Getenv(name)) && !kit.ThisMachine(r.URL.Hostname()) {
		return nil, &ProxyError{name}
	}
	return http.ProxyFromEnvironment(r)
}

// isProxy reports whether a value is empty or the URL of a proxy, with or without a scheme.
func isProxy(value string) bool {
	if value != "" && !strings.Contains(value, "://") {
		value = "http://" + value
	}
	u, err := url.Parse(value)
	return err == nil && (value == "" || u.Host != "")
}
