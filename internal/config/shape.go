package config

import (
	"slices"

	"github.com/mcpctl/mcpctl/internal/clients"
)

// shape is a place where applications keep their servers.
type shape struct {
	path    []string        // of keys
	dialect clients.Dialect // Shared = that of the file
	fits    func(value) bool
}

// shapes are all that a file is searched for, whoever it belongs to.
var shapes = []shape{
	{path: []string{"mcpServers"}, fits: func(v value) bool { return !isNamedList(v) }}, // Claude, Cursor, Windsurf, Gemini, Cline …
	{path: []string{"mcpServers"}, dialect: clients.Continue, fits: isNamedList},
	{path: []string{"servers"}}, // VS Code's mcp.json
	{path: []string{"mcp", "servers"}, fits: func(v value) bool { return !isOpenCode(v) }}, // VS Code's settings.json
	{path: []string{"mcp", "servers"}, dialect: clients.OpenCode, fits: isOpenCode},        // OpenCode 2
	{path: []string{"mcp"}, dialect: clients.OpenCode, fits: isOpenCode},
	{path: []string{"customizations", "vscode", "mcp", "servers"}}, // devcontainer.json
	{path: []string{"context_servers"}, dialect: clients.Zed},
	{path: []string{"mcp_servers"}, dialect: clients.Codex},
	{path: []string{"extensions"}, dialect: clients.Goose, fits: isGoose},
}

// entries reads all servers of an application's file. The problems are those of the file itself.
func (s scope) entries(root value) ([]Entry, []Problem) {
	r := reader{file: s.file}
	if !r.is(root, object, "the file") {
		return nil, r.problems
	}
	s.asked = inputList(root)
	s.inputs = inputs(s.asked)
	if isRegistry(root) {
		return s.registry(root), nil
	}
	var entries []Entry
	found := false
	for _, shape := range shapes {
		for _, servers := range at(root, shape.path) {
			if shape.fits == nil || shape.fits(servers.value) {
				found = true
				entries = append(entries, s.section(&r, servers, shape.dialect)...)
			}
		}
	}
	if !found && isFlat(root) {
		return s.servers(root), r.problems
	}
	if !found {
		r.complain(root.line, `write the servers as {"mcpServers": {"NAME": {"command": "…"}}}`, `no servers: neither "mcpServers" nor "servers"`)
	}
	return entries, r.problems
}

// section reads the servers at one place of a file.
func (s scope) section(r *reader, servers field, dialect clients.Dialect) []Entry {
	if dialect != clients.Shared {
		s = s.in(dialect)
	}
	if dialect == clients.Continue {
		servers = named(servers)
	}
	if !r.want(servers, object) {
		return nil
	}
	return s.servers(servers.value)
}

// at are the members at a path of keys; several when a key is repeated.
func at(v value, path []string) []field {
	var found []field
	for _, f := range v.fields {
		switch {
		case f.key != path[0]:
		case len(path) == 1:
			found = append(found, f)
		default:
			found = append(found, at(f.value, path[1:])...)
		}
	}
	return found
}

// isNamedList is whether v is a list of servers as Continue has it.
func isNamedList(v value) bool {
	return len(v.items) > 0 && v.items[0].kind == object
}

// isOpenCode is whether v are servers as OpenCode writes them.
func isOpenCode(v value) bool {
	return slices.ContainsFunc(v.fields, func(f field) bool {
		kind := member(f.value, "type")
		command, _ := f.value.get("command")
		return f.value.kind == object && (kind == "local" || kind == "remote" || command.value.kind == list)
	})
}

// gooseKinds are the types of goose's extensions.
var gooseKinds = []string{"stdio", "sse", "streamable_http", "builtin", "platform", "frontend", "inline_python"}

// isGoose is whether v are goose's extensions: other applications have something else of that name.
func isGoose(v value) bool {
	return slices.ContainsFunc(v.fields, func(f field) bool { return slices.Contains(gooseKinds, member(f.value, "type")) })
}

// isFlat is whether a file is nothing but servers by name.
func isFlat(root value) bool {
	return len(root.fields) > 0 && !slices.ContainsFunc(root.fields, func(f field) bool {
		return f.value.kind != object || !slices.ContainsFunc(append([]string{"command"}, urlKeys...), func(key string) bool {
			_, ok := f.value.get(key)
			return ok
		})
	})
}
