package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/mcpctl/mcpctl/internal/call"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/terminal"
)

// deliver writes what a request gave back where the flags say, and gives the status as the command's error. What a tool
// says of its failure never lands in a file that was meant for the contents of its answer.
func (a *act) deliver(name string, r call.Result) error {
	if err := a.present(name, r); err != nil {
		return err
	}
	if r.Failed {
		a.Note("%s: %s reports an error", report.Visible(a.server.Name), report.Visible(name))
		return exit.Code(exit.Findings)
	}
	return nil
}

func (a *act) present(name string, r call.Result) error {
	format, output := a.actFormat(), a.output
	if r.Failed && format != "json" {
		a.output = "" // for write
	}
	switch {
	case format == "json" && !files.IsDir(output):
		return a.write(append(bytes.Clone(r.Raw), '\n'))
	case output == "" || r.Failed:
		return a.display(format, r, nil)
	case files.IsDir(output):
		return a.unpack(format, output, name, r)
	}
	return a.save(output, r)
}

// display writes a result to standard output.
func (a *act) display(format string, r call.Result, saved map[int]string) error {
	var out bytes.Buffer
	switch format {
	case "json":
		out.Write(append(bytes.Clone(r.Raw), '\n'))
	case "raw":
		out.Write(bare(r))
	default:
		color, err := a.colored()
		if err != nil {
			return err
		}
		if err := report.WriteResult(&out, r, saved, report.Options{Width: terminal.Width(a.Out), Color: color}); err != nil {
			return err
		}
	}
	_, err := a.Out.Write(out.Bytes())
	return err
}

// bare is all contents of a result as they are, each text on lines of its own where there are several.
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

// save writes the contents of a result to one file: what is binary if anything is, else all texts. Further binaries go
// into files beside it, so that nothing is lost that took a call to get.
func (a *act) save(output string, r call.Result) error {
	var binaries []int
	for i, p := range r.Pieces {
		if p.Binary() {
			binaries = append(binaries, i)
		}
	}
	if len(binaries) == 0 {
		return a.store(output, "", bare(r))
	}
	saved := map[int]string{}
	for n, i := range binaries {
		file := output
		if n > 0 {
			extension := filepath.Ext(output)
			file = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(output, extension), n+1, extension)
		}
		if err := a.store(file, r.Pieces[i].MIME, r.Pieces[i].Data); err != nil {
			return err
		}
		saved[i] = file
	}
	if len(binaries) < len(r.Pieces) {
		return a.display("text", r, saved)
	}
	return nil
}

// unpack writes each piece that is more than a text into a file of its own in a folder, and shows the rest.
func (a *act) unpack(format, folder, name string, r call.Result) error {
	saved := map[int]string{}
	for i, p := range r.Pieces {
		if !p.Saved() || p.Kind == call.Text {
			continue
		}
		file := filepath.Join(folder, fmt.Sprintf("%s-%d%s", fileName(name), i+1, p.Extension()))
		if err := a.store(file, p.MIME, p.Bytes()); err != nil {
			return err
		}
		saved[i] = file
	}
	if format == "raw" {
		format = "text"
	}
	return a.display(format, r, saved)
}

// store writes one file, whole or not at all, and tells it.
func (a *act) store(file, kind string, data []byte) error {
	if err := files.WriteOutput(a.Dir, file, data); err != nil {
		return fmt.Errorf("writing --output %s: %w", file, err)
	}
	what := report.Size(len(data))
	if kind != "" {
		what = report.Visible(kind) + ", " + what
	}
	a.Note("wrote %s (%s)", file, what)
	return nil
}

// fileName is a name of a tool or a URI as a part of the name of a file.
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
