package call

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/syntax"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// SkillFault is how a file differs from what a skill lists of it (SEP-2640, verification on read); empty when it does not, or the
// skill lists no such file.
func SkillFault(skill snapshot.Item, uri string, read Result) string {
	files, _ := rawjson.Elements(skill.Field("resources"))
	for _, file := range files {
		if entry := rawjson.ObjectOf(file); entry.Text("uri") == uri {
			if problem := differs(skill, uri, entry, read.Pieces); problem != "" {
				return problem
			}
		}
	}
	return ""
}

func differs(skill snapshot.Item, uri string, entry rawjson.Object, pieces []Content) string {
	if len(pieces) != 1 || pieces[0].Flaw != "" {
		return "one content is wanted"
	}
	content := []byte(pieces[0].Text)
	if pieces[0].Data != nil {
		content = pieces[0].Data
	}
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256(content))
	switch {
	case string(entry["size"]) != fmt.Sprint(len(content)):
		return fmt.Sprintf("it has %d bytes, and %s are listed", len(content), entry["size"])
	case entry.Text("digest") != digest:
		return fmt.Sprintf("its digest is %s, and %s is listed", digest, entry.Text("digest"))
	case uri == skill.Key && !rawjson.Equal(frontmatter(content), skill.Field("frontmatter")):
		return "its frontmatter is another one"
	}
	return ""
}

// frontmatter is what stands between the first two lines of three hyphens, as JSON; nil when there is none.
func frontmatter(text []byte) json.RawMessage {
	body, found := strings.CutPrefix(strings.ReplaceAll(string(text), "\r\n", "\n"), "---\n")
	front, _, closed := strings.Cut(body, "\n---")
	value, err := syntax.YAML([]byte(front))
	if !found || !closed || err != nil {
		return nil
	}
	return jsonOf(value)
}

func jsonOf(v syntax.Value) json.RawMessage {
	switch v.Kind {
	case syntax.Text:
		return rawjson.Quote(v.Text)
	case syntax.List:
		return rawjson.List(lists.Map(v.Items, jsonOf))
	case syntax.Object:
		return rawjson.Build(lists.Map(v.Fields, func(f syntax.Field) rawjson.Member { return rawjson.Member{Key: f.Key, Value: jsonOf(f.Value)} })...)
	case syntax.Null:
		return json.RawMessage("null")
	}
	return json.RawMessage(v.Text)
}
