package report

import (
	"io"
	"strings"
)

// WriteFiles writes a line for each file: its path, and what it holds.
func WriteFiles(w io.Writer, files [][2]string) {
	var out strings.Builder
	t := newTable(&out, make([]column, 2))
	for _, f := range files {
		_ = t.Append([]string{f[0], f[1]}) // strings always convert
	}
	_ = t.Render() // into memory
	for line := range strings.Lines(out.String()) {
		_, _ = io.WriteString(w, Visible(strings.TrimRight(line, " \n"))+"\n")
	}
}
