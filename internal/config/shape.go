package config

// shapes are the places where clients keep their servers, as paths of keys.
var shapes = [][]string{
	{"mcpServers"},     // Claude Desktop, Claude Code, Cursor, Windsurf, Gemini, Cline, Roo
	{"servers"},        // VS Code's mcp.json
	{"mcp", "servers"}, // VS Code's settings.json
}

// entries reads all servers of a client's file. The problems are those of the file itself.
func (s scope) entries(root value) ([]Entry, []Problem) {
	r := reader{file: s.file}
	if !r.is(root, object, "the file") {
		return nil, r.problems
	}
	s.asked = inputList(root)
	s.inputs = inputs(s.asked)
	var entries []Entry
	found := false
	for _, path := range shapes {
		for _, servers := range at(root, path) {
			found = true
			if r.want(servers, object) {
				entries = append(entries, s.servers(servers.value)...)
			}
		}
	}
	if !found {
		r.complain(root.line, `write the servers as {"mcpServers": {"NAME": {"command": "…"}}}`, `no servers: neither "mcpServers" nor "servers"`)
	}
	return entries, r.problems
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
