package probe

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

const (
	shortText = 64      // bytes of a server's text in a notice
	longText  = 2 << 10 // bytes of a server's text in an error
)

// plainVariables are folders that messages name, such as those in which a command was not found.
var plainVariables = []string{"PATH", "CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA", "CLAUDE_PROJECT_DIR"}

// redactorFor returns what is masked in every text about a server that leaves the package: the values of
// environment (but PATH, and of settings of a launcher those that are no secrets) and headers, the user info
// and query values of the URL, Server.Secrets and Server.Values.
func redactorFor(server Server, environ []string) redact.Secrets {
	var secrets []string
	if server.Stdio != nil {
		inherited := process.LauncherEnv(server.Stdio.Command, environ)
		for name, value := range server.Stdio.Env {
			switch {
			case slices.Contains(plainVariables, strings.ToUpper(name)):
			case process.IsLauncherSetting(server.Stdio.Command, name):
				inherited = append(inherited, name+"="+value.Reveal())
			default:
				secrets = append(secrets, value.Reveal())
			}
		}
		secrets = append(secrets, redact.InEnvironment(inherited)...)
		for _, pair := range inherited {
			_, value, _ := strings.Cut(pair, "=")
			secrets = append(secrets, redact.URL(value)...)
		}
	}
	if server.HTTP != nil {
		for _, value := range server.HTTP.Headers {
			secrets = append(secrets, redact.Header(value.Reveal())...)
		}
		address := server.HTTP.URL
		secrets = append(secrets, redact.Hidden([]string{address}, []string{redact.MaskURL(address)})...)
	}
	for _, value := range slices.Concat(server.Secrets, server.Values) {
		secrets = append(secrets, value.Reveal())
	}
	return redact.Of(secrets...)
}

// masks returns the secrets of the configuration, and the credentials that were asked for until now.
func (a attempt) masks() redact.Secrets {
	given := a.seen.credentials()
	if len(given) == 0 {
		return a.secrets
	}
	var secrets []string
	for _, value := range given {
		secrets = append(secrets, redact.Header(value.Reveal())...)
	}
	return a.secrets.And(secrets...)
}

// Lengths in bytes of a credible secret, and of one without digits and capitals.
const (
	leastSecret   = 8
	leastCredible = 20
)

// surfaceSecrets returns the values that are masked in what a server offers: credible secrets of the
// configuration, credentials that were asked for, and opaque values. Ordinary words are left out: they would
// be missing in what is compared.
func (a attempt) surfaceSecrets() redact.Secrets {
	var secrets []string
	for _, value := range append(a.seen.credentials(), a.server.Secrets...) {
		for _, part := range redact.Header(value.Reveal()) {
			if credible(part) {
				secrets = append(secrets, part)
			}
		}
	}
	for _, value := range a.server.Values {
		if redact.Opaque(value.Reveal()) {
			secrets = append(secrets, value.Reveal())
		}
	}
	return redact.Of(secrets...)
}

// credible reports whether a value is a secret rather than a word: it is long, or has both digits and
// letters, or both small letters and capitals.
func credible(value string) bool {
	has := func(in func(rune) bool) bool { return strings.ContainsFunc(value, in) }
	letters := has(unicode.IsLetter)
	return len(value) >= leastCredible ||
		len(value) >= leastSecret && letters &&
			(has(unicode.IsDigit) || has(unicode.IsUpper) && has(unicode.IsLower))
}

// withoutSecrets returns a list with masked secrets.
func (a attempt) withoutSecrets(way listMethod, list snapshot.List) snapshot.List {
	secrets, found := a.surfaceSecrets(), false
	items := make([]json.RawMessage, len(list.Items()))
	for i, item := range list.Items() {
		raw, hit := secrets.JSON(item.Raw)
		items[i], found = raw, found || hit
	}
	if !found {
		return list
	}
	a.seen.note(way.notice(NoticeSecretEchoed, "%s holds a secret that the server was given; it is shown "+
		"as %s", way.name, redact.Mask))
	clean := snapshot.NewList(way.kind, items)
	clean.State, clean.Problem, clean.Pages = list.State, list.Problem, list.Pages
	return clean
}

// withoutSecrets returns the introduction of a server with masked secrets.
func (p peer) withoutSecrets(secrets redact.Secrets) peer {
	var inServer, inCapabilities bool
	p.Server, inServer = secrets.JSON(p.Server)
	p.Capabilities, inCapabilities = secrets.JSON(p.Capabilities)
	inText := secrets.In(p.Instructions)
	if p.Instructions = secrets.Text(p.Instructions); inServer || inCapabilities || inText {
		p.note(NoticeSecretEchoed, "the server's introduction of itself holds a secret that it was given; "+
			"it is shown as %s", redact.Mask)
	}
	return p
}

func masked(all []Notice, secrets redact.Secrets) []Notice {
	for i := range all {
		all[i].Message = kit.Clip(secrets.Text(all[i].Message), longText)
	}
	return all
}
