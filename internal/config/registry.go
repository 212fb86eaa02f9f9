package config

import (
	"path"
	"regexp"
	"strings"
)

// isRegistry is whether a file is a server.json of the MCP registry.
func isRegistry(root value) bool {
	packages, remotes := root.either("packages"), root.either("remotes")
	return member(root, "name") != "" && (packages.kind == list || remotes.kind == list)
}

// either is the member of that name, which server.json wrote with underscores before.
func (v value) either(camel string) value {
	var snake strings.Builder
	for _, c := range camel {
		if 'A' <= c && c <= 'Z' {
			snake.WriteByte('_')
			c += 'a' - 'A'
		}
		snake.WriteRune(c)
	}
	if f, ok := v.get(camel); ok {
		return f.value
	}
	f, _ := v.get(snake.String())
	return f.value
}

// registry reads server.json: each package is a command, each remote an address. A server with several ways to reach it is
// several entries, told apart by the kind of the way.
func (s scope) registry(root value) []Entry {
	base := path.Base(member(root, "name"))
	packages, remotes := root.either("packages").items, root.either("remotes").items
	taken := map[string]bool{}
	var entries []Entry
	add := func(way value, kind string, read func(value) (value, string)) {
		name := base
		if len(packages)+len(remotes) > 1 {
			name = free(base+"."+kind, taken)
		}
		server, unusable := read(way)
		e := s.server(field{name, way.line, server})
		if unusable != "" {
			e.Problems = []Problem{{File: s.file, Line: way.line, Server: name, Message: unusable, Hint: "choose another way that server.json offers, or start it yourself: -- COMMAND"}}
		}
		entries = append(entries, e)
	}
	for _, p := range packages {
		add(p, plainName(p.either("registryType").text), s.registryPackage)
	}
	for _, r := range remotes {
		add(r, plainName(r.remoteKind()), s.registryRemote)
	}
	return entries
}

func (v value) remoteKind() string {
	if kind := member(v, "type"); kind != "" {
		return kind
	}
	return member(v, "transport_type")
}

// registryRemote is an address with headers.
func (s scope) registryRemote(way value) (value, string) {
	server := value{kind: object, line: way.line}
	server = server.with(textField("url", s.template(way, member(way, "url")), way.line))
	server = server.with(textField("type", way.remoteKind(), way.line))
	headers := value{kind: object, line: way.line}
	for _, h := range way.either("headers").items {
		if text, ok := s.inputText(h, "${input:"+member(h, "name")+"}"); ok {
			headers = headers.with(textField(member(h, "name"), text, h.line))
		}
	}
	if len(headers.fields) > 0 {
		server = server.with(field{"headers", way.line, headers})
	}
	return server, ""
}

func textField(key, content string, line int) field {
	return field{key, line, value{kind: text, line: line, text: content}}
}

// inputText is what an input becomes: its value, its default, or what asks for it. Nothing if it may be left out.
func (s scope) inputText(in value, asks string) (string, bool) {
	if v, ok := in.get("value"); ok && v.value.kind != null {
		return s.template(in, v.value.text), true
	}
	if v, ok := in.get("default"); ok && v.value.kind != null {
		return literal(v.value.text), true
	}
	return asks, in.either("isRequired").text == "true"
}

var braced = regexp.MustCompile(`\{[^{}]*\}`)

// template replaces {NAME} by what the variable of that name becomes; other braces stay.
func (s scope) template(in value, written string) string {
	variables := in.either("variables")
	var b strings.Builder
	done := 0
	for _, at := range braced.FindAllStringIndex(written, -1) {
		name := written[at[0]+1 : at[1]-1]
		if v, known := variables.get(name); known {
			replaced, _ := s.inputText(v.value, "${input:"+name+"}")
			b.WriteString(literal(written[done:at[0]]) + replaced)
			done = at[1]
		}
	}
	return b.String() + literal(written[done:])
}

// literal is a text in which no variable is found.
func literal(s string) string { return strings.ReplaceAll(s, "${", "$${") }
