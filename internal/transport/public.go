package transport

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// reserved returns networks that netip does not call private and that are not public: shared address space,
// protocol assignments, benchmarks, the future, discard, documentation.
func reserved() []netip.Prefix {
	return kit.Map([]string{"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "198.18.0.0/15", "240.0.0.0/4",
		"100::/64", "fec0::/10"}, netip.MustParsePrefix)
}

// Public returns an error for an address that is not public.
func Public(ip netip.Addr) error {
	if isPublic(ip.Unmap()) {
		return nil
	}
	return fmt.Errorf("%s is not a public address", ip.Unmap())
}

// isPublic reports whether an address is on the public internet. One that holds an IPv4 address is judged by
// it.
func isPublic(ip netip.Addr) bool {
	if inner, ok := embedded(ip); ok {
		return isPublic(inner)
	}
	if !ip.IsGlobalUnicast() || ip.IsPrivate() || ip.Zone() != "" {
		return false
	}
	return !slices.ContainsFunc(reserved(), func(p netip.Prefix) bool { return p.Contains(ip) })
}

// embedded returns the IPv4 address in an IPv6 one of NAT64 (RFC 6052) or 6to4 (RFC 3056).
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
