package redact

import (
	"encoding/base64"
	"net/url"
	"strings"
)

// Header are the secrets in a header's value: the whole, the credential of "Bearer abc", the user and password of
// "Basic dXNlcjpwYXNz", and the values of cookies.
func Header(value string) []string {
	secrets := []string{value}
	scheme, credential, ok := strings.Cut(value, " ")
	if credential = strings.TrimSpace(credential); ok {
		secrets = append(secrets, credential)
	}
	if user, err := base64.StdEncoding.DecodeString(credential); err == nil && strings.EqualFold(scheme, "Basic") {
		_, password, _ := strings.Cut(string(user), ":")
		secrets = append(secrets, string(user), password)
	}
	for _, cookie := range strings.Split(value, ";") {
		if _, value, ok := strings.Cut(cookie, "="); ok {
			secrets = append(secrets, strings.Trim(strings.TrimSpace(value), `"`))
		}
	}
	return secrets
}

// URL are the secrets in a URL: its user info, as written, decoded and as HTTP sends it, and the values of its query. What
// is no URL is a secret as a whole.
func URL(raw string) []string {
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
		secrets = append(secrets, written, writtenPassword, user.String(), user.Username(), password, user.Username()+":"+password)
	}
	for _, pair := range strings.Split(address.RawQuery, "&") {
		_, value, _ := strings.Cut(pair, "=")
		secrets = append(secrets, value)
	}
	for _, values := range address.Query() {
		secrets = append(secrets, values...)
	}
	return append(secrets, address.Fragment)
}
