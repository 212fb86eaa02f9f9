package config

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/redact"
)

// Where addresses are found in a text, and what one looks like without a scheme.
var (
	withScheme = kit.Pattern(`(?i)(?:[a-z][a-z0-9+.-]*:[/\\]{2,}|(?:https?|wss?|ftp|tcp|udp):[/\\]*)` +
		`([^\s"'<>,;|()/\\?#]+)|(?:^|[\s"'=(,@])[/\\]{2}([^\s"'<>,;|()/\\?#]+)`)
	around    = kit.Pattern(`[\s"'<>,;|()=]+`)
	variables = kit.Pattern(`\$\{[^{}]*\}|\$[A-Za-z_][A-Za-z0-9_]*`)
	ports     = kit.Pattern(`^(.*?)(?::(\d{1,5}))?$`)
	hostName  = kit.Pattern(`^(?:[\p{L}\p{N}_-]+[.。．｡])+(?:\p{L}{2,}|xn--[A-Za-z0-9-]+)[.。．｡]?$`)
	label     = kit.Pattern(`^[\p{L}\p{N}_-]*[\p{L}_-][\p{L}\p{N}_-]*$`)
	// what names of files end with, and no host does
	fileName = kit.Pattern(`(?i)\.(?:jsonc?|ya?ml|toml|[mc]?js|m?ts|tsx|jsx|txt|log|db|sqlite3?|pem|key|` +
		`crt|env|ini|conf|cfg|xml|csv|html?|lock|sock|pid|gguf|bin|exe|dll)$`)
	// an option whose value is a host; that of others could be the name of a file or module
	addressOption = kit.Pattern(`(?i)^-.*(?:host|url|uri|endpoint|server|domain|address|proxy|base|api)`)
)

// addressesIn returns the hosts in a text with its defaults put in, with ports; inArgs is for an argument and
// the option before it, which may name a file or module.
func addressesIn(text, option string, inArgs bool) (hosts []string) {
	for _, found := range withScheme().FindAllStringSubmatch(text, -1) {
		hosts = append(hosts, authority(found[1]+found[2]))
	}
	if own, _, assigned := strings.Cut(text, "="); inArgs && assigned && strings.HasPrefix(text, "-") {
		option = own
	}
	named := !inArgs || addressOption().MatchString(option)
	for _, piece := range around().Split(text, -1) {
		piece = strings.Trim(piece, "`{}")
		rest, hasURL := piece, withScheme().MatchString(piece)
		if end := strings.IndexAny(rest, `/\?#`); end >= 0 {
			rest = rest[:end]
		}
		host := authority(rest)
		if !hasURL && isAddress(variables().ReplaceAllString(host, "x"), piece, named) {
			hosts = append(hosts, host)
		}
		if strings.HasPrefix(piece, "-") && inArgs { // --endpoint HOST in one argument
			named = addressOption().MatchString(piece)
		}
	}
	ofFile := func(host string) bool { // not the user's own, by a variable
		name := ports().FindStringSubmatch(variables().ReplaceAllString(host, ""))[1]
		return strings.Trim(name, ".:[]") != ""
	}
	return kit.Distinct(kit.Filter(hosts, ofFile))
}

// authority returns the host and port without the user, as it is written.
func authority(text string) string {
	text = text[strings.LastIndexByte(text, '@')+1:]
	if strings.Count(text, "{") != strings.Count(text, "}") { // the end of a variable around it
		text = strings.TrimRight(text, "}")
	}
	return strings.ToLower(strings.TrimRight(text, ":"))
}

// isAddress reports whether a text without a scheme is an address: an IP address, a host with its port, or,
// where an address is expected, the name of a host.
func isAddress(host, piece string, expected bool) bool {
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return true
	}
	if _, err := netip.ParseAddrPort(host); err == nil {
		return true
	}
	parts := ports().FindStringSubmatch(host)
	name, port := parts[1], parts[2]
	switch {
	case strings.EqualFold(name, "localhost"):
		return port != "" || expected
	case port != "" && hostName().MatchString(name):
		return true
	case port != "":
		return expected && label().MatchString(name)
	}
	isFile := fileName().MatchString(name) && !strings.Contains(piece, "//")
	return expected && hostName().MatchString(name) && !isFile
}

// defaults returns a text in which the defaults of variables and inputs, and directories, stand for them.
func (x expander) defaults(s string) string {
	var out strings.Builder
	for s != "" {
		literal, token, rest := x.next(s)
		out.WriteString(literal)
		s = rest
		inner, closed := strings.CutSuffix(strings.TrimPrefix(token, "${"), "}")
		name, fallback, has := strings.Cut(strings.TrimPrefix(inner, "env:"), ":-")
		folder, isFolder := x.directory(name)
		id, isInput := strings.CutPrefix(inner, "input:")
		switch {
		case isFolder && closed:
			out.WriteString(folder)
		case isInput && x.inputs[id].Default != "":
			out.WriteString(x.inputs[id].Default)
		case has && closed && fallback != "" && x.depth < maxDefaults:
			x.depth++
			out.WriteString(x.defaults(fallback))
			x.depth--
		default:
			out.WriteString(token)
		}
	}
	return out.String()
}

// everyday are variables whose values are no secrets.
var everyday = kit.Pattern(
	`^(?:HOME|USER|LOGNAME|PATH|PWD|SHELL|LANG|LC_[A-Z]+|TERM|TMPDIR|TZ|HOSTNAME|USERPROFILE)$`)

// addRisks adds the addresses, and the values of the user's that the server may send there: the credentials
// if there are some, else what else it receives.
func (e Entry) addRisks(x *Effects) {
	fromDefault := map[string]bool{} // names that only choose an address
	other := map[string]bool{}
	option := ""
	for _, u := range e.uses {
		group, name, _ := strings.Cut(u.key, ".")
		inArgs := strings.HasPrefix(u.key, "args[")
		var hosts []string
		if u.literal && u.key != "command" && u.key != "cwd" && u.key != "envFile" {
			hosts = addressesIn(e.scope.defaults(u.text), option, inArgs)
		}
		for _, host := range hosts {
			if !kit.ThisMachine(host) {
				x.Addresses = append(x.Addresses, host)
				continue
			}
			switch {
			case group == "env":
				x.Notable = append(x.Notable, name)
			case slices.Contains(urlKeys, u.key):
				x.Notable = append(x.Notable, "url")
			case group == "oauth":
				x.Notable = append(x.Notable, name)
			}
		}
		if group == "env" && redact.IsObeyed(name) {
			x.Notable = append(x.Notable, name)
		}
		for _, received := range u.receives {
			if len(hosts) > 0 && strings.Contains(u.text, received+":-") {
				fromDefault[received] = true
			} else {
				other[received] = true
			}
		}
		option = u.shown
	}
	x.Addresses, x.Notable = kit.Distinct(x.Addresses), unique(x.Notable)
	if len(x.Addresses) == 0 {
		return
	}
	credential := func(name string) bool {
		id, isInput := strings.CutPrefix(name, "input ")
		return redact.SecretName(name) || strings.HasPrefix(name, "the content of ") ||
			strings.HasPrefix(name, "the variables of ") || isInput && e.scope.inputs[id].Password
	}
	x.Secrets = kit.Filter(x.Receives, credential)
	if len(x.Secrets) == 0 {
		x.Secrets = kit.Filter(x.Receives, func(name string) bool {
			return !everyday().MatchString(name) && (other[name] || !fromDefault[name])
		})
	}
}

// hostIn returns the host and port in an address, with or without a scheme, that may hold variables.
func hostIn(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return strings.ToLower(u.Host)
	}
	if _, rest, ok := strings.Cut(address, "://"); ok {
		address = rest
	}
	address, _, _ = strings.Cut(address, "/")
	return strings.ToLower(address[strings.LastIndexByte(address, '@')+1:])
}
