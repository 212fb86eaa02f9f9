package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/seen"
)

// TestMarks finds blocks in text, and the line of a mark without its other one.
func TestMarks(t *testing.T) {
	for text, want := range map[string]string{
		"a\n<!-- mcpctl:begin x -->\nb\n<!-- mcpctl:end -->\n":                                   "x:2 \"\\nb\\n\"",
		"<!--mcpctl:begin my desk-->b<!--mcpctl:end--> c":                                        `my desk:1 "b"`,
		"<!-- mcpctl:begin x -->\r\nb\r\n<!-- mcpctl:end -->":                                    "x:1 \"\\nb\\n\"",
		"<!-- mcpctl:begin x --><!-- mcpctl:end -->\n<!-- mcpctl:begin y --><!-- mcpctl:end -->": `x:1 "" y:2 ""`,
		"```\n<!-- mcpctl:begin x -->\n```\n`<!-- mcpctl:end -->`\n":                             "",
		"````\n```\n<!-- mcpctl:end -->\n````\n~~~ x\n```\n<!-- mcpctl:end -->\n~~~\n":           "",
		"<!-- mcpctl:begin x -->\n```\n<!-- mcpctl:end -->\n```\n<!-- mcpctl:end -->": "x:1 \"\\n```\\n<!-- mcpctl:end " +
			"-->\\n```\\n\"",
		"<!-- mcpctl -->\n<!-- mcpctl:beginning -->": "",
		"a\nb\n<!-- mcpctl:begin x -->\n": "F:3: <!-- mcpctl:begin x --> has no <!-- mcpctl:end " +
			"--> behind it",
		"a\n<!-- mcpctl:end -->\n<!-- mcpctl:begin x -->": "F:2: <!-- mcpctl:end --> has no <!-- mcpctl:begin " +
			"SERVER --> before it",
		"<!-- mcpctl:begin x -->\n<!-- mcpctl:begin y -->\n<!-- mcpctl:end -->": "F:1: <!-- mcpctl:begin x --> has no <!-- mcpctl:end " +
			"--> behind it",
		"<!-- mcpctl:begin x -->\n<!-- mcpctl:end -->\n<!-- mcpctl:end -->": "F:3: <!-- mcpctl:end --> has no <!-- mcpctl:begin SERVER " +
			"--> before it",
		"<!-- mcpctl:begin -->\n<!-- mcpctl:end -->": "F:1: <!-- mcpctl:begin --> names no server",
	} {
		var got []string
		all, err := ReadDocs("F", []byte(text))
		for _, d := range all {
			got = append(got, fmt.Sprintf("%s:%d %q", d.Server, d.Line, d.Text))
		}
		if err != nil {
			got = []string{err.Error()}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// FuzzDocs writes the page of a server with any text into a file with marks: what stands elsewhere stays byte for byte, the marks
// are found again, the check finds nothing, and a second run changes nothing.
func FuzzDocs(f *testing.F) {
	for _, s := range append(hostileTexts(), "<!-- mcpctl:end -->", "<!--", "-->", "- a\n- <!-- mcpctl:begin x -->\n\n    code -->",
		"```\n<!-- mcpctl:end -->\n```",
		"# Tools\n### Tools\n#### `a`", "a\n```", "~~~", "`<!-`--", "<!`--`", "x --`>", "\\<!-- mcpctl:end --\\>") {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, s string, crlf bool) {
		quoted, _ := json.Marshal(s)
		item := rawjson.Build(rawjson.Member{Key: "name", Value: quoted}, rawjson.Member{Key: "uri", Value: quoted},
			rawjson.Member{Key: "uriTemplate", Value: quoted}, rawjson.Member{Key: "title", Value: quoted},
			rawjson.Member{Key: "description", Value: quoted}, rawjson.Member{Key: "mimeType", Value: quoted},
			rawjson.Member{Key: "annotations", Value: rawjson.Build(rawjson.Member{Key: "audience",
				Value: rawjson.List([]json.RawMessage{quoted})})},
			rawjson.Member{Key: "arguments", Value: rawjson.List([]json.RawMessage{rawjson.Build(rawjson.Member{Key: "name", Value: quoted},
				rawjson.Member{Key: "description", Value: quoted})})},
			rawjson.Member{Key: "inputSchema", Value: rawjson.Build(rawjson.Member{Key: "properties", Value: rawjson.Build(
				rawjson.Member{Key: s, Value: rawjson.Build(rawjson.Member{Key: "description", Value: quoted},
					rawjson.Member{Key: "default", Value: quoted},
					rawjson.Member{Key: "pattern", Value: quoted})})})})
		server := Server{Server: seen.Server{Name: "x", State: seen.OK,
			Offer: seen.Offer{Tools: seen.Items{item, item}, Prompts: seen.Items{item}, Resources: seen.Items{item},
				ResourceTemplates: seen.Items{item}, Skills: seen.Items{item}}}}
		before, after := "# By hand `<!-- mcpctl:begin x -->`\n<!-- mcpctl:begin x -->", "<!-- mcpctl:end -->\n\nBelow,\nby hand\n"
		text := before + "\nold\n" + after
		if crlf {
			text, before, after = strings.ReplaceAll(text, "\n", "\r\n"), strings.ReplaceAll(before, "\n", "\r\n"),
				strings.ReplaceAll(after, "\n", "\r\n")
		}
		file := docsFile{text: []byte(text)}
		for range 2 {
			var err error
			if file.blocks, err = ReadDocs("F", file.text); err != nil || len(file.blocks) != 1 {
				t.Fatalf("%v, %d blocks in %q", err, len(file.blocks), file.text)
			}
			written, replaced := file.replaced([]Server{server}, false)
			inner, hasBegin := bytes.CutPrefix(written, []byte(before))
			inner, hasEnd := bytes.CutSuffix(inner, []byte(after))
			if !replaced || !hasBegin || !hasEnd || crlf && bytes.Count(inner, []byte("\n")) != bytes.Count(inner, []byte("\r\n")) {
				t.Fatalf("what stands elsewhere changed: %q", written)
			}
			if outdated := file.blocks[0].outdated(server.Server); (len(outdated) == 0) != bytes.Equal(written, file.text) {
				t.Fatalf("outdated: %+v in %q, now %q", outdated, file.text, written)
			}
			file.text = written
		}
	})
}

// TestOutdated names the items whose documentation is not what the server says.
func TestOutdated(t *testing.T) {
	server := func(tools ...string) seen.Server {
		var items seen.Items
		for _, tool := range tools {
			items = append(items, json.RawMessage(tool))
		}
		return seen.Server{Offer: seen.Offer{Tools: items}}
	}
	open, shut := `{"name":"open","description":"Opens it."}`, `{"name":"shut","inputSchema":{"properties":{"id":{"type":"integer"}}}}`
	page := documentation(server(open, shut))
	for name, c := range map[string]struct {
		text, want string
		now        seen.Server
	}{
		"up to date":     {page, "", server(open, shut)},
		"another order":  {page, "", server(shut, open)},
		"laid out":       {strings.ReplaceAll(page, "| --- |", "| ------ |"), "", server(open, shut)},
		"another text":   {page, "tools open 7; ", server(`{"name":"open","description":"Opens."}`, shut)},
		"another tool":   {page, "tools close 3; tools shut 13; ", server(open, `{"name":"close"}`)},
		"nothing":        {"\n", "tools open 3; tools shut 3; ", server(open, shut)},
		"by hand":        {page + "See also.\n", "tools shut 13; ", server(open, shut)},
		"first, by hand": {"\nSee also.\n" + page, "  3; ", server(open, shut)},
		"no tools":       {page, "  3; tools open 7; tools shut 13; ", server()},
		"in another order": {strings.Replace(strings.Replace(strings.Replace(page, "open", "tmp", 2), "shut", "open", 2), "tmp", "shut", 2),
			"tools open 13; tools shut 7; ", server(open, shut)},
	} {
		got := ""
		for _, o := range (docBlock{Line: 3, Text: c.text}).outdated(c.now) {
			got += fmt.Sprint(o.Kind, " ", o.Name, " ", o.Text.Line, "; ")
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q in\n%s", name, got, c.want, c.text)
		}
	}
}
