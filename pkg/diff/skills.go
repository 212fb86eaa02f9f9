package diff

import (
	"encoding/json"
	"slices"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// compareSkill compares one skill by its entry in the list (SEP-2640): its frontmatter, and the digest of each file.
func compareSkill(c *comparison, s subject) {
	const description = "skill-description-changed"
	front := subject{s.kind, s.id, "/frontmatter", viewOf(s.old["frontmatter"]), viewOf(s.new["frontmatter"])}
	compareDescription(c, front, description, description, description)
	for _, key := range keys(front.old, front.new, "description") {
		switch {
		case same(front.old[key], front.new[key]):
		case slices.Contains(rights, key):
			reportMember(c, front, "skill-rights-changed", key)
		default:
			reportMember(c, front, "skill-frontmatter-changed", key)
		}
	}
	compareFiles(c, s)
	compareRest(c, s, "uri", "frontmatter", "resources")
}

// rights are what widens what an agent does without being asked.
var rights = []string{"allowed-tools", "hooks"}

// compareFiles compares the files of a skill by their digests. A skill that is made on demand has none.
func compareFiles(c *comparison, s subject) {
	old, wasPinned := filesOf(s.old["resources"])
	new, pinned := filesOf(s.new["resources"])
	if !wasPinned || !pinned {
		if rule := either(wasPinned, "skill-unpinned", "skill-pinned"); wasPinned != pinned {
			reportMember(c, s, rule, "resources")
		}
		return
	}
	for _, file := range keys(old, new) {
		f := finding.Finding{Item: s.id, Path: "/resources", Old: old[file], New: new[file]}
		name := []string{"name", code(file)}
		switch {
		case old[file] == nil:
			c.report("skill-file-added", f, name...)
		case new[file] == nil:
			c.report("skill-file-removed", f, name...)
		case viewOf(old[file]).text("digest") != viewOf(new[file]).text("digest"):
			c.report("skill-file-changed", f, name...)
		case !same(old[file], new[file]):
			c.report("skill-changed", f)
		}
	}
}

// filesOf are the files of a skill by URI; pinned is false when they are not listed.
func filesOf(resources json.RawMessage) (files view, pinned bool) {
	elements, err := rawjson.Elements(resources)
	files = view{}
	for _, element := range elements {
		files[viewOf(element).text("uri")] = element
	}
	return files, err == nil && resources != nil
}
