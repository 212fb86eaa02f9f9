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
// texts; with a directory each piece other than a text gets a file of its own. The rest is shown. The failure
// of a tool never lands in a file for its contents.
func (c *Client) deliver(ctx context.Context, name string, r Result) error {
	format, output := c.options.format(c.process), c.options.Output.File
	inDir := output != "" && files.IsDir(output)
	saved := map[int]string{} // the files of pieces, by position
	switch {
	case format == "json" && output != "" && !inDir:
		return c.options.Output.Bytes(ctx, c.process, append(bytes.Clone(r.Raw), '\n'))
	case output == "" || r.Failed:
		return c.display(format, r, nil)
	}
	for i, p := range r.Pieces {
		extension := filepath.Ext(output)
		switch {
		case inDir && p.savable():
			saved[i] = filepath.Join(output, fmt.Sprintf("%s-%d%s", fileName(name), i+1, p.extension()))
		case !inDir && p.Data != nil && len(saved) == 0:
			saved[i] = output
		case !inDir && p.Data != nil:
			saved[i] = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(output, extension), len(saved)+1, extension)
		}
	}
	if len(saved) == 0 && !inDir {
		return c.save(ctx, output, "", bare(r))
	}
	for _, i := range kit.SortedKeys(saved) {
		if err := c.save(ctx, saved[i], r.Pieces[i].MIME, r.Pieces[i].bytes()); err != nil {
			return err
		}
	}
	if !inDir && len(saved) == len(r.Pieces) {
		return nil
	}
	if format == "raw" {
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
	c.process.Note("wrote %s (%s)", file, joined(report.Visible(mime), printable.Size(len(data))))
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
		all = append(all, report.Block{Text: report.Visible(value)})
	}
	return all
}

// label returns what stands for a piece other than text, such as [image/png, 12 KB].
func (p Content) label(saved string) string {
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

// fileName returns the name of a tool, or a URI, in a form that a file name can contain.
func fileName(name string) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		}
		return '_'
	}, name)
	clean = strings.TrimLeft(clean, ".-")
	return clean[:min(len(clean), 60)]
}
