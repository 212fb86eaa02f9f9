package probe

// hint is what to do next: the first row of hints that fits.
func (f facts) hint() string {
	for _, row := range hints {
		if row.when(f) {
			return row.say(f)
		}
	}
	return ""
}

// always is a hint that needs no facts.
func always(text string) func(facts) string { return func(facts) string { return text } }

// hints are tried from the top: what is certain comes before what is likely.
var hints = [...]struct {
	when func(facts) bool
	say  func(facts) string
}{
	{facts.isBug, always("this is a bug in mcpctl: please report it with the server's name and version")},
	{facts.notTried, always("mend the server that failed first, or leave --fail-fast out")},
	{facts.noCredentials, facts.howToAuthorize},
	{facts.isUsage, always("mend the configuration or the flag; nothing was contacted")},

	{facts.noFolder, always("mend cwd in the configuration: it names the working folder of the server")},
	{facts.noRuntime, facts.howToGetRuntime},
	{facts.noCommand, always("check the spelling, install it, or give its full path; a PATH under env in the configuration counts")},
	{facts.notExecutable, always("make the file executable (chmod +x), or start it with its interpreter: command node, args [server.js]")},

	{facts.hasUnknownArgument, facts.whichArgument},
	{facts.noPackage, always("check the package's name and version: the package registry does not have it")},
	{facts.wantsVariable, always("set the missing variable under env in the configuration, or with --env NAME=value")},
	{facts.shutIn, always("in the sandbox it sees no network, no home, and of programs only the system's folders: run it without --sandbox to see whether it misses any of that")},
	{facts.exited, always("run the same command by hand to see why; servers get a minimal environment (--inherit-env hands on all of it) and what env in the configuration sets")},
	{facts.stdoutClosed, always("the command closed its output without answering: check that it is an MCP server and that its arguments choose the stdio transport")},

	{facts.untrustedCA, always("if you trust the server, give its certificate authority with --ca-cert FILE (PEM) or SSL_CERT_FILE")},
	{facts.badCertificate, always("the certificate does not fit: check the host name in the URL, this machine's clock, and when the certificate ends")},
	{facts.plainHTTP, always("the server does not speak TLS: use http:// instead of https://")},
	{facts.proxied, always("the proxy could not be used: check HTTP_PROXY and HTTPS_PROXY, or name the host in NO_PROXY")},
	{facts.noHost, always("check the spelling of the host in the URL, and that this machine can resolve names (VPN, proxy)")},
	{facts.cutOff, always("the server, or a gateway before it, closed the connection: look into its log, or allow --retries")},
	{facts.refused, always("check that the server runs, and the port in the URL")},
	{facts.redirected, facts.newAddress},

	{answeredWith(401), facts.howToSignIn},
	{facts.otherSpelling, facts.spellHost},
	{answeredWith(403), facts.howToBeLetIn},
	{answeredWith(429), always("the server limits requests: wait, use --parallel 1, or allow --retries")},
	{facts.serverBroken, always("the server, or a gateway before it, failed: look into its log, or allow --retries")},
	{facts.isPage, always("this URL is a web page: MCP endpoints usually end with /mcp or /sse")},
	{answeredWith(404, 405), facts.otherPath},
	{facts.isHTTP, always("check that the URL is the one of an MCP endpoint, with its path (often /mcp or /sse) and its headers")},

	{facts.timedOut, facts.whatToWaitFor},
	{facts.pinnedAlone, always("take protocol out of this server's configuration to speak what the server speaks")},
	{facts.pinned, always("leave --protocol out to speak what the server speaks")},
	{facts.unknownVersion, always("update mcpctl or the server; --protocol asks for another version")},
	{facts.wantsAnswer, always("the server wants to ask somebody while it works: run this in a terminal")},
	{facts.unknownRequest, always("the server does not know this request: mcpctl show tells what it offers")},
	{facts.wantsOther, always("the server says so of this request: look at it with --dry-run, and into its log")},
	{facts.wantsCapability, always("the server wants a client that does more than list (sampling, elicitation, roots); mcpctl offers none of that")},
	{facts.noSuchMethod, always("the program answers JSON-RPC but not MCP's handshake: check that it is an MCP server")},
	{facts.tooLarge, always("ask the server's author for pages (nextCursor) or smaller schemas")},
	{facts.answeredError, always("the server itself says so: check its credentials, its network and its log")},
	{facts.garbled, always("the server's author must mend this; other clients will fail here too")},
}
