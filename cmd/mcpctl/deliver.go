package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/call"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/report"
)

// resultOutput writes the results of requests where the user wants them.
type resultOutput struct {
	host.Process
	report.Output // Format is one of resultFormats; empty = text on a terminal, raw elsewhere
}

// deliver writes the result of a request. With a file that is what is binary, the second one beside the
// first, else all texts; the rest is shown. The failure of a tool never lands in a file for its contents.
func (d resultOutput) deliver(ctx context.Context, r call.Result) error {
	format, output := d.format(), d.Output.File
	switch {
	case format == "json" && output != "":
		return d.Output.Bytes(ctx, d.Process, append(bytes.Clone(r.Raw), '\n'))
	case output == "" || r.Failed:
		return d.display(format, r, nil)
	}
	saved := map[int]string{} // the files of pieces, by position
	for i, piece := range r.Pieces {
		if piece.Data == nil {
			continue
		}
		file := output
		if len(saved) > 0 {
			extension := filepath.Ext(output)
			file = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(output, extension), len(saved)+1, extension)
		}
		if err := d.save(ctx, file, piece.MIME, piece.Data); err != nil {
			return err
		}
		saved[i] = file
	}
	switch {
	case len(saved) == 0:
		return d.save(ctx, output, "", bare(r))
	case len(saved) == len(r.Pieces):
		return nil
	case format == "raw":
		format = "text"
	}
	return d.display(format, r, saved)
}

// display writes a result to standard output.
func (d resultOutput) display(format string, r call.Result, saved map[int]string) error {
	out := bare(r)
	switch format {
	case "json":
		out = printable.EscapedJSON(r.Raw)
	case "text":
		var text bytes.Buffer
		report.WriteBlocks(&text, blocks(r, saved), report.Options{Width: host.Width(d.Out),
			Color: d.Output.Colored(d.Process)})
		out = text.Bytes()
	}
	_, err := d.Out.Write(out)
	return err
}

// save writes a file and notes that. mime is its media type, for the note; empty = unknown.
func (d resultOutput) save(ctx context.Context, file, mime string, data []byte) error {
	if err := files.WriteOutput(ctx, d.Dir, file, files.Bytes(data)); err != nil {
		return fmt.Errorf("writing --output %s: %w", file, err)
	}
	d.Note("wrote %s (%s)", file, kit.Join(", ", printable.Message(mime), printable.Size(len(data))))
	return nil
}

// bare returns the contents of a result unchanged, several texts on separate lines.
func bare(r call.Result) []byte {
	var out []byte
	for _, p := range r.Pieces {
		if len(out) > 0 && p.Data == nil && out[len(out)-1] != '\n' {
			out = append(out, '\n')
		}
		out = append(out, p.Bytes()...)
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
func blocks(r call.Result, saved map[int]string) []report.Block {
	var all []report.Block
	if r.Failed {
		all = append(all, report.Block{Label: "the tool reports an error:", Failure: true})
	}
	if r.Description != "" {
		all = append(all, report.Block{Label: strings.Join(strings.Fields(r.Description), " ")})
	}
	for i, p := range r.Pieces {
		b := report.Block{Role: p.Role, Label: label(p, saved[i])}
		switch {
		case p.Flaw != "":
			b.Text = call.Shortened(printable.Spaced(p.Raw))
		case p.Kind == call.Link:
			b.Text = kit.Prefixed("  ", strings.TrimSpace(p.About))
		case p.Data == nil && saved[i] == "":
			b.Text = strings.TrimRight(p.Text, "\r\n")
		}
		all = append(all, b)
	}
	if r.Structured != nil && !r.RepeatsStructured() {
		all = append(all, report.Block{Text: printable.Indented(r.Structured)})
	}
	for _, value := range r.Values {
		all = append(all, report.Block{Text: printable.Message(value)})
	}
	return all
}

// label returns what stands for a piece other than text, such as [image/png, 12 KB].
func label(p call.Piece, saved string) string {
	what, mime, size := "", p.MIME, ""
	switch {
	case p.Flaw != "":
		return "[content that cannot be shown: " + p.Flaw + "]"
	case p.Kind == call.Text && saved == "":
		return ""
	case p.Kind == call.Link:
		what = kit.Join(", ", "link "+p.URI, p.Name)
	case p.Kind == call.Resource:
		what = p.URI
	}
	if p.Data != nil && mime == "" {
		mime = p.Kind
	}
	if p.Data != nil || saved != "" {
		size = printable.Size(len(p.Bytes()))
	} else if p.Size != "" {
		size = p.Size + " bytes"
	}
	return "[" + kit.Join(", ", what, mime, size, kit.Prefixed("saved to ", saved)) + "]"
}

// resultFormats returns the formats in which results can be written.
func resultFormats() []string { return []string{"text", "json", "raw"} }

// check finds mistakes in how results are written, before any server is contacted.
func (d resultOutput) check() error {
	out := d.Output
	switch {
	case out.Format != "" && !slices.Contains(resultFormats(), out.Format):
		return exit.UsageHint("use "+strings.Join(resultFormats(), ", "), "unknown format %q", out.Format)
	case out.Format == "raw" && out.File == "" && host.IsTerminal(d.Out):
		return exit.UsageHint("use --format text, or --output FILE",
			"--format raw is what the server sent, with everything in it that a terminal would obey")
	}
	if err := out.CheckColor(); err != nil {
		return err
	}
	return out.CheckFile(d.Process)
}

// format returns the format to write: without a choice text on a terminal, else raw.
func (d resultOutput) format() string {
	switch {
	case d.Output.Format != "":
		return d.Output.Format
	case d.Output.File == "" && host.IsTerminal(d.Out):
		return "text"
	}
	return "raw"
}

// preview writes a request that is not sent.
func (d resultOutput) preview(ctx context.Context, request []byte) error {
	if d.format() != "json" {
		request = []byte(cmp.Or(printable.Indented(request), string(request)))
	}
	return d.Output.Bytes(ctx, d.Process, append(request, '\n'))
}
