package config

import (
	"maps"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// SecretsIn returns the parts of a server's definition that are secret by their names or looks, which the
// server may quote.
func SecretsIn(s probe.Server) []probe.Secret {
	var texts, secrets []string // in texts only tokens are secret
	var named map[string]probe.Secret
	switch {
	case s.Stdio != nil:
		argv := append([]string{s.Stdio.Command}, s.Stdio.Args...)
		secrets = redact.Hidden(argv, redact.MaskArgs(argv))
		texts, named = []string{s.Stdio.Dir, s.Stdio.Command}, s.Stdio.Env
	case s.HTTP != nil:
		secrets = redact.URL(s.HTTP.URL)
		texts, named = []string{s.HTTP.URL}, s.HTTP.Headers
	}
	secrets = append(secrets, redact.Hidden(texts, kit.Map(texts, redact.MaskTokens))...)
	for _, name := range kit.SortedKeys(named) {
		value := named[name].Reveal()
		secrets = append(secrets, redact.Hidden([]string{value}, []string{redact.MaskText(value)})...)
		if redact.Sensitive(name, value) {
			secrets = append(secrets, value)
		}
	}
	return kit.Map(kit.Distinct(secrets), func(value string) probe.Secret { return probe.Secret(value) })
}

// Merged returns base with the entries of more, which win; neither is changed.
func Merged(base, more map[string]probe.Secret) map[string]probe.Secret {
	both := make(map[string]probe.Secret, len(base)+len(more))
	maps.Copy(both, base)
	maps.Copy(both, more)
	return both
}
