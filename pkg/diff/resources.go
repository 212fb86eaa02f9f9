package diff

import (
	"mime"
	"strings"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

// resource compares one resource.
func (c *comparison) resource(s subject) {
	c.selfPortrait(s, "resource")
	c.mediaType(s, "resource-mime-type-changed", "resource-mime-type-removed", "resource-mime-type-added")
	if !same(s.old["size"], s.new["size"]) {
		c.field(s, "resource-size-changed", "size")
	}
	c.rest(s, "uri", "name", "title", "description", "annotations", "_meta", "icons", "mimeType", "size")
}

// template compares one resource template.
func (c *comparison) template(s subject) {
	c.selfPortrait(s, "template")
	const changed = "template-mime-type-changed"
	c.mediaType(s, changed, changed, changed)
	c.rest(s, "uriTemplate", "name", "title", "description", "annotations", "_meta", "icons", "mimeType")
}

// described compares what resources and templates say of themselves in the same way.
func (c *comparison) selfPortrait(s subject, word string) {
	if !same(s.old["name"], s.new["name"]) {
		c.field(s, word+"-name-changed", "name")
	}
	description := word + "-description-changed"
	c.title(s, word+"-title-changed")
	c.description(s, description, description, description)
	c.opaque(s, word+"-annotations-changed", "annotations", "lastModified")
	c.opaque(s, word+"-meta-changed", "_meta")
	c.opaque(s, word+"-icons-changed", "icons")
}

// mediaType compares mimeType. A type that is no longer said, or that differs in its parameters only, is a warning; one
// that was not said before is info.
func (c *comparison) mediaType(s subject, changed, removed, added string) {
	old, new := s.old.text("mimeType"), s.new.text("mimeType")
	f := finding.Finding{Item: s.id, Path: "/mimeType", Old: s.old["mimeType"], New: s.new["mimeType"]}
	essence := func(mimeType string) string { return strings.SplitN(comparable(mimeType), ";", 2)[0] }
	switch {
	case comparable(old) == comparable(new):
		return
	case old == "":
		f.Level = finding.Info
		c.report(added, f)
		return
	case new == "":
		f.Level = finding.Warning
		c.report(removed, f)
		return
	case essence(old) == essence(new):
		f.Level = finding.Warning
	}
	c.report(changed, f)
}

// comparable is a media type in one spelling: lower case, parameters sorted.
func comparable(mimeType string) string {
	kind, parameters, err := mime.ParseMediaType(mimeType)
	if err != nil {
		return strings.ToLower(strings.TrimSpace(mimeType))
	}
	return mime.FormatMediaType(kind, parameters)
}
