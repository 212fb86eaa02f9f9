package check

import (
	"net/url"
	"strings"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

func referenceUnresolved(s *subject, report tell) {
	s.eachReference(func(t tool, path, target string, d document) {
		if !isRemote(target) && !d.resolves(target) {
			report(finding.Finding{Item: t.id, Path: path, Member: "$ref", New: quoted(target)})
		}
	})
}

func referenceRemote(s *subject, report tell) {
	s.eachReference(func(t tool, path, target string, d document) {
		if isRemote(target) && !d.names(target) {
			report(finding.Finding{Item: t.id, Path: path, Member: "$ref", New: quoted(target)})
		}
	})
}

// eachReference calls f with every $ref of every schema.
func (s *subject) eachReference(f func(t tool, path, target string, d document)) {
	s.eachPlace(func(t tool, d document, p place) {
		if target, ok := p.object["$ref"].(string); ok {
			f(t, p.path(), target, d)
		}
	})
}

func isRemote(target string) bool {
	u, err := url.Parse(target)
	return err == nil && (u.Scheme != "" || u.Host != "")
}

// resolves tells whether a reference leads to a place of the document. One that is relative to an $id is taken to.
func (d document) resolves(target string) bool {
	address, pointer, _ := strings.Cut(target, "#")
	if address != "" {
		return d.names(address)
	}
	if pointer == "" {
		return true
	}
	if unescaped, err := url.PathUnescape(pointer); err == nil {
		pointer = unescaped
	}
	if strings.HasPrefix(pointer, "/") {
		_, ok := valueAt(d.value, pointer)
		return ok
	}
	for _, p := range d.places() {
		if p.object["$anchor"] == pointer || p.object["$dynamicAnchor"] == pointer || p.object["$id"] == "#"+pointer {
			return true
		}
	}
	return false
}

// names tells whether a schema of the document calls itself by an address.
func (d document) names(target string) bool {
	address, _, _ := strings.Cut(target, "#")
	for _, p := range d.places() {
		id, _ := p.object["$id"].(string)
		if id != "" && (id == address || strings.HasSuffix(id, "/"+address)) {
			return true
		}
	}
	return false
}
