package call

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/syntax"
)

// Result is what a request returned.
type Result struct {
	Raw         json.RawMessage // exactly as the server sent it
	Description string          // of a prompt
	Pieces      []Piece
	Structured  json.RawMessage // structuredContent of a tool; nil = none
	Failed      bool            // the tool reports an error (isError)
	Values      []string        // of a completion
	More        string          // of a completion: how many values there are
}

// toolResult reads the result of a tool (specification, tools, tool result).
func toolResult(raw json.RawMessage) (Result, error) {
	r, members, blocks, err := resultOf(ToolMethod, raw, "/content")
	r.Failed = string(members["isError"]) == "true"
	r.Structured = members.Present("structuredContent")
	for _, block := range blocks {
		r.Pieces = append(r.Pieces, piece(block))
	}
	if members != nil && r.Structured != nil { // content may be missing then
		err = nil
	}
	return r, err
}

// promptResult reads a prompt that was filled in.
func promptResult(raw json.RawMessage) (Result, error) {
	r, members, messages, err := resultOf("prompts/get", raw, "/messages")
	r.Description = members.Text("description")
	for _, message := range messages {
		m := rawjson.ObjectOf(message)
		blocks, err := rawjson.Elements(m["content"]) // against the specification, and some do it
		if err != nil {
			blocks = []json.RawMessage{m["content"]}
		}
		for _, block := range blocks {
			p := piece(block)
			p.Role = m.Text("role")
			r.Pieces = append(r.Pieces, p)
		}
	}
	return r, err
}

// readResult reads the contents of resources.
func readResult(raw json.RawMessage) (Result, error) {
	r, _, contents, err := resultOf("resources/read", raw, "/contents")
	for _, content := range contents {
		r.Pieces = append(r.Pieces, resourceOf(content, content))
	}
	return r, err
}

// completeResult reads the values that complete an argument.
func completeResult(raw json.RawMessage) (Result, error) {
	r, members, values, err := resultOf("completion/complete", raw, "/completion/values")
	r.Values = kit.Map(values, word)
	completion := rawjson.ObjectOf(members["completion"])
	switch total := completion["total"]; {
	case total != nil && string(total) != fmt.Sprint(len(values)):
		r.More = fmt.Sprintf("%d of %s values", len(values), brief(total))
	case string(completion["hasMore"]) == "true":
		r.More = fmt.Sprintf("%d values of more", len(values))
	}
	return r, err
}

// resultOf returns a result with its members and the elements of its list at a JSON pointer. A result that is
// not complete is an error, as is one without the list.
func resultOf(method string, raw json.RawMessage, list string) (
	r Result, members rawjson.Object, elements []json.RawMessage, err error,
) {
	r.Raw = raw
	if members, _, err = rawjson.ReadObject(raw); err != nil {
		return r, nil, nil, fmt.Errorf("the result of %s %w", method, err)
	}
	if kind := members["resultType"]; kind != nil && word(kind) != "complete" {
		return r, nil, nil, fmt.Errorf("the result of %s has the unknown resultType %s", method,
			missing(kind))
	}
	found := rawjson.Find(raw, list)
	if elements, err = rawjson.Elements(found); err != nil {
		err = fmt.Errorf("the result of %s has no list: %q is %s", method, path.Base(list),
			rawjson.TypeName(found))
	}
	return r, members, elements, err
}

// RepeatsStructured reports whether the texts of the result repeat its structured content: one text all of
// it, or each text an element. FastMCP wraps a value that is not an object as {"result": …}.
func (r Result) RepeatsStructured() bool {
	var texts []string
	for _, p := range r.Pieces {
		if p.Kind == Text {
			texts = append(texts, p.Text)
		}
	}
	value := r.Structured
	if members, err := rawjson.Members(value); err == nil && len(members) == 1 && members[0].Key == "result" {
		value = members[0].Value
	}
	same := func(text string) bool { return sameAs(value, text) || sameAs(r.Structured, text) }
	elements, err := rawjson.Elements(value)
	return slices.ContainsFunc(texts, same) ||
		err == nil && len(elements) > 0 && slices.EqualFunc(elements, texts, sameAs)
}

// sameAs reports whether a text is a value, written as JSON or, of a string, as it is.
func sameAs(value json.RawMessage, text string) bool {
	quoted, ok := rawjson.Text(value)
	return ok && quoted == text || rawjson.Equal(value, json.RawMessage(text))
}

// digest returns "sha256:" and the hash of the one content of the result; "unknown" unless there is one.
func (r Result) digest() string {
	if len(r.Pieces) != 1 || r.Pieces[0].Flaw != "" {
		return "unknown"
	}
	return fmt.Sprintf("sha256:%x", sha256.Sum256(r.Pieces[0].Bytes()))
}

// frontmatter returns the YAML between the first two lines of three hyphens of the one content as JSON; nil
// without any.
func (r Result) frontmatter() json.RawMessage {
	text := strings.ReplaceAll(string(r.Pieces[0].Bytes()), "\r\n", "\n")
	body, found := strings.CutPrefix(text, "---\n")
	front, _, closed := strings.Cut(body, "\n---")
	value, err := syntax.YAML([]byte(front))
	if !found || !closed || err != nil {
		return nil
	}
	return value.JSON()
}

// The kinds of content that differ in how they are shown. Others are those of the specification with data.
const (
	Text     = "text"
	Resource = "resource"      // the contents of a resource
	Link     = "resource_link" // where a resource is
)

// Piece is one piece of content, as a server sent it.
type Piece struct {
	Kind  string          // its type
	Role  string          // of a prompt's message: who says it
	Text  string          // of a text and of a resource that is one
	Data  []byte          // of binary content; nil = none
	MIME  string          // as the server says; empty when it does not
	URI   string          // of resources and links
	Name  string          // of a link
	About string          // description of a link
	Size  string          // of a link, in bytes as the server says it
	Flaw  string          // why it cannot be shown; empty = it can
	Raw   json.RawMessage // the whole of it
}

// Bytes returns the contents of the piece: its data or its text. Of a link, and of what is not known, there
// are none.
func (p Piece) Bytes() []byte {
	if p.Data != nil {
		return p.Data
	}
	return []byte(p.Text)
}

// piece reads one content block (specification, tools, tool result; prompts, data types).
func piece(raw json.RawMessage) Piece {
	block := rawjson.ObjectOf(raw)
	p := Piece{Kind: block.Text("type"), MIME: block.Text("mimeType"), Raw: raw}
	switch p.Kind {
	case Text:
		p.readText(block["text"])
	case "image", "audio":
		p.decode("data", block["data"])
	case Resource:
		return resourceOf(block["resource"], raw)
	case Link:
		p.URI, p.Name, p.About, p.Size = block.Text("uri"), block.Text("name"), block.Text("description"),
			string(block["size"])
		if p.URI == "" {
			p.Flaw = "it has no uri"
		}
	default:
		p.Flaw = "its type is " + missing(block["type"])
	}
	return p
}

// resourceOf reads the contents of one resource (specification, resources, contents).
func resourceOf(raw, whole json.RawMessage) Piece {
	block := rawjson.ObjectOf(raw)
	p := Piece{Kind: Resource, MIME: block.Text("mimeType"), URI: block.Text("uri"), Raw: whole}
	if blob, ok := block["blob"]; ok {
		p.decode("blob", blob)
		return p
	}
	p.readText(block["text"])
	return p
}

func (p *Piece) readText(raw json.RawMessage) {
	text, ok := rawjson.Text(raw)
	if p.Text = text; !ok {
		p.Flaw = "its text is " + missing(raw)
	}
}

// decode reads base64 in the spellings that servers use.
func (p *Piece) decode(name string, raw json.RawMessage) {
	text, ok := rawjson.Text(raw)
	if !ok {
		p.Flaw = fmt.Sprintf("its %s is %s", name, missing(raw))
		return
	}
	text = strings.NewReplacer("\r", "", "\n", "", "-", "+", "_", "/").Replace(text)
	data, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
	if err != nil {
		p.Flaw = fmt.Sprintf("its %s is not base64", name)
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

// word returns the text of a JSON string, empty for anything else.
func word(raw json.RawMessage) string {
	text, _ := rawjson.Text(raw)
	return text
}
