package config

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/mcpctl/mcpctl/pkg/probe"
)

// http reads a server that is contacted, and its URL as it may be shown.
func (d *draft) http(address field, kind string) (*probe.HTTP, string) {
	d.foreign(stdioKeys, address.key)
	headers, helper := d.credentials()
	h := &probe.HTTP{Headers: headers, Helper: helper, Kind: httpKind(address.key, kind)}
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
	d.secrets = append(append(d.secrets, secretsOfURL(out.value)...), Confidential(headers)...)
	if auth != "" && h.Headers[authorization] == "" {
		h.Headers[authorization] = auth
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

// headers adds the request headers that a key holds, by canonical name. A value is text with variables, or an object that
// names an environment variable or a file.
func (d *draft) headers(key string, headers map[string]probe.Secret) {
	f, ok := d.fields.get(key)
	if !ok || f.value.kind == null || !d.want(f, object) {
		return
	}
	d.unique(f.value, fmt.Sprintf(" in %q", key))
	for _, m := range f.value.fields {
		if m.value.kind == null {
			continue
		}
		if value, ok := d.headerText(field{key + "." + safeHeader(m.key), m.line, m.value}); ok {
			d.header(m, value, headers)
		}
	}
}

// headerText is the value of one header; ok is false when there is none to send.
func (d *draft) headerText(f field) (value string, ok bool) {
	if f.value.kind == object {
		from, ok := d.origin(f, []string{"env", "file"})
		if !ok {
			return "", false
		}
		value := d.fetch(f, from)
		return value, value != ""
	}
	if !d.isScalar(f) {
		return "", false
	}
	out, _ := d.expand(f)
	return out.value, true
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
