package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/clients"
)

// TestTheApplicationsAreDocumented keeps the table at the end of docs/discovery.md the same as the one in the code; -update
// rewrites it.
func TestTheApplicationsAreDocumented(t *testing.T) {
	const page, begin = "../../docs/discovery.md", "\n<!-- made from internal/clients: go test ./cmd/mcpctl -run Documented -update -->\n"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	written, table, _ := strings.Cut(string(text), begin)
	got := applicationTables(clients.Table())
	if *update {
		if err := os.WriteFile(page, []byte(strings.TrimRight(written, "\n")+"\n"+begin+got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(table, got); diff != "" {
		t.Errorf("go test ./cmd/mcpctl -run Documented -update writes the table (-want +got):\n%s", diff)
	}
}

func applicationTables(all []clients.App) string {
	var b strings.Builder
	b.WriteString("\n|application|scope|file|key|\n|---|---|---|---|\n")
	for _, app := range all {
		name := fmt.Sprintf("%s `%s`", app.Name, app.ID)
		if app.Each {
			name += " +"
		}
		for _, row := range app.Rows {
			scope := string(row.Scope)
			if row.Above {
				scope += ", above"
			}
			fmt.Fprintf(&b, "|%s|[%s](%s)|%s|`%s`|\n", name, scope, row.Source, filesOf(row.Paths), row.Key)
			name = ""
		}
	}
	return b.String()
}

// filesOf is a row's path, on each system if they differ.
func filesOf(p clients.Paths) string {
	linux, mac, windows := p.On("linux"), p.On("darwin"), p.On("windows")
	switch {
	case linux == mac && mac == windows:
		return "`" + linux + "`"
	case linux == mac:
		return fmt.Sprintf("Linux, macOS `%s`<br>Windows `%s`", linux, windows)
	}
	return fmt.Sprintf("Linux `%s`<br>macOS `%s`<br>Windows `%s`", linux, mac, windows)
}
