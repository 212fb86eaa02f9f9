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

// Proxy returns the proxy that the environment has for a request, as http.ProxyFromEnvironment does; nil =
// none.
func Proxy(r *http.Request) (*url.URL, error) {
	name := proxyVariable(r.URL.Scheme)
	if isProxy(os.Getenv(name)) || goesDirectly(r.URL) {
		return http.ProxyFromEnvironment(r)
	}
	return nil, &ProxyError{name}
}

// proxyVariable returns the variable that counts for a scheme.
func proxyVariable(scheme string) string {
	name := strings.ToUpper(scheme) + "_PROXY"
	if os.Getenv(name) != "" {
		return name
	}
	return strings.ToLower(name)
}

// isProxy reports whether a value is empty or the URL of a proxy, with or without a scheme.
func isProxy(value string) bool {
	if value != "" && !strings.Contains(value, "://") {
		value = "http://" + value
	}
	u, err := url.Parse(value)
	return err == nil && (value == "" || u.Host != "")
}

// goesDirectly reports whether a URL is contacted without a proxy: it is of this machine, or NO_PROXY names
// its host.
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
