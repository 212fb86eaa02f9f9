package diff

import (
	"encoding/json"
	"mime"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// compareResource compares what resources and templates say in the same way, and the size of a resource.
func compareResource(c *comparison, s subject) {
	compareMember(c, s, "item-name-changed", "name")
	compareOpaque(c, s, "item-annotations-changed", "annotations", "lastModified")
	compareMediaType(c, s)
	compareResourceApp(c, s)
	if s.kind == snapshot.Resources {
		compareMember(c, s, "resource-size-changed", "size")
	}
}

// compareMediaType reports a new type as info, and as a warning one that is gone or differs in its parameters
// only.
func compareMediaType(c *comparison, s subject) {
	old, new := canonicalType(s.old.text("mimeType")), canonicalType(s.new.text("mimeType"))
	essence := func(mimeType string) string { return strings.SplitN(mimeType, ";", 2)[0] }
	rules := fate{"resource-mime-type-added", "resource-mime-type-removed", "resource-mime-type-changed"}
	if s.kind == snapshot.Templates {
		rules = always("template-mime-type-changed")
	}
	on := byRule
	switch {
	case old == new:
		return
	case old == "":
		on = appeared
	case new == "":
		on = vanished
	case essence(old) == essence(new):
		on = parameters
	}
	c.reportOn(on, rules.of(old == "", new == ""), s.member("mimeType"))
}

// canonicalType returns a media type in one spelling: lower case, parameters sorted.
func canonicalType(mimeType string) string {
	kind, parameters, err := mime.ParseMediaType(mimeType)
	if err != nil {
		return strings.ToLower(strings.TrimSpace(mimeType))
	}
	return mime.FormatMediaType(kind, parameters)
}

var expression = kit.Pattern(`\{([+#./;?&]?)([^{}]+)\}`)

// parseTemplate returns the variables that every URI of a template (RFC 6570) has, those of its query with
// their modifiers, and the template without its query and with a mark in the place of each variable.
func parseTemplate(template string) (variables, query []string, shape string) {
	shape = expression().ReplaceAllStringFunc(template, func(part string) string {
		m := expression().FindStringSubmatch(part)
		written := strings.Split(m[2], ",")
		if m[1] == "?" || m[1] == "&" {
			query = append(query, written...)
			return ""
		}
		marks := m[1]
		for _, variable := range written {
			name := strings.TrimRight(strings.SplitN(variable, ":", 2)[0], "*")
			variables = append(variables, name)
			marks += "{" + strings.TrimPrefix(variable, name) + "}"
		}
		return marks
	})
	return variables, query, shape
}

// compareURITemplate reports at most one change of the part that every URI has, and then those of the query.
func compareURITemplate(c *comparison, f finding.Finding, old, new string) {
	before, oldQuery, oldShape := parseTemplate(old)
	after, newQuery, newShape := parseTemplate(new)
	moved := slices.ContainsFunc(after, func(name string) bool {
		return slices.Contains(before, name) && slices.Index(before, name) != slices.Index(after, name)
	})
	switch {
	case oldShape == newShape && slices.Equal(before, after):
	case oldShape == newShape && moved:
		f.Message = "The variables of the template changed places: its URIs mean something else."
		c.report("template-uri-changed", f)
	case oldShape == newShape:
		c.report("template-variable-renamed", f)
	case len(after) > len(before) && contains(after, before):
		c.report("template-variable-added", f)
	case len(after) < len(before) && contains(before, after):
		c.report("template-variable-removed", f)
	default:
		c.report("template-uri-changed", f)
	}
	// the variables of the query may be left out, but a client that sends one that is gone is not understood
	if !contains(oldQuery, newQuery) {
		c.reportOn(inQuery, "template-variable-added", f)
	}
	if !contains(newQuery, oldQuery) {
		c.report("template-variable-removed", f)
	}
}

func contains(whole, parts []string) bool {
	return !slices.ContainsFunc(parts, func(part string) bool { return !slices.Contains(whole, part) })
}

// compareSkill compares one skill by its entry in the list (SEP-2640): its frontmatter, and the digest of
// each file.
func compareSkill(c *comparison, s subject) {
	front := s.part("frontmatter")
	compareDescription(c, front, itemDescriptions)
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
			c.report(rule, s.member("resources"))
		}
		return
	}
	files := subject{kind: s.kind, id: s.id, path: "/resources", old: old, new: new}
	rule := func(file string) string {
		sameContent := viewOf(old[file]).text("digest") == viewOf(new[file]).text("digest")
		return fate{"skill-file-added", "skill-file-removed", either(sameContent, "skill-changed",
			"skill-file-changed")}.ofMembers(files)(file)
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
