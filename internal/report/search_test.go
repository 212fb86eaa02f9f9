package report

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/seen"
)

// TestAMatchIsOneLine: grep shows each item that matches on a line of its own, which a terminal cuts and a pipe has whole.
func TestAMatchIsOneLine(t *testing.T) {
	long := strings.Repeat("Reads the whole file and everything that is beside it. ", 8)
	tool := func(name string) json.RawMessage {
		return json.RawMessage(`{"name": "` + name + `", "title": "A file", "description": "First.\n` + long + `", "inputSchema":
			{"properties": {"path": {"type": "string", "description": "File to read."}}}}`)
	}
	r := &Report{Command: "list", Body: &Listing{Items: true, Pattern: regexp.MustCompile("(?i)file"), Servers: []Server{
		{Server: seen.Server{Name: "files", State: seen.OK, Offer: seen.Offer{Tools: seen.Items{tool("read_file"), tool("stat")}}}}}}}
	for _, width := range []int{40, 60, 80, 120, 0} {
		page := written(t, "table", r, Options{Width: width})
		checkPage(t, page, width)
		if rows := strings.Split(strings.TrimSuffix(page, "\n"),
			"\n"); len(rows) != 2 || !strings.HasPrefix(rows[0], "files  read_file  ") ||
			!strings.HasPrefix(rows[1], "files  stat  ") ||
			(width == 0) != strings.HasSuffix(rows[0], "; (path).description: File to read.") {
			t.Errorf("%d columns:\n%s", width, page)
		}
	}
}
