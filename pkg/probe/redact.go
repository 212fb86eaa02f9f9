package probe

import (
	"strings"

	"github.com/mcpctl/mcpctl/internal/redact"
)

const (
	shortText = 64      // bytes of a server's text in a notice
	longText  = 2 << 10 // bytes of a server's text in an error
)

// redactorFor knows the secrets of a server, which are masked in every text that leaves the package: the values of
// environment (but PATH) and headers, the user info and query values of the URL, and Server.Secrets.
func redactorFor(server Server) redact.Secrets {
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
			secrets = append(secrets, redact.Header(value.Reveal())...)
		}
		secrets = append(secrets, redact.URL(server.HTTP.URL)...)
	}
	for _, value := range server.Secrets {
		secrets = append(secrets, value.Reveal())
	}
	return redact.Of(secrets...)
}

// masks are the secrets of the configuration, and those that were asked for until now.
func (a attempt) masks() redact.Secrets {
	given := a.credentials.Given()
	if len(given) == 0 {
		return a.secrets
	}
	var secrets []string
	for _, value := range given {
		secrets = append(secrets, redact.Header(value)...)
	}
	return a.secrets.And(secrets...)
}

// masked are notices without secrets.
func masked(all []Notice, secrets redact.Secrets) []Notice {
	for i := range all {
		all[i].Message = clip(secrets.Text(all[i].Message), longText)
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
