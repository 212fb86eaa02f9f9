package config

import (
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/redact"
)

// Where addresses are found in a text, and what one looks like without a scheme.
var (
	withScheme = kit.Pattern(`(?i)(?:[a-z][a-z0-9+.-]*:[/\\]{2}|(?:https?|wss?|ftp|tcp|udp):[/\\]*)` +
		`([^\s"'<>,;|()/\\?#]+)|(?:^|[\s"'=(,@])[/\\]{2}([^\s"'<>,;|()/\\?#]+)`)
	untilPath = kit.Pattern(`^[^\s"<>/\\?#]*`)
	around    = kit.Pattern(`[\s"'<>,;|()=]+`)
	variables = kit.Pattern(`\$\{[^{}]*\}|\$[A-Za-z_][A-Za-z0-9_]*`)
	ports     = kit.Pattern(`(?s)^(.*?)(?::(\d{1,5}))?$`)
	hostName  = kit.Pattern(`^(?:[\p{L}\p{N}_-]+[.。．｡])+(?:\p{L}{2,}|xn--[A-Za-z0-9-]+)[.。．｡]?$`)
	label     = kit.Pattern(`^[\p{L}\p{N}_-]*[\p{L}_-][\p{L}\p{N}_-]*$`)
	// what names of files end with, and no host does
	fileName = kit.Pattern(`(?i)\.(?:jsonc?|ya?ml|toml|[mc]?js|m?ts|tsx|jsx|txt|log|db|sqlite3?|pem|key|` +
		`crt|env|ini|conf|cfg|xml|csv|html?|lock|sock|pid|gguf|bin|exe|dll)$`)
	remotePath = kit.Pattern(`^[\w.+-]+@([^\s@:/\\]+):(?:[^\d]|$)`) // as of scp and git: user@host:path
	escaped    = kit.Pattern(`(?:%[0-9A-Fa-f]{2})+`)
	// an option whose value is a host; that of others could be the name of a file or module
	addressOption = kit.Pattern(`(?i)^-.*(?:host|url|uri|endpoint|server|domain|address|proxy|base|api)`)
)

// addressesIn returns the hosts in a text with its defaults put in, with ports; inArgs is for an argument and
// the option before it, which may name a file or module.
func addressesIn(text, option string, inArgs bool) (hosts []string) {
	plain := escaped().ReplaceAllStringFunc(text, func(s string) string {
		decoded, _ := url.PathUnescape(s) // of two digits each
		return decoded
	})
	if plain != text {
		hosts = addressesIn(plain, option, inArgs)
	}
	for _, at := range withScheme().FindAllStringSubmatchIndex(text, -1) {
		start, end := max(at[2], at[4]), max(at[3], at[5])
		hosts = append(hosts, authority(text[start:end]))
		// a password may hold what else ends an address in a text
		longer := untilPath().FindString(text[start:])
		if strings.LastIndexByte(longer, '@') > end-start {
			hosts = append(hosts, authority(longer))
		}
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
		if at := remotePath().FindStringSubmatch(piece); at != nil && hostName().MatchString(at[1]) {
			hosts = append(hosts, lower(at[1]))
			continue
		}
		if !hasURL && isAddress(variables().ReplaceAllString(host, "x"), piece, named) {
			hosts = append(hosts, host)
		}
		if strings.HasPrefix(piece, "-") && inArgs { // --endpoint HOST in one argument
			named = addressOption().MatchString(piece)
		}
	}
	return kit.Distinct(kit.Filter(hosts, isOfFile))
}

// isOfFile reports whether a host is not only the user's own, by a variable.
func isOfFile(host string) bool {
	name := ports().FindStringSubmatch(variables().ReplaceAllString(host, ""))[1]
	return strings.Trim(name, ".:[]") != ""
}

// authority returns the host and port without the user, as it is written.
func authority(text string) string {
	text = text[strings.LastIndexByte(text, '@')+1:]
	if strings.Count(text, "{") != strings.Count(text, "}") { // the end of a variable around it
		text = strings.TrimRight(text, "}")
	}
	return lower(strings.TrimRight(text, ":"))
}

// lower returns a host in lower case, without its variables.
func lower(host string) string {
	var out strings.Builder
	end := 0
	for _, at := range variables().FindAllStringIndex(host, -1) {
		out.WriteString(strings.ToLower(host[end:at[0]]) + host[at[0]:at[1]])
		end = at[1]
	}
	return out.String() + strings.ToLower(host[end:])
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
	case port != "": // a small number is rather the version of an image
		return label().MatchString(name) && (expected || len(port) > 2 || port >= "80")
	}
	isFile := fileName().MatchString(name) && !strings.Contains(piece, "//")
	return expected && hostName().MatchString(name) && !isFile
}

// everyday are variables whose values are not secrets.
var everyday = kit.Pattern(
	`^(?:HOME|USER|LOGNAME|PATH|PWD|SHELL|LANG|LC_[A-Z]+|TERM|TMPDIR|TZ|HOSTNAME|USERPROFILE|OLDPWD)$`)

// addRisks adds the addresses, and the values of the user's that the server may send there: the credentials
// if there are some, else what else it receives.
func (e Entry) addRisks(x *Effects) {
	fromDefault := map[string]bool{} // names that only choose an address
	other := map[string]bool{}
	option := ""
	for _, u := range e.uses {
		group, name, _ := strings.Cut(u.key, ".")
		var hosts []string
		if u.literal && u.key != "command" && u.key != "cwd" && u.key != "envFile" {
			hosts = hostsOf(e, u, option)
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

// addressKeys are those whose texts are URLs.
var addressKeys = append([]string{"oauth.authServerMetadataUrl", "oauth.tokenUrl", "oauth.authorizationUrl",
	"oauth.clientMetadataUrl", "oauth.redirectUri"}, urlKeys...)

// anyAddress stands for the addresses in a text of more variables than can be tried.
const anyAddress = "an address that its many variables choose"

// hostsOf returns the addresses that a text of an entry can have: those with the defaults of its variables,
// and those that arise where one is set instead. option is the argument before it.
func hostsOf(e Entry, u use, option string) []string {
	inArgs := strings.HasPrefix(u.key, "args[")
	var usual, others []string
	texts, all := e.scope.readings(u.text)
	for i, text := range texts {
		found := addressesIn(text, option, inArgs)
		if slices.Contains(addressKeys, u.key) && strings.Contains(text, "://") {
			found = append(found, kit.Filter([]string{hostIn(text)}, isOfFile)...)
		}
		if i == 0 {
			usual = found
			continue
		}
		others = append(others, kit.Filter(found, func(host string) bool { return !isAmong(usual, host) })...)
	}
	if !all {
		others = []string{anyAddress}
	}
	return kit.Distinct(append(usual, others...))
}

// isAmong reports whether a host with variables is one of those on other machines that their defaults make.
func isAmong(usual []string, host string) bool {
	parts := kit.Map(variables().Split(host, -1), regexp.QuoteMeta)
	like := regexp.MustCompile("^" + strings.Join(parts, ".*") + "$")
	return slices.ContainsFunc(usual, func(of string) bool {
		return of == host || !kit.ThisMachine(of) && like.MatchString(of)
	})
}

// hostIn returns the host and port in an address, with or without a scheme, that may hold variables.
func hostIn(address string) string {
	if _, rest, ok := strings.Cut(address, "://"); ok {
		address = rest
	}
	if end := strings.IndexAny(address, "/?#"); end >= 0 {
		address = address[:end]
	}
	return authority(address)
}
