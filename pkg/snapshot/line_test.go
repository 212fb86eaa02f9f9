package snapshot_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

const numbered = `{
  "capabilities": {
    "tools": {}
  },
  "instructions": "Be brief.",
  "mcpctl": 1,
  "tools": [
    {
      "inputSchema": {
        "properties": {
          "a/b~c": {
            "enum": [
              "x",
              "y"
            ]
          }
        }
      },
      "name": "first"
    },
    {
      "description": "tools",
      "name": "second"
    },

    {
      "name": "second",
      "servers": []
    }
  ]
}
`

func TestLine(t *testing.T) {
	for _, test := range []struct {
		id, pointer string
		want        int
	}{
		{"", "", 1}, {"", "/instructions", 5}, {"", "/capabilities/tools", 3}, {"", "/capabilities/prompts", 2}, {"", "/nothing/there", 1},
		{"tool/first", "", 8}, {"tool/first", "/name", 19}, {"tool/first", "/inputSchema/properties/a~1b~0c", 11},
		{"tool/first", "/inputSchema/properties/a~1b~0c/enum/1", 14}, {"tool/first", "/inputSchema/properties/a~1b~0c/enum/2", 12},
		{"tool/first", "/description", 8}, {"tool/second", "", 21}, {"tool/second", "/description", 22},
		{"tool/second", "/description/deeper", 22}, {"tool/second", "/servers", 21},
		{"tool/third", "/name", 7}, {"prompt/first", "/name", 1}, {"waiver/x", "", 1}, {"", "no pointer", 1},
	} {
		if got := snapshot.NewLines([]byte(numbered), "").Of(test.id, test.pointer); got != test.want {
			t.Errorf("Of(%q, %q) = %d, want %d", test.id, test.pointer, got, test.want)
		}
	}
}

// TestLineOfEveryMember looks for each member of each item of real files, and checks that the line says so.
func TestLineOfEveryMember(t *testing.T) {
	files, err := filepath.Glob("testdata/listings/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no listings: %v", err)
	}
	for _, name := range files[:min(len(files), 5)] {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		s := parsed(t, data)
		file := encoded(t, s)
		rows := strings.Split(string(file), "\n")
		for _, kind := range snapshot.Kinds() {
			for _, item := range s.List(kind).Items() {
				members, _ := rawjson.Members(item.Raw)
				for _, m := range members {
					key, _ := json.Marshal(m.Key)
					line := snapshot.NewLines(file, "").Of(kind.ID(item.Key), rawjson.Join("", m.Key))
					if row := rows[line-1]; !strings.HasPrefix(row, "      "+string(key)+": ") {
						t.Fatalf("%s: %s of %s is said to be on line %d: %s", name, key, item.Key, line, row)
					}
				}
			}
		}
	}
}

// FuzzLine gives any file and any place: the line is one of the file.
func FuzzLine(f *testing.F) {
	f.Add(numbered, "tool/first", "/inputSchema/properties")
	f.Add(`{"tools":[{"name":"a"}`, "tool/a", "/0")
	f.Add("", "", "/")
	f.Fuzz(func(t *testing.T, file, id, pointer string) {
		if line := snapshot.NewLines([]byte(file), "").Of(id, pointer); line < 1 || line > 1+strings.Count(file, "\n") {
			t.Errorf("line %d of %d", line, 1+strings.Count(file, "\n"))
		}
	})
}

// TestLineInAReport looks for the items of a server of a report by the server's name; one alone needs none.
func TestLineInAReport(t *testing.T) {
	entry := func(name string) string {
		return "{\"name\": \"" + name + "\",\n\"tools\": [\n{\"name\": \"x\",\n\"description\": \"X.\"}]}"
	}
	alone := "{\"summary\": {\"failed\": 0}, \"servers\": [" + entry("a") + "]}"
	two := "{\"servers\": [" + entry("a") + ",\n" + entry("b") + "]}"
	none := "{\"tools\": [\n\n{\"name\": \"x\", \"servers\": []}]}"
	for _, test := range []struct {
		file, server, pointer string
		want                  int
	}{{alone, "a", "", 3}, {alone, "other", "/description", 4}, {two, "a", "/description", 4}, {two, "b", "/description", 8},
		{two, "c", "", 1}, {none, "a", "", 3}} {
		if got := snapshot.NewLines([]byte(test.file), test.server).Of("tool/x", test.pointer); got != test.want {
			t.Errorf("%s: %s%s is on line %d, want %d", test.file, test.server, test.pointer, got, test.want)
		}
	}
}
