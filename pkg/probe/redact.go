package probe

import (
	"cmp"
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
)

const (
	mask      = "***"
	minSecret = 4       // a shorter value would mask ordinary words
	shortText = 64      // bytes of a server's text in a notice
	longText  = 2 << 10 // bytes of a server's text in an error
)

// redactor masks the secrets of one server in every text that leaves the package.
type redactor []string // longest first

// redactorFor knows the values of environment (but PATH) and headers, and the user info and query values of the URL.
func redactorFor(server Server) redactor {
	var secrets []string
	if server.Stdio != nil {
		for name, value := range server.Stdio.Env {
			if !strings.EqualFold(name, "PATH") { // which tells why a command is not found
				secrets = append(secrets, value.Reveal())
			}
		}
	}
	if server.HTTP != nil {
		for _, value := range server.HTTP.Headers {
			secrets = append(secrets, value.Reveal(), credential(value.Reveal()))
		}
		secrets = append(secrets, secretsOfURL(server.HTTP.URL)...)
	}
	return redactor{}.and(secrets)
}

// with knows the values of further headers too.
func (r redactor) with(headers []string) redactor {
	if len(headers) == 0 {
		return r
	}
	var secrets []string
	for _, value := range headers {
		secrets = append(secrets, value, credential(value))
	}
	return r.and(secrets)
}

// and adds secrets that are long enough.
func (r redactor) and(secrets []string) redactor {
	all := slices.DeleteFunc(slices.Concat(r, secrets), func(s string) bool { return len(s) < minSecret })
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(all)
}

// credential is what follows the scheme in a header value such as "Bearer abc".
func credential(header string) string {
	_, after, _ := strings.Cut(header, " ")
	return strings.TrimSpace(after)
}

// secretsOfURL are the user info and the query values, as written and decoded, and what HTTP makes of the user info.
func secretsOfURL(raw string) []string {
	address, err := url.Parse(raw)
	if err != nil {
		return []string{raw}
	}
	var secrets []string
	if user := address.User; user != nil {
		password, _ := user.Password()
		written, _, _ := strings.Cut(raw, "@")
		_, written, _ = strings.Cut(written, "//")
		_, writtenPassword, _ := strings.Cut(written, ":")
		secrets = append(secrets, written, writtenPassword, user.String(), user.Username(), password,
			base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password)))
	}
	for _, pair := range strings.Split(address.RawQuery, "&") {
		_, value, _ := strings.Cut(pair, "=")
		secrets = append(secrets, value)
	}
	for _, values := range address.Query() {
		secrets = append(secrets, values...)
	}
	return secrets
}

// text masks every secret in s.
func (r redactor) text(s string) string {
	for _, secret := range r {
		s = strings.ReplaceAll(s, secret, mask)
	}
	return s
}

// cutting masks the secrets in a text that was cut out of a longer one, also those of which a part was left at its edges.
func (r redactor) cutting(s string) string {
	s = r.text(s)
	for _, secret := range r {
		s = maskEdges(s, secret)
	}
	return s
}

// maskEdges masks the longest end of secret that s begins with, and the longest beginning of it that s ends with.
func maskEdges(s, secret string) string {
	for n := len(secret) - 1; n >= minSecret; n-- {
		if strings.HasPrefix(s, secret[len(secret)-n:]) {
			s = mask + s[n:]
		}
		if strings.HasSuffix(s, secret[:n]) {
			s = s[:len(s)-n] + mask
		}
	}
	return s
}

// notices masks the secrets in messages.
func (r redactor) notices(all []Notice) []Notice {
	for i := range all {
		all[i].Message = clip(r.text(all[i].Message), longText)
	}
	return all
}

// clip is s cut to at most n bytes, with a sign of the cut.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
