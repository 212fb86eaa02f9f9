package config

import (
	"cmp"
	"net/url"
	"strings"

	"github.com/mcpctl/mcpctl/internal/redact"
)

// sends returns what the login of an entry sends to its server where the entry itself decides that: "a token
// of ISSUER for RESOURCE to HOST". It is empty where the server's own authorization server issues one for it.
func sends(e Entry) string {
	if e.Server.HTTP == nil {
		return ""
	}
	c := e.Login
	literal := e.scope.expander
	literal.lookup = nil
	shown := map[string]string{"url": e.address()}
	for _, u := range e.uses {
		if name, ok := strings.CutPrefix(u.key, "oauth."); ok {
			shown[name] = u.shown
		}
	}
	host := hostIn(literal.defaults(shown["url"]))
	issuer := ""
	for _, key := range []string{"authServerMetadataUrl", "tokenUrl", "authorizationUrl"} {
		if shown[key] != "" {
			issuer = cmp.Or(issuer, literal.otherSite(shown["url"], shown[key]))
		}
	}
	_, identity := shown["identityToken"]
	identity = identity || shown["identityToken.file"] != ""
	resource := shown["resource"]
	if c.NoResource {
		resource = "any resource"
	}
	if issuer == "" && resource == "" && !identity {
		return ""
	}
	if resource = cmp.Or(resource, shown["url"]); e.Found == Named {
		resource, host = redact.MaskTokens(redact.MaskURL(resource)), redact.MaskTokens(host)
	} else {
		resource = redact.Declared("", resource)
	}
	return "a token of " + cmp.Or(issuer, "the issuer that "+host+" names") + " for " + resource +
		" to " + host
}

// otherSite returns the host of an address of the login where it is another site than the server's, for some
// value of their variables; "" if it never is.
func (x expander) otherSite(server, login string) string {
	texts, all := x.readings(server + "\n" + login)
	for _, text := range texts {
		server, login, _ := strings.Cut(text, "\n")
		if host := hostIn(login); !sameSite(host, hostIn(server)) {
			return host
		}
	}
	if !all {
		return anyAddress
	}
	return ""
}

// sameSite reports whether a host is the other or one of its parents. Which hosts share an owner otherwise is
// not known: neighbors below one domain may be strangers.
func sameSite(a, b string) bool {
	name := func(host string) string {
		u := url.URL{Host: host}
		return strings.ToLower(u.Hostname())
	}
	a, b = name(a), name(b)
	return a == b || strings.HasSuffix(a, "."+b) || strings.HasSuffix(b, "."+a)
}
