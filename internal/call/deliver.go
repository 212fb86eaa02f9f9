package call

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/report"
)

// deliver writes a result. With a file that is what is binary, the second one beside the first, else all
// texts; the rest is shown. The failure of a tool never lands in a file for its contents.
func (c *Client) deliver(ctx context.Context, r Result) error {
	format, output := c.options.format(c.process), c.options.Output.File
	switch {
	case format == "json" && output != "":
		return c.options.Output.Bytes(ctx, c.process, append(bytes.Clone(r.Raw), '\n'))
	case output == "" || r.Failed:
		return c.display(format, r, nil)
	}
	saved := map[int]string{} // the files of pieces, by position
	for i, p := range r.Pieces {
		if p.Data == nil {
			continue
		}
		file := output
		if len(saved) > 0 {
			extension := filepath.Ext(output)
			file = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(output, extension), len(saved)+1, extension)
		}
		if err := c.save(ctx, file, p.MIME, p.Data); err != nil {
			return err
		}
		saved[i] = file
	}
	switch {
	case len(saved) == 0:
		return c.save(ctx, output, "", bare(r))
	case len(saved) == len(r.Pieces):
		return nil
	case format == "raw":
		format = "text"
	}
	return c.display(format, r, saved)
}

// display writes a result to standard output.
func (c *Client) display(format string, r Result, saved map[int]string) error {
	out := bare(r)
	switch format {
	case "json":
		out = printable.EscapedJSON(r.Raw)
	case "text":
		var text bytes.Buffer
		report.WriteBlocks(&text, r.blocks(saved), report.Options{Width: host.Width(c.process.Out),
			Color: c.options.Output.Colored(c.process)})
		out = text.Bytes()
	}
	_, err := c.process.Out.Write(out)
	return err
}

// save writes a file and notes that. mime is its media type, for the note; empty = unknown.
func (c *Client) save(ctx context.Context, file, mime string, data []byte) error {
	if err := files.WriteOutput(ctx, c.process.Dir, file, files.Bytes(data)); err != nil {
		return fmt.Errorf("writing --output %s: %w", file, err)
	}
	c.process.Note("wrote %s (%s)", file, joined(printable.Message(mime), printable.Size(len(data))))
	return nil
}

// bare returns the contents of a result unchanged, several texts on separate lines.
func bare(r Result) []byte {
	var out []byte
	for _, p := range r.Pieces {
		if len(out) > 0 && p.Data == nil && out[len(out)-1] != '\n' {
			out = append(out, '\n')
		}
		out = append(out, p.bytes()...)
	}
	for _, v := range r.Values {
		out = append(out, v+"\n"...)
	}
	if len(r.Pieces) == 0 && r.Structured != nil {
		out = append(append(out, r.Structured...), '\n')
	}
	return out
}

// blocks returns a result as it is shown; saved has the files of pieces, by position.
func (r Result) blocks(saved map[int]string) []report.Block {
	var all []report.Block
	if r.Failed {
		all = append(all, report.Block{Label: "the tool reports an error:", Failure: true})
	}
	if r.Description != "" {
		all = append(all, report.Block{Label: strings.Join(strings.Fields(r.Description), " ")})
	}
	for i, p := range r.Pieces {
		b := report.Block{Role: p.Role, Label: p.label(saved[i])}
		switch {
		case p.Flaw != "":
			b.Text = shortened(printable.Spaced(p.Raw))
		case p.Kind == link:
			b.Text = after("  ", strings.TrimSpace(p.About))
		case p.Data == nil && saved[i] == "":
			b.Text = strings.TrimRight(p.Text, "\r\n")
		}
		all = append(all, b)
	}
	if r.Structured != nil && !r.repeatsStructured() {
		all = append(all, report.Block{Text: printable.Indented(r.Structured)})
	}
	for _, value := range r.Values {
		all = append(all, report.Block{Text: printable.Message(value)})
	}
	return all
}

// label returns what stands for a piece other than text, such as [image/png, 12 KB].
func (p Piece) label(saved string) string {
	what, mime, size := "", p.MIME, ""
	switch {
	case p.Flaw != "":
		return "[content that cannot be shown: " + p.Flaw + "]"
	case p.Kind == text && saved == "":
		return ""
	case p.Kind == link:
		what = joined("link "+p.URI, p.Name)
	case p.Kind == resource:
		what = p.URI
	}
	if p.Data != nil && mime == "" {
		mime = p.Kind
	}
	if p.Data != nil || saved != "" {
		size = printable.Size(len(p.bytes()))
	} else if p.Size != "" {
		size = p.Size + " bytes"
	}
	return "[" + joined(what, mime, size, after("saved to ", saved)) + "]"
}

// joined returns the parts that are not empty, with commas.
func joined(parts ...string) string {
	return strings.Join(kit.Filter(parts, func(part string) bool { return part != "" }), ", ")
}
