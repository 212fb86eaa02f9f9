package config

import (
	"os"
	"testing"

	"github.com/mcpctl/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/internal/syntax"
)

// full makes seeded and corpus-wide properties run in full: make test-full sets it, make test runs a part of them.
var full = os.Getenv("MCPCTL_FULL") != ""

// FuzzRow reads any bytes as the file of each row of the table. It never panics, every problem is on a line of the file, and
// no value of env or headers is in a problem or a description.
func FuzzRow(f *testing.F) {
	for i, data := range seedFiles(f) {
		if full || i%5 == 0 {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		clean, err := syntax.Decode(data)
		if err != nil {
			return
		}
		for _, app := range clients.Table() {
			for _, row := range app.Rows {
				root, wrong := syntax.ParserFor(row.Paths.On("linux"))(clean)
				if wrong != nil || root.Kind != syntax.Object {
					continue
				}
				s := fileScope{file: "f", folder: "/nonexistent", found: Discovered}.in(row.Dialect)
				entries, problems := s.rowServers(clients.File{App: app, Row: row}, root, []string{"/nonexistent"})
				entries = withPlaces(clients.File{App: app, Row: row}, entries)
				judge(t, clean, serversOf(root), join(nil, override(entries)), problems)
			}
		}
	})
}

func join(known, discovered []Entry) []Entry {
	l := loader{config: &Config{}}
	return l.join(known, l.runnable(discovered))
}
