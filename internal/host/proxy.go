package host

import (
	"cmp"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
)

// ProxyError is a variable that is to name a proxy and holds no URL. It does not hold the value, in which
// there may be a password.
type ProxyError struct{ Variable string }

// Error names the variable.
func (e *ProxyError) Error() string {
	return e.Variable + " holds no URL of a proxy, such as http://proxy.example:3128"
}

// Proxy is the proxy that the environment has for a request, as http.ProxyFromEnvironment finds it; nil =
// none. That passes over a variable without a URL, and the request would go where whoever set it did not want
// it to go.
func Proxy(r *http.Request) (*url.URL, error) {
	name := proxyVariable(r.URL.Scheme)
	if isProxy(os.Getenv(name)) || goesDirectly(r.URL) {
		return http.ProxyFromEnvironment(r)
	}
	return nil, &ProxyError{name}
}

// proxyVariable is the variable that counts for a scheme.
func proxyVariable(scheme string) string {
	name := strings.ToUpper(scheme) + "_PROXY"
	if os.Getenv(name) != "" {
		return name
	}
	return strings.ToLower(name)
}

// isProxy tells whether a value is the URL of a proxy, whose scheme may be left out, or empty.
func isProxy(value string) bool {
	if value != "" && !strings.Contains(value, "://") {
		value = "http://" + value
	}
	u, err := url.Parse(value)
	return err == nil && (value == "" || u.Host != "")
}

// goesDirectly tells whether no proxy is to be used for a URL: it is of this machine, or NO_PROXY names its
// host.
func goesDirectly(u *url.URL) bool {
	name := strings.ToLower(u.Hostname())
	address, err := netip.ParseAddr(name)
	if name == "localhost" || err == nil && address.IsLoopback() {
		return true
	}
	for entry := range strings.SplitSeq(cmp.Or(os.Getenv("NO_PROXY"), os.Getenv("no_proxy")), ",") {
		entry = strings.ToLower(strings.TrimSpace(entry))
		if within, err := netip.ParsePrefix(entry); err == nil && within.Contains(address) {
			return true
		}
		entry = strings.TrimPrefix(strings.TrimSuffix(entry, ":"+u.Port()), ".")
		if entry == "*" || entry != "" && (name == entry || strings.HasSuffix(name, "."+entry)) {
			return true
		}
	}
	return false
}
