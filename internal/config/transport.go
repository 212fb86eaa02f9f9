package config

import (
	"regexp"
	"strings"
)

// address is the member that holds a URL.
func (d *draft) address() (field, bool) {
	var found []field
	for _, key := range urlKeys {
		if f, ok := d.fields.get(key); ok {
			found = append(found, f)
		}
	}
	if len(found) == 0 {
		return field{}, false
	}
	if len(found) > 1 {
		d.complain(found[1].line, "remove one of them", "both %q and %q", found[0].key, found[1].key)
	}
	return found[0], true
}

var separators = regexp.MustCompile(`[-_ ]`)

// transports are the spellings that clients accept, in lower case without separators.
var transports = map[string]string{
	"stdio": "stdio", "http": "http", "streamablehttp": "streamable-http", "sse": "sse",
}

func (d *draft) transportKey() string {
	if _, ok := d.fields.get("type"); ok {
		return "type"
	}
	return "transport"
}

// transport is stdio, http, streamable-http or sse; empty when the server does not say, or after a problem.
func (d *draft) transport() string {
	f, ok := d.fields.get(d.transportKey())
	if !ok || !d.want(f, text) {
		return ""
	}
	kind, ok := transports[separators.ReplaceAllString(strings.ToLower(f.value.text), "")]
	if !ok {
		d.complain(f.value.line, "stdio, http (streamable HTTP, falling back to SSE), streamable-http and sse exist",
			"unknown transport %.40q", f.value.text)
	}
	return kind
}
