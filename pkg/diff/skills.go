package diff

import (
	"encoding/json"
	"slices"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// compareSkill compares one skill by its entry in the list (SEP-2640): its frontmatter, and the digest of
// each file.
func compareSkill(c *comparison, s subject) {
	front := s.part("frontmatter")
	compareDescription(c, front, "item")
	rule := func(key string) string {
		return either(slices.Contains(rights, key), "skill-rights-changed", "skill-frontmatter-changed")
	}
	reportMembers(c, front, rule, "description")
	compareFiles(c, s)
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
	files := subject{kind: s.kind, id: s.id, path: "/resources", old: old, new: new}
	rule := func(file string) string {
		sameContent := viewOf(old[file]).text("digest") == viewOf(new[file]).text("digest")
		return files.comesOrGoes("skill-file-added", "skill-file-removed",
			either(sameContent, "skill-changed", "skill-file-changed"))(file)
	}
	reportChanged(c, files, keys(old, new), rule, func(rule, file string) {
		c.report(rule, finding.Finding{Item: s.id, Path: files.path, Old: old[file], New: new[file]}, "name",
			code(file))
	})
}

// filesOf returns the files of a skill by URI; pinned is false if they are not listed.
func filesOf(resources json.RawMessage) (files view, pinned bool) {
	elements, err := rawjson.Elements(resources)
	files = view{}
	for _, element := range elements {
		files[viewOf(element).text("uri")] = element
	}
	return files, err == nil && resources != nil
}
