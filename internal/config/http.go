package config

import (
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/mcpctl/mcpctl/pkg/probe"
)

// http reads a server that is contacted, and its URL as it may be shown.
func (d *draft) http(address field, kind string) (*probe.HTTP, string) {
	d.foreign(stdioKeys, address.key)
	h := &probe.HTTP{Headers: d.headers(), Kind: httpKind(address.key, kind)}
	if !d.want(address, text) {
		return h, ""
	}
	out, ok := d.expand(address)
	if !ok {
		return h, MaskURL(out.shown)
	}
	clean, auth, err := splitURL(out.value)
	if err != nil {
		d.complain(address.value.line, "write an address such as https://example.com/mcp", "%q is %v", address.key, err)
	}
	h.URL = clean
	if auth != "" && h.Headers["Authorization"] == "" {
		h.Headers["Authorization"] = auth
	}
	return h, MaskURL(out.shown)
}

func httpKind(key, kind string) probe.HTTPKind {
	switch {
	case kind == "sse":
		return probe.SSE
	case kind == "streamable-http", kind == "" && key == "httpUrl":
		return probe.StreamableHTTP
	}
	return probe.AutoHTTP
}

// splitURL is an absolute http or https URL without its user info, and the Authorization header that the user info
// stands for. The error never quotes the URL.
func splitURL(raw string) (clean string, auth probe.Secret, err error) {
	raw = strings.TrimSpace(raw)
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return "", "", errors.New("not a URL")
	case u.Scheme != "http" && u.Scheme != "https":
		return "", "", errors.New("not an http:// or https:// address")
	case u.Hostname() == "":
		return "", "", errors.New("a URL without a host")
	}
	if u.User == nil {
		return raw, "", nil
	}
	password, _ := u.User.Password()
	auth = probe.Secret("Basic " + base64.StdEncoding.EncodeToString([]byte(u.User.Username()+":"+password)))
	u.User = nil
	return u.String(), auth, nil
}

// headers are the request headers by canonical name.
func (d *draft) headers() map[string]probe.Secret {
	headers := map[string]probe.Secret{}
	f, ok := d.fields.get("headers")
	if !ok || f.value.kind == null {
		return headers
	}
	for _, m := range d.members(f) {
		name := http.CanonicalHeaderKey(m.key)
		out, ok := d.expand(field{"headers." + safeHeader(m.key), m.line, m.value})
		value := strings.TrimSpace(out.value)
		switch _, twice := headers[name]; {
		case !headerName(m.key):
			d.complain(m.line, "write the name without colon or spaces, the value behind it", "%q is no name for a header", safeHeader(m.key))
			continue // the name may be a value in the wrong place
		case twice:
			d.complain(m.line, "keep one of them", "the header %q twice", name)
		case ok && !headerValue(value):
			d.complain(m.line, "check the variable it comes from", "the value of the header %q has line breaks or control characters", name)
		}
		headers[name] = probe.Secret(value)
	}
	return headers
}

const headerMarks = "!#$%&'*+-.^_`|~"

// headerName is whether name is a token of RFC 9110 §5.6.2.
func headerName(name string) bool {
	return name != "" && strings.IndexFunc(name, func(r rune) bool { return !tokenRune(r) }) < 0
}

// headerValue is whether value has no control characters but tabs (RFC 9110 §5.5).
func headerValue(value string) bool {
	return !strings.ContainsFunc(value, func(r rune) bool { return r < 0x20 && r != '\t' || r == 0x7f })
}

func tokenRune(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune(headerMarks, r)
}

// safeHeader is the part of a header's name that is one; the rest may be a value in the wrong place.
func safeHeader(name string) string {
	if i := strings.IndexFunc(name, func(r rune) bool { return !tokenRune(r) }); i >= 0 {
		return name[:i] + "…"
	}
	return name
}
