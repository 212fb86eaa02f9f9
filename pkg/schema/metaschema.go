package schema

import (
	"embed"
	"strings"
	"sync"
)

// metaFiles are the published meta-schemas. Those of 2019-09 and 2020-12 are written as one document each, without the
// dynamic references by which others may extend them.
//
//go:embed metaschemas
var metaFiles embed.FS

// Meta returns the meta-schema of a draft, which accepts what is a schema in it.
func Meta(d Draft) *Schema {
	s, _ := Parse(metaText(d))
	return s
}

func metaText(d Draft) []byte {
	name := strings.NewReplacer("https://", "", "http://", "", "json-schema.org/", "", "draft/", "", "/schema", "", "#", "").Replace(d.URI())
	text, _ := metaFiles.ReadFile("metaschemas/" + name + ".json")
	return text
}

// metaDocuments are the meta-schemas by draft, read when a schema first refers to one.
var metaDocuments = sync.OnceValue(func() map[Draft]*document {
	out := map[Draft]*document{}
	for _, d := range [...]Draft{Draft04, Draft06, Draft07, Draft201909, Draft202012} {
		if root, err := decode(metaText(d)); err == nil {
			out[d] = newDocument(root, d.URI(), d)
		}
	}
	return out
})

// metaDocument is the meta-schema that an address without a fragment names, or nil.
func metaDocument(address string) *document {
	if d, ok := draftOf(address); ok {
		return metaDocuments()[d]
	}
	return nil
}
