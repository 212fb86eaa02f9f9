package call

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/syntax"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Result is what a request gave back.
type Result struct {
	Raw         json.RawMessage // exactly as the server sent it
	Description string          // of a prompt
	Pieces      []Content
	Structured  json.RawMessage // structuredContent of a tool; nil = none
	Failed      bool            // the tool reports an error (isError)
	Values      []string        // of a completion
	More        string          // of a completion: what is said of further values
}

// ToolResult reads what a tool gave back (specification, tools, tool result).
func ToolResult(raw json.RawMessage) (Result, error) {
	r := Result{Raw: raw}
	result, err := whole("tools/call", raw)
	if err != nil {
		return r, err
	}
	r.Failed = string(result["isError"]) == "true"
	if value := result["structuredContent"]; value != nil && string(value) != "null" {
		r.Structured = value
	}
	blocks, err := elements("tools/call", "content", result["content"])
	if err != nil && r.Structured == nil {
		return r, err
	}
	for _, block := range blocks {
		r.Pieces = append(r.Pieces, piece(block))
	}
	return r, nil
}

// PromptResult reads a prompt that was filled in.
func PromptResult(raw json.RawMessage) (Result, error) {
	r := Result{Raw: raw}
	result, err := whole("prompts/get", raw)
	if err != nil {
		return r, err
	}
	r.Description = result.Text("description")
	messages, err := elements("prompts/get", "messages", result["messages"])
	for _, message := range messages {
		m := rawjson.ObjectOf(message)
		blocks := []json.RawMessage{m["content"]}
		// against the specification, and some do it
		if several, err := rawjson.Elements(m["content"]); err == nil {
			blocks = several
		}
		for _, block := range blocks {
			p := piece(block)
			p.Role = m.Text("role")
			r.Pieces = append(r.Pieces, p)
		}
	}
	return r, err
}

// ReadResult reads the contents of resources.
func ReadResult(raw json.RawMessage) (Result, error) {
	r := Result{Raw: raw}
	result, err := whole("resources/read", raw)
	if err != nil {
		return r, err
	}
	contents, err := elements("resources/read", "contents", result["contents"])
	for _, one := range contents {
		r.Pieces = append(r.Pieces, resource(one, one))
	}
	return r, err
}

// CompleteResult reads the values that complete an argument.
func CompleteResult(raw json.RawMessage) (Result, error) {
	r := Result{Raw: raw}
	result, err := whole("completion/complete", raw)
	if err != nil {
		return r, err
	}
	completion := rawjson.ObjectOf(result["completion"])
	values, err := elements("completion/complete", "values", completion["values"])
	for _, value := range values {
		r.Values = append(r.Values, word(value))
	}
	switch total := completion["total"]; {
	case total != nil && string(total) != fmt.Sprint(len(values)):
		r.More = fmt.Sprintf("%d of %s values", len(values), brief(total))
	case string(completion["hasMore"]) == "true":
		r.More = fmt.Sprintf("%d values of more", len(values))
	}
	return r, err
}

// whole returns the members of a complete result; other results are errors.
func whole(method string, raw json.RawMessage) (rawjson.Object, error) {
	result, _, err := rawjson.ReadObject(raw)
	if err != nil {
		return nil, fmt.Errorf("the result of %s %w", method, err)
	}
	if kind := result["resultType"]; kind != nil && word(kind) != "complete" {
		return nil, fmt.Errorf("the result of %s has the unknown resultType %s", method, missing(kind))
	}
	return result, nil
}

func elements(method, name string, raw json.RawMessage) ([]json.RawMessage, error) {
	all, err := rawjson.Elements(raw)
	if err != nil {
		return nil, fmt.Errorf("the result of %s has no list: %q is %s", method, name, rawjson.TypeName(raw))
	}
	return all, nil
}

// RepeatsStructured reports whether the texts of the result repeat its structured content: one text all of
// it, or each text an element. FastMCP wraps a value that is not an object as {"result": …}.
func (r Result) RepeatsStructured() bool {
	texts := kit.Map(kit.Filter(r.Pieces, func(p Content) bool { return p.Kind == Text }),
		func(p Content) string { return p.Text })
	value := r.Structured
	if members, err := rawjson.Members(value); err == nil && len(members) == 1 && members[0].Key == "result" {
		value = members[0].Value
	}
	says := func(text string) bool { return sameAs(value, text) || sameAs(r.Structured, text) }
	elements, err := rawjson.Elements(value)
	return slices.ContainsFunc(texts, says) ||
		err == nil && len(elements) > 0 && slices.EqualFunc(elements, texts, sameAs)
}

// sameAs reports whether a text is a value, written as JSON or, of a string, as it is.
func sameAs(value json.RawMessage, text string) bool {
	said, ok := rawjson.Text(value)
	return ok && said == text || rawjson.Equal(value, json.RawMessage(text))
}

// Promised checks structured content against the tool's output schema (specification, tools, output schema).
// sure is false if that is undecided.
func (r Result) Promised(schema json.RawMessage) (problems []Problem, sure bool) {
	switch {
	case schema == nil || r.Failed:
		return nil, true
	case r.Structured == nil:
		return []Problem{{Message: "is missing, though the tool declares an outputSchema"}}, true
	}
	return Check(schema, r.Structured)
}

// InputRequest is what a server wants to know before it goes on (since 2026-07-28, multi round-trip
// requests).
type InputRequest struct {
	Requests []Question
	State    json.RawMessage // to be sent back as it is; nil = none
}

// Question is one request of a server to the client.
type Question struct {
	Key    string
	Method string
	Params json.RawMessage
}

// ErrNoRequest is the error of a result that asks for input and says neither what for nor what to send back.
var ErrNoRequest = errors.New("the server asks for input and does not say for what")

// InputRequested reports whether a result asks for input, and for what.
func InputRequested(raw json.RawMessage) (need InputRequest, asked bool, err error) {
	result := rawjson.ObjectOf(raw)
	if result.Text("resultType") != "input_required" {
		return need, false, nil
	}
	members, _ := rawjson.Members(result["inputRequests"])
	for _, m := range members {
		request := rawjson.ObjectOf(m.Value)
		need.Requests = append(need.Requests, Question{m.Key, request.Text("method"), request["params"]})
	}
	if need.State = result["requestState"]; need.State == nil && need.Requests == nil {
		return need, true, ErrNoRequest
	}
	return need, true, nil
}

// Responses returns the answers to questions as the object to send back, by the keys of the questions.
func Responses(questions []Question, answers []json.RawMessage) json.RawMessage {
	if len(questions) == 0 {
		return nil
	}
	var members []rawjson.Member
	for i, q := range questions {
		members = append(members, rawjson.Member{Key: q.Key, Value: answers[i]})
	}
	return rawjson.Build(members...)
}

// Kind is what a piece of content is.
type Kind string

// The kinds of content.
const (
	Text     Kind = "text"
	Image    Kind = "image"
	Audio    Kind = "audio"
	Resource Kind = "resource"      // the contents of a resource
	Link     Kind = "resource_link" // where a resource is
	Unknown  Kind = "unknown"       // of a type that the specification does not have, or broken
)

// Content is one piece of content, as a server sent it.
type Content struct {
	Kind  Kind
	Role  string          // of a prompt's message: who says it
	Text  string          // of a text and of a resource that is one
	Data  []byte          // of binary content
	MIME  string          // as the server says; empty when it does not
	URI   string          // of resources and links
	Name  string          // of a link
	About string          // description of a link
	Size  string          // of a link, in bytes as the server says it
	Flaw  string          // what is wrong with the piece; empty = nothing
	Raw   json.RawMessage // the whole of it
}

// Binary reports whether a piece is bytes rather than text.
func (p Content) Binary() bool { return p.Data != nil }

// Bytes returns the contents of the piece: its data or its text. Of a link, and of what is not known, there
// are none.
func (p Content) Bytes() []byte {
	if p.Binary() {
		return p.Data
	}
	return []byte(p.Text)
}

// Saved reports whether the piece has contents that can be saved.
func (p Content) Saved() bool { return p.Kind != Link && p.Kind != Unknown }

// piece reads one content block (specification, tools, tool result; prompts, data types).
func piece(raw json.RawMessage) Content {
	block := rawjson.ObjectOf(raw)
	p := Content{Kind: Kind(block.Text("type")), MIME: block.Text("mimeType"), Raw: raw}
	switch p.Kind {
	case Text:
		p.text(block["text"])
	case Image, Audio:
		p.decode("data", block["data"])
	case Resource:
		return resource(block["resource"], raw)
	case Link:
		p.URI, p.Name, p.About, p.Size = block.Text("uri"), block.Text("name"), block.Text("description"),
			string(block["size"])
		if p.URI == "" {
			p.Flaw = "it has no uri"
		}
	default:
		p.Flaw = "its type is " + missing(block["type"])
		p.Kind = Unknown
	}
	return p
}

// resource reads the contents of one resource (specification, resources, contents).
func resource(raw, whole json.RawMessage) Content {
	block := rawjson.ObjectOf(raw)
	p := Content{Kind: Resource, MIME: block.Text("mimeType"), URI: block.Text("uri"), Raw: whole}
	if blob, ok := block["blob"]; ok {
		p.decode("blob", blob)
		return p
	}
	p.text(block["text"])
	return p
}

func (p *Content) text(raw json.RawMessage) {
	text, ok := rawjson.Text(raw)
	if p.Text = text; !ok {
		p.Flaw = "its text is " + missing(raw)
	}
}

// decode reads base64 in the spellings that servers use.
func (p *Content) decode(name string, raw json.RawMessage) {
	text, ok := rawjson.Text(raw)
	if !ok {
		p.Kind, p.Flaw = Unknown, fmt.Sprintf("its %s is %s", name, missing(raw))
		return
	}
	text = strings.NewReplacer("\r", "", "\n", "", "-", "+", "_", "/").Replace(text)
	data, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
	if err != nil {
		p.Kind, p.Flaw = Unknown, fmt.Sprintf("its %s is not base64", name)
		return
	}
	p.Data = append([]byte{}, data...)
}

func missing(raw json.RawMessage) string {
	if text, ok := rawjson.Text(raw); ok {
		return brief(text)
	}
	return rawjson.TypeName(raw)
}

// Extension ends the name of a file for the piece: by its media type in a fixed table, never as a server
// wishes.
func (p Content) Extension() string {
	kind, _, _ := strings.Cut(strings.ToLower(p.MIME), ";")
	if extension, ok := extensions()[strings.TrimSpace(kind)]; ok {
		return extension
	}
	if p.Binary() {
		return ".bin"
	}
	return ".txt"
}

// extensions maps media types to the extensions of the files that they are saved in, the same ones on every
// system.
func extensions() map[string]string {
	return map[string]string{
		"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp",
		"image/svg+xml": ".svg", "image/avif": ".avif",
		"image/bmp": ".bmp", "image/tiff": ".tiff",
		"audio/wav": ".wav", "audio/x-wav": ".wav", "audio/mpeg": ".mp3", "audio/ogg": ".ogg",
		"audio/flac": ".flac", "audio/mp4": ".m4a", "audio/webm": ".weba",
		"video/mp4": ".mp4", "video/webm": ".webm",
		"application/json": ".json", "application/pdf": ".pdf", "application/zip": ".zip",
		"application/gzip": ".gz", "application/xml": ".xml",
		"text/plain": ".txt", "text/html": ".html", "text/css": ".css", "text/csv": ".csv",
		"text/markdown": ".md", "text/xml": ".xml",
	}
}

// word returns the text of a JSON string, empty for anything else.
func word(raw json.RawMessage) string {
	text, _ := rawjson.Text(raw)
	return text
}

// SkillFault returns how a file differs from its entry in the skill (SEP-2640, verification on read); empty
// when it does not, or the skill lists no such file.
func SkillFault(skill snapshot.Item, uri string, read Result) string {
	files, _ := rawjson.Elements(skill.Field("resources"))
	for _, file := range files {
		if entry := rawjson.ObjectOf(file); entry.Text("uri") == uri {
			if problem := differs(skill, uri, entry, read.Pieces); problem != "" {
				return problem
			}
		}
	}
	return ""
}

// differs returns how a file that was read differs in size, digest or frontmatter from its entry in a skill;
// "" when it does not. Only the file of the skill itself has a frontmatter to compare.
func differs(skill snapshot.Item, uri string, entry rawjson.Object, pieces []Content) string {
	if len(pieces) != 1 || pieces[0].Flaw != "" {
		return "one content is wanted"
	}
	content := []byte(pieces[0].Text)
	if pieces[0].Data != nil {
		content = pieces[0].Data
	}
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256(content))
	switch {
	case string(entry["size"]) != fmt.Sprint(len(content)):
		return fmt.Sprintf("it has %d bytes, and %s are listed", len(content), entry["size"])
	case entry.Text("digest") != digest:
		return fmt.Sprintf("its digest is %s, and %s is listed", digest, entry.Text("digest"))
	case uri == skill.Key && !rawjson.Equal(frontmatter(content), skill.Field("frontmatter")):
		return "its frontmatter is another one"
	}
	return ""
}

// frontmatter returns the YAML between the first two lines of three hyphens as JSON; nil without any.
func frontmatter(text []byte) json.RawMessage {
	body, found := strings.CutPrefix(strings.ReplaceAll(string(text), "\r\n", "\n"), "---\n")
	front, _, closed := strings.Cut(body, "\n---")
	value, err := syntax.YAML([]byte(front))
	if !found || !closed || err != nil {
		return nil
	}
	return value.JSON()
}
