package invoke

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/mcpctl/mcpctl/internal/call"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// delivery is where a result goes.
type delivery struct {
	process host.Process
	output  report.Output
	format  string // one of Formats
}

// deliver writes what a request gave back; a tool's failure never lands in a file for its contents.
func deliver(ctx context.Context, p host.Process, o Options, name string, r call.Result) error {
	d, file := delivery{p, o.Output, o.format(p)}, o.Output.File
	switch {
	case d.format == "json" && file != "" && !files.IsDir(file):
		return d.output.Bytes(ctx, p, append(bytes.Clone(r.Raw), '\n'))
	case file == "" || r.Failed:
		return d.display(r, nil)
	case files.IsDir(file):
		return d.writePieces(ctx, name, r)
	}
	return d.save(ctx, file, r)
}

// display writes a result to standard output. saved has the files of the pieces that were saved, by index.
func (d delivery) display(r call.Result, saved map[int]string) error {
	var out bytes.Buffer
	switch d.format {
	case "json":
		out.Write(printable.EscapedJSON(r.Raw))
	case "raw":
		out.Write(bare(r))
	default:
		view := report.Options{Width: host.Width(d.process.Out), Color: d.output.Colored(d.process)}
		if err := report.WriteResult(&out, r, saved, view); err != nil {
			return err
		}
	}
	_, err := d.process.Out.Write(out.Bytes())
	return err
}

// bare returns the contents of a result unchanged, several texts on separate lines.
func bare(r call.Result) []byte {
	var out []byte
	for _, p := range r.Pieces {
		if len(out) > 0 && !p.Binary() && out[len(out)-1] != '\n' {
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

// save writes the contents to one file: what is binary, else all texts. Further binaries go into files beside
// it.
func (d delivery) save(ctx context.Context, output string, r call.Result) error {
	var binaries []int
	for i, p := range r.Pieces {
		if p.Binary() {
			binaries = append(binaries, i)
		}
	}
	if len(binaries) == 0 {
		return d.store(ctx, output, "", bare(r))
	}
	saved := map[int]string{}
	for n, i := range binaries {
		file := output
		if n > 0 {
			extension := filepath.Ext(output)
			file = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(output, extension), n+1, extension)
		}
		if err := d.store(ctx, file, r.Pieces[i].MIME, r.Pieces[i].Data); err != nil {
			return err
		}
		saved[i] = file
	}
	if len(binaries) < len(r.Pieces) {
		d.format = "text"
		return d.display(r, saved)
	}
	return nil
}

// writePieces writes each piece that is more than a text into a file of its own in a folder, and shows the
// rest.
func (d delivery) writePieces(ctx context.Context, name string, r call.Result) error {
	saved := map[int]string{}
	for i, p := range r.Pieces {
		if !p.Saved() || p.Kind == call.Text {
			continue
		}
		file := filepath.Join(d.output.File, fmt.Sprintf("%s-%d%s", fileName(name), i+1, p.Extension()))
		if err := d.store(ctx, file, p.MIME, p.Bytes()); err != nil {
			return err
		}
		saved[i] = file
	}
	if d.format == "raw" {
		d.format = "text"
	}
	return d.display(r, saved)
}

// store writes a file and notes that. kind is its media type, for the note; empty = unknown.
func (d delivery) store(ctx context.Context, file, kind string, data []byte) error {
	if err := files.WriteOutput(ctx, d.process.Dir, file, files.Bytes(data)); err != nil {
		return fmt.Errorf("writing --output %s: %w", file, err)
	}
	what := printable.Size(len(data))
	if kind != "" {
		what = report.Visible(kind) + ", " + what
	}
	d.process.Note("wrote %s (%s)", file, what)
	return nil
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

// verify holds what was read to the list of skills (SEP-2640, verification on read), unless it is none's or
// made on demand.
func (c *Client) verify(ctx context.Context, uri string, read call.Result) error {
	lists, err := c.session.List(ctx, snapshot.Skills)
	if err != nil {
		return explain(err)
	}
	for _, skill := range lists[0].Items() {
		if problem := call.SkillFault(skill, uri, read); problem != "" {
			return fmt.Errorf("%s is not what the server's list of skills says: %s; nothing of it is "+
				"shown, since the list or the file was changed without the other", report.Visible(uri),
				report.Visible(problem))
		}
	}
	return nil
}
