package config

import (
	"regexp"
	"slices"
	"strings"
)

// translate is a server with the keys and variables that mcpctl reads; see reshape for the reason.
func (s scope) translate(server value) (out value, reason string) {
	if server.kind != object || s.strict {
		return server, ""
	}
	out = server
	out.fields = slices.Clone(server.fields)
	for i, f := range out.fields {
		if known, ok := s.keys[f.key]; ok {
			out.fields[i].key = known
		}
	}
	if s.reshape != nil {
		out, reason = s.reshape(s, out)
	}
	if len(s.writes) > 0 {
		out = s.rewrite(out)
	}
	return out, reason
}

// rewrite writes the variables of all strings as mcpctl does.
func (s scope) rewrite(v value) value {
	v.items, v.fields = slices.Clone(v.items), slices.Clone(v.fields)
	for i := range v.items {
		v.items[i] = s.rewrite(v.items[i])
	}
	for i := range v.fields {
		v.fields[i].value = s.rewrite(v.fields[i].value)
	}
	if v.kind == text {
		for _, n := range s.writes {
			v.text = n.pattern.ReplaceAllString(v.text, n.means)
		}
	}
	return v
}

var (
	openCodeVariables = []notation{
		{regexp.MustCompile(`\$?\{env:([^{}]+)\}`), "$${env:$1}"},
		{regexp.MustCompile(`\$?\{file:([^{}]+)\}`), "$${file:$1}"},
	}
	continueVariables = []notation{
		{regexp.MustCompile(`\$\{\{\s*secrets\.([A-Za-z0-9_.-]+)\s*\}\}`), "$${$1}"},
		{regexp.MustCompile(`\$\{\{\s*inputs\.([A-Za-z0-9_.-]+)\s*\}\}`), "$${input:$1}"},
	}
)

// without leaves out members.
func (v value) without(keys ...string) value {
	v.fields = slices.DeleteFunc(slices.Clone(v.fields), func(f field) bool { return slices.Contains(keys, f.key) })
	return v
}

// with adds a member, unless there is one of that key.
func (v value) with(f field) value {
	if _, there := v.get(f.key); !there {
		v.fields = append(slices.Clip(v.fields), f)
	}
	return v
}

// openCodeServer takes the program and its arguments out of one list. The type tells nothing that the other keys do not.
func openCodeServer(_ scope, server value) (value, string) {
	server = server.without("type")
	command, ok := server.get("command")
	if !ok || command.value.kind != list || len(command.value.items) == 0 {
		return server, ""
	}
	args := command
	args.key, args.value.items = "args", command.value.items[1:]
	command.value = command.value.items[0]
	server = server.without("command", "args")
	server.fields = append(server.fields, command, args)
	return server, ""
}

// zedServer reads both forms that Zed had for a command. One that an extension starts has none.
func zedServer(_ scope, server value) (value, string) {
	command, hasCommand := server.get("command")
	_, hasURL := server.get("url")
	_, bySettings := server.get("settings")
	switch {
	case hasCommand && command.value.kind == object:
		inner := command.value
		server = server.without("command")
		for _, f := range inner.fields {
			if f.key == "path" {
				f.key = "command"
			}
			server = server.with(f)
		}
	case !hasCommand && !hasURL && (bySettings || member(server, "source") == "extension"):
		return server, "an extension of Zed starts it, so only Zed can"
	}
	return server, ""
}

// gooseServer passes on the variables that a server names, and leaves out what runs inside of goose.
func gooseServer(_ scope, server value) (value, string) {
	switch kind := member(server, "type"); kind {
	case "builtin", "platform", "frontend", "inline_python":
		return server, "goose runs it itself"
	}
	names, _ := server.get("env_keys")
	env := field{"env", names.line, value{kind: object, line: names.line}}
	if f, ok := server.get("env"); ok && f.value.kind == object {
		env = f
	}
	for _, item := range names.value.items {
		env.value = env.value.with(field{item.text, item.line, value{kind: text, line: item.line, text: "${" + item.text + "}"}})
	}
	if len(names.value.items) > 0 && member(server, "type") == "stdio" {
		server = server.without("env")
		server.fields = append(server.fields, env)
	}
	return server, ""
}

// codexServer passes on the variables that a server names, as far as they are set.
func codexServer(s scope, server value) (value, string) {
	names, ok := server.get("env_vars")
	if !ok || names.value.kind != list {
		return server, ""
	}
	env, has := server.get("env")
	if !has {
		env = field{"env", names.line, value{kind: object, line: names.line}}
	}
	for _, item := range names.value.items {
		name := item.text
		if item.kind == object {
			name = member(item, "name")
		}
		if _, set := s.look(name); set && envName(name) {
			env.value = env.value.with(field{name, item.line, value{kind: text, line: item.line, text: "${" + name + "}"}})
		}
	}
	server = server.without("env", "env_vars")
	server.fields = append(server.fields, env)
	return server, ""
}

// continueServer finds the headers where Continue keeps them.
func continueServer(_ scope, server value) (value, string) {
	if uses := member(server, "uses"); uses != "" {
		return server, "Continue fetches it from its hub"
	}
	options, _ := server.get("requestOptions")
	if headers, ok := options.value.get("headers"); ok {
		server = server.with(headers)
	}
	return server, ""
}

// named is a list of servers that have their names inside, as members by name.
func named(servers field) field {
	if servers.value.kind != list {
		return servers
	}
	out := value{kind: object, line: servers.value.line}
	for _, item := range servers.value.items {
		name := member(item, "name")
		if name == "" {
			name = strings.TrimPrefix(member(item, "uses"), "/")
		}
		out.fields = append(out.fields, field{name, item.line, item})
	}
	servers.value = out
	return servers
}
