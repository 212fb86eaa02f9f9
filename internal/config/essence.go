package config

import "slices"

// essence is what a person agrees to who trusts an entry.
type essence struct {
	path  string   // absolute, of the file
	name  string   // which of its servers
	parts []string // see Subject
}

// NeedsTrust tells whether the entry must not be started or contacted before a person agreed to it, since nobody named it. A
// bare address is no exception: what answers there may be meant for this machine alone.
func (e Entry) NeedsTrust() bool { return e.Found != Named && !e.Disabled }

// Subject is the absolute path of the entry's file, which of its servers it is, whatever it is called beside those of other
// files, and everything the file says that decides what it does: its folder, all its keys as they are written, the inputs
// that it may ask for and the content of its envFile. Values of the user's own environment are not part of it. The parts
// may hold secrets, so they are for digests alone.
func (e Entry) Subject() (file, server string, parts []string) {
	return e.essence.path, e.essence.name, e.essence.parts
}

// essence is known once all of the server was read.
func (d *draft) essence(e Entry) essence {
	out := essence{path: d.abs, name: e.Server.Name + d.owner, parts: []string{"folder", d.folder}}
	out.parts = d.fields.flatten(append(out.parts, "keys"))
	out.parts = d.asked.flatten(append(out.parts, "inputs"))
	out.parts = append(out.parts, "envFile", d.envText)
	return out
}

// with is the essence of a server as a variant has it.
func (e essence) with(v essence) essence {
	parts := slices.Concat([]string{"server", e.path}, e.parts, v.parts)
	return essence{path: v.path, name: e.name + "@" + v.name, parts: parts}
}

// flatten adds v to parts, without its lines, such that different values give different parts.
func (v value) flatten(parts []string) []string {
	parts = append(parts, v.kind.String())
	switch v.kind {
	case list:
		for _, item := range v.items {
			parts = item.flatten(parts)
		}
	case object:
		for _, f := range v.fields {
			parts = f.value.flatten(append(parts, "key", f.key))
		}
	default:
		return append(parts, v.text)
	}
	return append(parts, "end")
}
