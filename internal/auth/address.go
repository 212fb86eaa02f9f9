package auth

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// realm says which addresses may be contacted: public ones over HTTPS; the host of the MCP server and the hosts that the
// user configured at whatever address they have; and this machine, if the MCP server is on it.
type realm struct {
	local   bool            // the MCP server is on this machine
	trusted map[string]bool // hosts whose address does not matter
}

// realmOf is the realm of a server. Configured endpoints are the user's word for their hosts.
func realmOf(s Server) (realm, error) {
	home, err := url.Parse(s.URL)
	if err != nil || home.Host == "" {
		return realm{}, fmt.Errorf("the URL of %q is not absolute", s.Name)
	}
	r := realm{local: loopbackName(home.Hostname()), trusted: map[string]bool{hostOf(home): true}}
	for _, configured := range []string{s.Client.Metadata, s.Client.Authorize, s.Client.TokenEndpoint} {
		if u, err := url.Parse(configured); err == nil && u.Host != "" {
			r.trusted[hostOf(u)] = true
			r.local = r.local || loopbackName(u.Hostname())
		}
	}
	return r, nil
}

func hostOf(u *url.URL) string { return strings.ToLower(u.Hostname()) }

// check refuses a URL that must not be contacted, or opened in a browser, before anything is looked up.
func (r realm) check(what, raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil || strings.ContainsFunc(raw, unprintable):
		return nil, fmt.Errorf("%s is not a URL", what)
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, fmt.Errorf("%s is a %s URL, not an https one", what, quoted(u.Scheme+":"))
	case u.Host == "" || u.Hostname() == "" || u.Opaque != "":
		return nil, fmt.Errorf("%s %s names no host", what, quoted(raw))
	case u.User != nil || u.Fragment != "":
		return nil, fmt.Errorf("%s %s has user info or a fragment", what, quoted(plain(u)))
	case u.Scheme == "http" && !loopbackName(u.Hostname()):
		return nil, fmt.Errorf("%s %s is not HTTPS, which only this machine may do without", what, quoted(plain(u)))
	case loopbackName(u.Hostname()) && !r.local:
		return nil, fmt.Errorf("%s %s is on this machine, and the server is not", what, quoted(plain(u)))
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil {
		return u, r.allow(hostOf(u), ip)
	}
	return u, nil
}

// allow judges the address that a host has at the moment of dialling, so that a name cannot change its mind in between.
func (r realm) allow(host string, ip netip.Addr) error {
	ip = ip.Unmap()
	switch {
	case loopbackName(host):
		if r.local && ip.IsLoopback() {
			return nil
		}
	case r.trusted[host] || public(ip):
		return nil
	}
	return advise(trustIt, "%s is at %s, which is not a public address", host, ip)
}

// trustIt is the way out for an authorization server that is right for all that.
const trustIt = `if you trust it, name it in the configuration: "oauth": {"authServerMetadataUrl": "https://…/.well-known/…"}`

// reserved are networks that are neither private in the sense of netip nor public: shared address space, protocol
// assignments, benchmarks, the future, discard, documentation.
func reserved() []netip.Prefix {
	var all []netip.Prefix
	for _, p := range []string{"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "198.18.0.0/15", "240.0.0.0/4", "100::/64", "fec0::/10"} {
		all = append(all, netip.MustParsePrefix(p))
	}
	return all
}

// public tells whether an address is one of the Internet.
func public(ip netip.Addr) bool {
	if inner, ok := embedded(ip); ok {
		return public(inner)
	}
	if !ip.IsGlobalUnicast() || ip.IsPrivate() || ip.Zone() != "" {
		return false
	}
	for _, p := range reserved() {
		if p.Contains(ip) {
			return false
		}
	}
	return true
}

// embedded is the IPv4 address inside an IPv6 one of NAT64 (RFC 6052) or 6to4 (RFC 3056).
func embedded(ip netip.Addr) (netip.Addr, bool) {
	bytes := ip.As16()
	switch {
	case !ip.Is6():
		return ip, false
	case netip.MustParsePrefix("64:ff9b::/96").Contains(ip):
		return netip.AddrFrom4([4]byte(bytes[12:])), true
	case netip.MustParsePrefix("2002::/16").Contains(ip):
		return netip.AddrFrom4([4]byte(bytes[2:6])), true
	}
	return ip, false
}

// loopbackName tells whether a host name or address means this machine.
func loopbackName(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// plain is a URL without what may be secret in it.
func plain(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
