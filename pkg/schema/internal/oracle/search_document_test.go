package oracle

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// A document is one of the two schemas of a search.
type document struct {
	*Judge
	ids map[string]string // JSON pointers by address, with "#name" for anchors
}

// A node is a schema inside a document. One without a document was made up by the search.
type node struct {
	doc   *document
	at    string // JSON pointer
	value any
}

func newDocument(root any, name string) (*document, error) {
	j, err := newJudge(root, name)
	if err != nil {
		return nil, err
	}
	d := &document{Judge: j, ids: map[string]string{}}
	d.index(j.Root, "", &url.URL{Scheme: "mem", Path: "/" + name})
	return d, nil
}

func (d *document) node() node { return node{d, "", d.Root} }

// index records where the addresses and anchors of a document are. It looks everywhere, also where no schema is.
func (d *document) index(v any, at string, base *url.URL) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range [...]string{"$id", "id"} {
			if id, ok := v[key].(string); ok {
				if u, err := base.Parse(id); err == nil {
					d.record(u.String(), at)
					u.Fragment = ""
					base = u
				}
			}
		}
		for _, key := range [...]string{"$anchor", "$dynamicAnchor"} {
			if name, ok := v[key].(string); ok {
				d.record(withFragment(base, name), at)
			}
		}
		if at == "" {
			d.record(base.String(), at)
		}
		for _, key := range keys(v) {
			d.index(v[key], at+"/"+escapeToken(key), base)
		}
	case []any:
		for i, item := range v {
			d.index(item, at+"/"+strconv.Itoa(i), base)
		}
	}
}

func (d *document) record(address, at string) {
	address = strings.TrimSuffix(address, "#")
	if _, taken := d.ids[address]; !taken {
		d.ids[address] = at
	}
}

func withFragment(base *url.URL, fragment string) string {
	u := *base
	u.Fragment = fragment
	return u.String()
}

// base returns the address that references at a place are relative to.
func (d *document) base(at string) *url.URL {
	base := &url.URL{Scheme: "mem", Path: strings.TrimPrefix(d.URL, "mem://")}
	v := d.Root
	for _, token := range append([]string{""}, tokens(at)...) {
		if token != "" {
			v, _ = step(v, token)
		}
		o, _ := v.(map[string]any)
		for _, key := range [...]string{"$id", "id"} {
			if id, ok := o[key].(string); ok {
				if u, err := base.Parse(id); err == nil {
					u.Fragment = ""
					base = u
				}
			}
		}
	}
	return base
}

// resolve follows a reference inside the document.
func (n node) resolve(ref string) (node, bool) {
	if n.doc == nil {
		return node{}, false
	}
	u, err := n.doc.base(n.at).Parse(ref)
	if err != nil {
		return node{}, false
	}
	if at, ok := n.doc.ids[strings.TrimSuffix(u.String(), "#")]; ok {
		return n.doc.at(at)
	}
	fragment := u.Fragment
	u.Fragment = ""
	at, ok := n.doc.ids[u.String()]
	if !ok || fragment != "" && !strings.HasPrefix(fragment, "/") {
		return node{}, false
	}
	return n.doc.at(at + fragment)
}

func (d *document) at(pointer string) (node, bool) {
	v := d.Root
	for _, token := range tokens(pointer) {
		var ok bool
		if v, ok = step(v, token); !ok {
			return node{}, false
		}
	}
	return node{d, pointer, v}, true
}

// child returns the schema at a key of an object schema.
func (n node) child(path ...string) (node, bool) {
	for _, key := range path {
		v, ok := step(n.value, key)
		if !ok {
			return node{}, false
		}
		n = node{n.doc, n.at + "/" + escapeToken(key), v}
	}
	return n, true
}

// list returns the schemas of an array under a key.
func (n node) list(key string) []node {
	items, _ := n.object()[key].([]any)
	out := make([]node, 0, len(items))
	for i := range items {
		c, _ := n.child(key, strconv.Itoa(i))
		out = append(out, c)
	}
	return out
}

// object returns the keywords of a node, nil for a boolean schema.
func (n node) object() map[string]any {
	o, _ := n.value.(map[string]any)
	return o
}

func step(v any, token string) (any, bool) {
	switch v := v.(type) {
	case map[string]any:
		sub, ok := v[token]
		return sub, ok
	case []any:
		i, err := strconv.Atoi(token)
		if err != nil || i < 0 || i >= len(v) {
			return nil, false
		}
		return v[i], true
	}
	return nil, false
}

func tokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	parts := strings.Split(pointer, "/")[1:]
	for i, p := range parts {
		parts[i] = strings.ReplaceAll(strings.ReplaceAll(p, "~1", "/"), "~0", "~")
	}
	return parts
}

func escapeToken(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "~", "~0"), "/", "~1")
}

func keys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
