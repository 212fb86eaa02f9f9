package config

import (
	"net/url"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/syntax"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// Identity is where the identity token of a job comes from, which an authorization server exchanges for a
// token (RFC 7523, 2.1). One of Text, File and Runner is set.
type Identity struct {
	Text   probe.Secret // the token itself, such as the one in a variable of a GitLab job
	File   string       // absolute path of a file that the platform renews; read for each exchange
	Runner string       // URL of the GitHub runner, which issues a token for any audience
	Bearer probe.Secret // the runner's token
}

// The variables in which a GitHub runner says where it issues identity tokens.
const (
	runnerURL   = "ACTIONS_ID_TOKEN_REQUEST_URL"
	runnerToken = "ACTIONS_ID_TOKEN_REQUEST_TOKEN"
)

// identity returns where the identity token comes from: "github", a text with variables, or a file. The file
// is not read here.
func (r httpReader) identity(f syntax.Field) Identity {
	switch {
	case f.Value.Kind == syntax.Text && f.Value.Text == "github":
		r.uses = append(r.uses, named(f, "identity tokens of this GitHub Actions job"))
		address, _ := r.lookup.Value(runnerURL)
		token, _ := r.lookup.Value(runnerToken)
		if address == "" || token == "" {
			r.addLack(f.Value.Line, `give the job "permissions: {id-token: write}"`,
				"a job of GitHub Actions that may get identity tokens",
				"no job of GitHub Actions that may get identity tokens, needed in %q", f.Key)
		}
		r.values = append(r.values, probe.Secret(token))
		return Identity{Runner: address, Bearer: probe.Secret(token)}
	case f.Value.Kind == syntax.Text:
		return Identity{Text: probe.Secret(r.credential(f))}
	}
	from, ok := r.reference(f, "file")
	if !ok {
		return Identity{}
	}
	return Identity{File: r.secretPath(from)}
}

// resource returns the resource that replaces the server's in requests for tokens; without reports whether
// none is sent.
func (r httpReader) resource(f syntax.Field) (uri string, without bool) {
	if f.Value.Kind == syntax.Boolean {
		return "", !r.flag(f, true)
	}
	if f.Value.Kind != syntax.Text {
		r.addProblem(f.Value.Line, "write false, or the URI of the resource",
			"%q must be false or a string, but is %s", f.Key, f.Value.Kind)
		return "", false
	}
	out, ok := r.expand(f)
	uri = strings.TrimSpace(out.value)
	u, err := url.Parse(uri)
	if ok && (err != nil || u.Scheme == "" || u.Fragment != "" ||
		strings.ContainsFunc(uri, func(c rune) bool { return c <= ' ' || c > '~' })) {
		r.addProblem(f.Value.Line, "write false, or a URI such as https://example.com or api://NAME",
			"%q is not an absolute URI without a fragment", f.Key)
	}
	return uri, false
}

// grant reports whether the client gets its tokens without a user, and adds a problem for a grant that the
// credentials do not fit.
func (r httpReader) grant(of, f syntax.Field, c Login) bool {
	token, _ := of.Value.Get("identityToken")
	identity, grant := token.Value.Kind != syntax.Null, ""
	if f.Value.Kind != syntax.Null {
		grant = r.text(f)
	}
	switch {
	case !slices.Contains([]string{"", "authorization_code", "client_credentials", "jwt-bearer"}, grant):
		r.addProblem(f.Value.Line, "write authorization_code, client_credentials or jwt-bearer",
			"%q is not a supported grant", f.Key)
	case grant == "jwt-bearer" && !identity:
		r.addProblem(f.Value.Line, `name it: "identityToken": "github"`, "jwt-bearer needs an identity token")
	case grant != "" && grant != "jwt-bearer" && identity:
		r.addProblem(f.Value.Line, `leave "grantType" out`, `%s does not use "identityToken"`, grant)
	case c.Secret != "" && c.Key != "":
		r.addProblem(of.Line, "keep one of them", `both "clientSecret" and "privateKey"`)
	}
	return identity || grant == "client_credentials"
}
