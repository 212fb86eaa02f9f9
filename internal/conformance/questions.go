package conformance

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// What nobody has.
const (
	noMethod  = "mcpctl/no-such-method"
	noVersion = "1999-01-01" // to whoever speaks the era of the handshake
	noFuture  = "2999-01-01" // to whoever speaks the other one: an old version may be taken for the era before
	noURI     = `{"uri":"mcpctl-no-such-scheme://no-such-resource"}`
	noPrompt  = `{"name":"mcpctl-no-such-prompt"}`
	noCursor  = `{"cursor":"mcpctl-no-such-cursor"}`
	noHost    = "evil.example.com"
)

// Members of _meta and headers.
const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaClient       = "io.modelcontextprotocol/clientInfo"
	metaServer       = "io.modelcontextprotocol/serverInfo"
	metaSubscription = "io.modelcontextprotocol/subscriptionId"

	headerVersion = "Mcp-Protocol-Version"
	headerSession = "Mcp-Session-Id"
)

// Codes of JSON-RPC and of the specification.
const (
	methodNotFound     = -32601
	invalidParams      = -32602
	resourceNotFound   = -32002
	headerMismatch     = -32020
	unsupportedVersion = -32022
)

var (
	discover = Ask{Method: "server/discover"}
	ping     = Ask{Method: "ping"}
	alive    = Ask{} // ping, or since 2026-07-28 server/discover
)

// with is an ask with headers over those of any client.
func (a Ask) with(header map[string]string) Ask {
	a.Header = header
	return a
}

// meta is an ask with other members of _meta.
func (a Ask) meta(members map[string]string) Ask {
	a.Meta = members
	return a
}

// questions are all there are. Those that end the session come last.
var questions = []Question{
	{ID: "initialize", Rule: "conformance-lifecycle", Era: Legacy, Section: "basic/lifecycle#version-negotiation", What: "for a version that does not exist", Wanted: "another version, or an error",
		Ask: Ask{Method: "initialize", Fresh: true, Params: `{"protocolVersion":"` + noVersion + `","capabilities":{},"clientInfo":{"name":"mcpctl","version":"1"}}`}, kept: negotiates},
	{ID: "ping", Rule: "conformance-lifecycle", Era: Legacy, Section: "basic/utilities/ping", What: "for a ping", Wanted: "an empty result", Ask: ping, kept: empty},
	{ID: "text-id", Rule: "conformance-lifecycle", Section: "basic#requests", What: "for a sign of life with a text as the id", Wanted: "a result", Ask: Ask{ID: `"mcpctl-text"`}, kept: Exchange.hasResult},
	{ID: "discover", Rule: "conformance-discover", Era: Modern, Section: "server/discover", What: "what it is (server/discover)", Wanted: "supportedVersions with 2026-07-28, capabilities, resultType, ttlMs of 0 or more and a cacheScope", Ask: discover, kept: discovers},
	{ID: "server-info", Rule: "conformance-discover", Era: Modern, Should: true, Section: "basic#meta", What: "what it is (server/discover)", Wanted: "serverInfo in the _meta of the result", Ask: discover, kept: introduces},
	{ID: "client-info", Rule: "conformance-request-meta", Era: Modern, Section: "basic#meta", What: "without clientInfo, which is optional", Wanted: "a result", Ask: discover.meta(map[string]string{metaClient: ""}), kept: Exchange.hasResult},
	{ID: "no-meta", Rule: "conformance-request-meta", Era: Modern, HTTP: true, Section: "basic#meta", What: "without _meta", Wanted: "HTTP 400 and error -32602", Ask: Ask{Method: "server/discover", Bare: true}, kept: refuses(400, invalidParams)},
	{ID: "no-version", Rule: "conformance-request-meta", Era: Modern, HTTP: true, Section: "basic#meta", What: "without protocolVersion in _meta", Wanted: "HTTP 400 and error -32602", Ask: discover.meta(map[string]string{metaVersion: ""}), kept: refuses(400, invalidParams)},
	{ID: "no-capabilities", Rule: "conformance-request-meta", Era: Modern, Section: "basic#meta", What: "without clientCapabilities in _meta", Wanted: "error -32602, over HTTP with status 400", Ask: discover.meta(map[string]string{metaCapabilities: ""}), kept: refuses(400, invalidParams)},
	{ID: "unknown-version", Rule: "conformance-version", Era: Modern, Section: "basic/versioning#protocol-version-negotiation", What: "in a version that does not exist", Wanted: "error -32022 with data.supported and data.requested, over HTTP with status 400",
		Ask: discover.meta(map[string]string{metaVersion: `"` + noFuture + `"`}).with(map[string]string{headerVersion: noFuture}), kept: refusesVersion},
	{ID: "unknown-version-header", Rule: "conformance-version", Era: Legacy, HTTP: true, Section: "basic/transports#protocol-version-header", What: "with a version that does not exist in MCP-Protocol-Version", Wanted: "HTTP 400", Ask: ping.with(map[string]string{headerVersion: noVersion}), kept: status(400)},
	{ID: "other-version-header", Rule: "conformance-headers", Era: Modern, HTTP: true, Section: "basic/transports/streamable-http#protocol-version-header", What: "with one version in the header and another in the body", Wanted: "HTTP 400 and error -32020",
		Ask: discover.with(map[string]string{headerVersion: Legacy}), kept: refuses(400, headerMismatch)},
	{ID: "no-method-header", Rule: "conformance-headers", Era: Modern, HTTP: true, Section: "basic/transports/streamable-http#server-validation", What: "without Mcp-Method", Wanted: "HTTP 400 and error -32020", Ask: discover.with(map[string]string{"Mcp-Method": ""}), kept: refuses(400, headerMismatch)},
	{ID: "other-method-header", Rule: "conformance-headers", Era: Modern, HTTP: true, Section: "basic/transports/streamable-http#server-validation", What: "with one method in the header and another in the body", Wanted: "HTTP 400 and error -32020",
		Ask: discover.with(map[string]string{"Mcp-Method": "prompts/list"}), kept: refuses(400, headerMismatch)},
	{ID: "other-name-header", Rule: "conformance-headers", Era: Modern, HTTP: true, Needs: "/prompts", Section: "basic/transports/streamable-http#server-validation", What: "for a prompt with another name in Mcp-Name", Wanted: "HTTP 400 and error -32020",
		Ask: Ask{Method: "prompts/get", Params: noPrompt, Header: map[string]string{"Mcp-Name": "mcpctl-another"}}, kept: refuses(400, headerMismatch)},
	{ID: "lower-case-headers", Rule: "conformance-headers", Era: Modern, HTTP: true, Section: "basic/transports/streamable-http#standard-request-headers", What: "with the names of headers in lower case", Wanted: "a result",
		Ask: discover.with(map[string]string{"Mcp-Method": "", headerVersion: "", "mcp-method": "server/discover", "mcp-protocol-version": Modern}), kept: Exchange.hasResult},
	{ID: "unknown-method", Rule: "conformance-unknown-method", Section: "basic#responses", What: "for a method that does not exist", Wanted: "error -32601, since 2026-07-28 over HTTP with status 404", Ask: Ask{Method: noMethod}, kept: unknownMethod},
	{ID: "removed-method", Rule: "conformance-unknown-method", Era: Modern, Section: "changelog", What: "for ping, which 2026-07-28 has no more", Wanted: "error -32601, over HTTP with status 404", Ask: ping, kept: unknownMethod},
	{ID: "unknown-prompt", Rule: "conformance-unknown-item", Should: true, Needs: "/prompts", Section: "server/prompts#error-handling", What: "for a prompt that does not exist", Wanted: "error -32602", Ask: Ask{Method: "prompts/get", Params: noPrompt}, kept: refuses(0, invalidParams)},
	{ID: "unknown-resource", Rule: "conformance-unknown-item", Era: Legacy, Should: true, Needs: "/resources", Section: "server/resources#error-handling", What: "for a resource that does not exist", Wanted: "error -32002", Ask: Ask{Method: "resources/read", Params: noURI}, kept: refuses(0, resourceNotFound)},
	{ID: "unknown-resource-modern", Rule: "conformance-unknown-item", Era: Modern, Needs: "/resources", Section: "server/resources#error-handling", What: "for a resource that does not exist", Wanted: "error -32602", Ask: Ask{Method: "resources/read", Params: noURI}, kept: refuses(0, invalidParams)},
	{ID: "unknown-cursor", Rule: "conformance-cursor", Should: true, Needs: "/tools", Section: "server/utilities/pagination#error-handling", What: "for a page of tools/list that does not exist", Wanted: "error -32602", Ask: Ask{Method: "tools/list", Params: noCursor}, kept: refuses(0, invalidParams)},
	{ID: "undeclared-tools", Rule: "conformance-undeclared", Needs: "!/tools", Section: "server/tools#capabilities", What: "for tools, which it does not declare", Wanted: "error -32601", Ask: Ask{Method: "tools/list"}, kept: lists("tools")},
	{ID: "undeclared-prompts", Rule: "conformance-undeclared", Needs: "!/prompts", Section: "server/prompts#capabilities", What: "for prompts, which it does not declare", Wanted: "error -32601", Ask: Ask{Method: "prompts/list"}, kept: lists("prompts")},
	{ID: "undeclared-resources", Rule: "conformance-undeclared", Needs: "!/resources", Section: "server/resources#capabilities", What: "for resources, which it does not declare", Wanted: "error -32601", Ask: Ask{Method: "resources/list"}, kept: lists("resources")},
	{ID: "declared-completions", Rule: "conformance-not-kept", Needs: "/completions", Section: "server/utilities/completion#capabilities", What: "for a completion, which it declares", Wanted: "anything but error -32601",
		Ask: Ask{Method: "completion/complete", Params: `{"ref":{"type":"ref/prompt","name":"mcpctl-no-such-prompt"},"argument":{"name":"none","value":""}}`}, kept: implemented},
	{ID: "declared-logging", Rule: "conformance-not-kept", Era: Legacy, Needs: "/logging", Section: "server/utilities/logging#capabilities", What: "for a level of its log, which it declares", Wanted: "a result", Ask: Ask{Method: "logging/setLevel", Params: `{"level":"emergency"}`}, kept: Exchange.hasResult},
	{ID: "declared-subscribe", Rule: "conformance-not-kept", Era: Legacy, Needs: "/resources/subscribe", Section: "server/resources#capabilities", What: "to subscribe to a resource, which it declares", Wanted: "anything but error -32601", Ask: Ask{Method: "resources/subscribe", Params: noURI}, kept: implemented},
	{ID: "listen", Rule: "conformance-not-kept", Era: Modern, HTTP: true, Needs: "/tools/listChanged", Section: "basic/patterns/subscriptions", What: "to tell of changed tools, which it declares", Wanted: "notifications/subscriptions/acknowledged with the id of the subscription first",
		Ask: Ask{Method: "subscriptions/listen", Params: `{"notifications":{"toolsListChanged":true}}`, First: true}, kept: acknowledges},
	{ID: "notification", Rule: "conformance-notification", HTTP: true, Section: "basic/transports", What: "nothing (a notification)", Wanted: "HTTP 202 and no body",
		Ask: Ask{Method: "notifications/cancelled", Params: `{"requestId":"mcpctl-none"}`, Note: true}, kept: func(e Exchange) bool { return e.Status == 202 && len(e.Messages) == 0 || e.Status >= 400 }},
	{ID: "broken-json", Rule: "conformance-broken-json", HTTP: true, Section: "basic#responses", What: "in a body that breaks off", Wanted: "a status from 400 to 499, or an error", Ask: Ask{Body: `{"jsonrpc":"2.0","id":1,"method":`},
		kept: func(e Exchange) bool {
			_, _, refused := e.refused()
			return refused || e.Status >= 400 && e.Status < 500
		}},
	{ID: "get", Rule: "conformance-stream", Era: Legacy, HTTP: true, Section: "basic/transports#listening-for-messages-from-the-server", What: "for a stream (GET)", Wanted: "an event stream, or HTTP 405", Ask: Ask{Verb: "GET", First: true},
		kept: func(e Exchange) bool { return e.Status == 405 || strings.HasPrefix(e.Type, "text/event-stream") }},
	{ID: "origin", Rule: "conformance-origin", HTTP: true, Local: true, Section: "basic/transports", What: "from a page of another site (Origin and Host " + noHost + ")", Wanted: "HTTP 403",
		Ask: Ask{Header: map[string]string{"Origin": "http://" + noHost, "Host": noHost}}, kept: func(e Exchange) bool { return e.Status >= 400 && e.Status < 500 }},
	{ID: "no-session", Rule: "conformance-session", Era: Legacy, HTTP: true, Session: true, Should: true, Section: "basic/transports#session-management", What: "without the id of its session", Wanted: "HTTP 400", Ask: ping.with(map[string]string{headerSession: ""}), kept: status(400)},
	{ID: "unknown-session", Rule: "conformance-session", Era: Legacy, HTTP: true, Session: true, Should: true, Section: "basic/transports#session-management", What: "in a session that does not exist", Wanted: "HTTP 404",
		Ask: ping.with(map[string]string{headerSession: "mcpctl-no-such-session"}), kept: status(404)},
	{ID: "alive", Rule: "conformance-lifecycle", Section: "basic#responses", What: "for a sign of life after all that", Wanted: "a result", Ask: alive, kept: Exchange.hasResult},
	{ID: "delete", Rule: "conformance-session", Era: Legacy, HTTP: true, Session: true, Section: "basic/transports#session-management", What: "to end its session (DELETE)", Wanted: "a status from 200 to 299, or HTTP 405", Ask: Ask{Verb: "DELETE"},
		kept: func(e Exchange) bool { return e.Status == 405 || e.Taken() }},
	{ID: "deleted-session", After: true, Rule: "conformance-session", Era: Legacy, HTTP: true, Session: true, Section: "basic/transports#session-management", What: "in a session that was ended", Wanted: "HTTP 404", Ask: ping, kept: status(404)},
}

func (e Exchange) hasResult() bool { return e.reply()["result"] != nil }

// refuses tells an error with one of the codes; over HTTP since 2026-07-28 with a status, too. 0 = any.
func refuses(want int, codes ...int) func(Exchange) bool {
	return func(e Exchange) bool {
		code, _, ok := e.refused()
		return ok && slices.Contains(codes, code) && (want == 0 || !e.HTTP || e.Status == want)
	}
}

func unknownMethod(e Exchange) bool {
	want := 0
	if eraOf(e.Protocol) == Modern {
		want = 404
	}
	return refuses(want, methodNotFound)(e)
}

func status(want int) func(Exchange) bool { return func(e Exchange) bool { return e.Status == want } }

func implemented(e Exchange) bool { return e.hasReply() && !refuses(0, methodNotFound)(e) }

// lists tells that a list is refused or empty: an empty one hides nothing.
func lists(member string) func(Exchange) bool {
	return func(e Exchange) bool {
		items, _ := rawjson.Elements(e.result()[member])
		return len(items) == 0
	}
}

func empty(e Exchange) bool {
	members := e.result()
	_, meta := members["_meta"]
	return rawjson.TypeName(e.reply()["result"]) == "an object" && (len(members) == 0 || len(members) == 1 && meta)
}

func negotiates(e Exchange) bool {
	version := e.result().Text("protocolVersion")
	return e.hasReply() && (!e.hasResult() || version != "" && version != noVersion)
}

func discovers(e Exchange) bool {
	result, ttl := e.result(), -1.0
	return slices.Contains(rawjson.Texts(result["supportedVersions"]), Modern) && rawjson.TypeName(result["capabilities"]) == "an object" &&
		result.Text("resultType") == "complete" && json.Unmarshal(result["ttlMs"], &ttl) == nil && ttl >= 0 && slices.Contains([]string{"public", "private"}, result.Text("cacheScope"))
}

func introduces(e Exchange) bool {
	info := rawjson.ObjectOf(rawjson.ObjectOf(e.result()["_meta"])[metaServer])
	return info.Text("name") != "" && info.Text("version") != ""
}

func refusesVersion(e Exchange) bool {
	_, data, _ := e.refused()
	return refuses(400, unsupportedVersion)(e) && len(rawjson.Texts(data["supported"])) > 0 && data.Text("requested") == noFuture
}

func acknowledges(e Exchange) bool {
	reply := e.reply()
	id := rawjson.Find(reply["params"], rawjson.Join("", "_meta", metaSubscription))
	return reply.Text("method") == "notifications/subscriptions/acknowledged" && id != nil && rawjson.Equal(id, e.ID)
}
