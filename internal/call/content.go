package call

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

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

// Piece is one piece of content, as a server sent it.
type Piece struct {
	Kind  Kind
	Role  string          // of a prompt's message: who says it
	Text  string          // of a text and of a resource that is one
	Data  []byte          // of what is no text
	MIME  string          // as the server says; empty when it does not
	URI   string          // of resources and links
	Name  string          // of a link
	About string          // description of a link
	Size  string          // of a link, in bytes as the server says it
	Flaw  string          // what is wrong with the piece; empty = nothing
	Raw   json.RawMessage // the whole of it
}

// Binary tells whether a piece is bytes rather than text.
func (p Piece) Binary() bool { return p.Data != nil }

// Bytes are the contents of the piece: its data or its text. Of a link, and of what is not known, there are none.
func (p Piece) Bytes() []byte {
	if p.Binary() {
		return p.Data
	}
	return []byte(p.Text)
}

// Saved tells whether the piece has contents that can be saved.
func (p Piece) Saved() bool { return p.Kind != Link && p.Kind != Unknown }

// piece reads one content block (specification, tools, tool result; prompts, data types).
func piece(raw json.RawMessage) Piece {
	block := fields(raw)
	p := Piece{Kind: Kind(word(block["type"])), MIME: word(block["mimeType"]), Raw: raw}
	switch p.Kind {
	case Text:
		p.text(block["text"])
	case Image, Audio:
		p.decode("data", block["data"])
	case Resource:
		return resource(block["resource"], raw)
	case Link:
		p.URI, p.Name, p.About, p.Size = word(block["uri"]), word(block["name"]), word(block["description"]), string(block["size"])
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
func resource(raw, whole json.RawMessage) Piece {
	block := fields(raw)
	p := Piece{Kind: Resource, MIME: word(block["mimeType"]), URI: word(block["uri"]), Raw: whole}
	if blob, ok := block["blob"]; ok {
		p.decode("blob", blob)
		return p
	}
	p.text(block["text"])
	return p
}

func (p *Piece) text(raw json.RawMessage) {
	text, ok := rawjson.Text(raw)
	if p.Text = text; !ok {
		p.Flaw = "its text is " + missing(raw)
	}
}

// decode reads base64 in the spellings that servers use.
func (p *Piece) decode(name string, raw json.RawMessage) {
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

// missing says what stands in the place of a text.
func missing(raw json.RawMessage) string {
	if text, ok := rawjson.Text(raw); ok {
		return brief(text)
	}
	return typeOf(raw)
}
