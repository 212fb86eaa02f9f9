package probe

import (
	"errors"

	"github.com/mcpctl/mcpctl/internal/transport"
)

// Symptoms that hints look for: of servers that are reached and answer nothing, or nonsense.

func (f facts) timedOut() bool {
	_, ok := errors.AsType[*timeoutError](f.err)
	return ok
}

func (f facts) whatToWaitFor() string {
	switch {
	case f.heard:
		return "the server answers, but slowly: allow more with --timeout"
	case f.server.Stdio != nil:
		return "allow more with --timeout if the first start downloads or builds something; else check that the command is an MCP server that speaks over stdio"
	}
	return "allow more with --timeout if the server is slow; else check that the URL is an MCP endpoint"
}

func (f facts) pinned() bool {
	return version.in(f.err) && f.options.Protocol != "" && f.options.Protocol != auto
}

// pinnedAlone tells that the version is pinned for this server, and not for the whole run.
func (f facts) pinnedAlone() bool { return version.in(f.err) && f.server.Protocol != "" }

func (f facts) unknownVersion() bool {
	return version.in(f.err) || hasCode(f.err, codeUnsupportedVersion)
}

// acting tells that the server was to do something, not to say what it offers.
func (f facts) acting() bool {
	return f.stage.order() >= Calling.order() && f.stage.order() <= Pinging.order()
}

func (f facts) wantsAnswer() bool { return f.acting() && f.wantsCapability() }

func (f facts) unknownRequest() bool { return f.acting() && hasCode(f.err, codeMethodNotFound) }

func (f facts) wantsOther() bool { return f.acting() && f.answeredError() }

func (f facts) wantsCapability() bool { return hasCode(f.err, codeMissingCapability) }

func (f facts) noSuchMethod() bool { return f.stage == Handshake && hasCode(f.err, codeMethodNotFound) }

func (f facts) answeredError() bool {
	_, ok := errors.AsType[*RPCError](f.err)
	return ok
}

func (f facts) tooLarge() bool {
	_, ok := errors.AsType[*transport.TooLargeError](f.err)
	return ok || limit.in(f.err)
}

func (f facts) garbled() bool {
	_, reply := errors.AsType[*transport.ReplyError](f.err)
	_, deep := errors.AsType[*transport.TooDeepError](f.err)
	return reply || deep || shape.in(f.err) || circle.in(f.err)
}
