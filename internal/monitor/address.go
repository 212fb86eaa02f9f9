package monitor

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// ParseAddress reads an address to listen on. A port alone is one of the loopback interface, so that nothing is open to
// others unless their interface is written out.
func ParseAddress(text string) (netip.AddrPort, error) {
	host, port := "", text
	if i := strings.LastIndexByte(text, ':'); i >= 0 {
		host, port = text[:i], text[i+1:]
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("%q has no port of 0 to 65535: write it as 127.0.0.1:9464", text)
	}
	if host == "" || host == "localhost" {
		host = "127.0.0.1"
	}
	address, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("%q is no IP address: write it as 127.0.0.1:9464, or 0.0.0.0:9464 for all interfaces", text)
	}
	return netip.AddrPortFrom(address.Unmap(), uint16(number)), nil
}
