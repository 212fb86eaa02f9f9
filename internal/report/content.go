package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/mcpctl/mcpctl/internal/call"
)

// WriteResult writes what a request gave back, for people. saved are the files that pieces were saved to, by their
// positions.
func WriteResult(w io.Writer, r call.Result, saved map[int]string, o Options) error {
	p := &page{Options: o}
	if r.Failed {
		p.line(0, span{"the tool reports an error:", red})
	}
	if r.Description != "" {
		p.text(0, 0, span{oneLine(r.Description), dim})
	}
	role := ""
	for i, piece := range r.Pieces {
		if piece.Role != role {
			role = piece.Role
			p.gap()
			p.line(0, span{visible(role), bold})
		}
		indent := 0
		if role != "" {
			indent = 2
		}
		p.piece(indent, piece, saved[i])
	}
	if r.Structured != nil && !r.Told() {
		p.indented(0, r.Structured)
	}
	for _, value := range r.Values {
		p.line(0, span{visible(value), noInk})
	}
	_, err := io.WriteString(w, p.String())
	return err
}

// piece writes one piece of content. What is no text has its place held.
func (p *page) piece(indent int, piece call.Piece, saved string) {
	if label := label(piece, saved); label != "" {
		p.line(indent, span{label, dim})
	}
	switch {
	case piece.Flaw != "":
		p.text(indent, 2, span{short(compact(piece.Raw)), dim})
	case piece.Kind == call.Link:
		p.text(indent+2, 0, span{oneLine(piece.About), noInk})
	case !piece.Binary() && saved == "":
		for line := range strings.SplitSeq(strings.TrimRight(piece.Text, "\r\n"), "\n") {
			p.line(indent, span{visible(strings.ReplaceAll(strings.TrimRight(line, "\r"), "\t", "    ")), noInk})
		}
	}
}

// label stands for a piece that is no mere text, such as [image/png, 12 KB].
func label(piece call.Piece, saved string) safe {
	var parts []safe
	add := func(text safe) {
		if text != "" {
			parts = append(parts, text)
		}
	}
	switch {
	case piece.Flaw != "":
		return "[content that cannot be shown: " + visible(piece.Flaw) + "]"
	case piece.Kind == call.Text && saved == "":
		return ""
	case piece.Kind == call.Link:
		add("link " + visible(piece.URI))
		add(visible(piece.Name))
	case piece.Kind == call.Resource:
		add(visible(piece.URI))
	}
	if piece.MIME == "" && piece.Binary() {
		add(safe(piece.Kind))
	}
	add(visible(piece.MIME))
	if piece.Binary() || saved != "" {
		add(safe(Size(len(piece.Bytes()))))
	}
	if piece.Size != "" {
		add(visible(piece.Size) + " bytes")
	}
	if saved != "" {
		add("saved to " + visible(saved))
	}
	return "[" + join(parts, ", ") + "]"
}

// Size is a number of bytes for people: 512 bytes, 12 KB, 1.5 MB.
func Size(n int) string {
	const kilo = 1000
	switch {
	case n < kilo:
		return fmt.Sprintf("%d bytes", n)
	case n < 10*kilo:
		return fmt.Sprintf("%.1f KB", float64(n)/kilo)
	case n < kilo*kilo:
		return fmt.Sprintf("%d KB", n/kilo)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/kilo/kilo)
}

// indented writes JSON over several lines, with its numbers and the order of its members as they came.
func (p *page) indented(indent int, raw json.RawMessage) {
	for line := range strings.SplitSeq(Indented(raw), "\n") {
		p.line(indent, span{visible(line), noInk})
	}
}

// Indented is JSON over several lines, with its numbers and the order of its members as they came, and everything
// invisible in it escaped.
func Indented(raw json.RawMessage) string {
	var line bytes.Buffer
	if json.Compact(&line, raw) != nil {
		return string(visible(string(raw)))
	}
	return string(layout{indent: "  "}.append(nil, line.Bytes()))
}

// OneLine is JSON on one line, with spaces so that it can be read, and everything invisible in it escaped.
func OneLine(raw json.RawMessage) string { return Visible(compact(raw)) }

// Claims are what a server says of the effects of a tool, with the defaults of the specification for what it does not say.
func Claims(tool json.RawMessage) string { return Visible(hints(parse(parse(tool)["annotations"]))) }
