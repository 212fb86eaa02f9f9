package probe

import (
	"crypto/x509"
	"net/url"
	"slices"
)

// auto is the word for no pin.
const auto = "auto"

// check finds what no server could be asked with. Errors are of the kind usage.
func check(server Server, options Options) error {
	if pin := options.Protocol; pin != "" && pin != auto && !isKnown(pin) {
		return usage.errorf("unknown protocol version %q: %s and %s exist", pin, auto, listing(Versions()))
	}
	if len(options.CACert) > 0 && !x509.NewCertPool().AppendCertsFromPEM(options.CACert) {
		return usage.errorf("the further certificates to trust hold no PEM certificate")
	}
	switch {
	case (server.Stdio == nil) == (server.HTTP == nil):
		return usage.errorf("a server needs either a command or a URL")
	case server.HTTP != nil:
		return server.HTTP.check()
	case server.Stdio.Command == "":
		return usage.errorf("the command is empty")
	}
	return nil
}

func (h HTTP) check() error {
	address, err := url.Parse(h.URL) // the error would show the URL, and what is secret in it
	if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" {
		return usage.errorf("the URL must be absolute and begin with http:// or https://")
	}
	if !slices.Contains([]HTTPKind{AutoHTTP, StreamableHTTP, SSE}, h.Kind) {
		return usage.errorf("unknown transport %q: %s and %s exist", h.Kind, StreamableHTTP, SSE)
	}
	return nil
}
