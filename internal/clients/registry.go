package clients

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/internal/syntax"
)

// Way is one way to reach a server that a server.json of the MCP registry describes.
type Way struct {
	Kind     string       // of package or remote: "npm", "pypi", "sse", …; text of the file
	Server   syntax.Value // with the keys that mcpctl reads
	Unusable string       // why it cannot be run; empty = it can
}

// RegistryServer is the name of the server that a server.json describes, without its namespace, and the ways to reach it: each
// package is a command, each remote an address. ok is false for any other file.
func RegistryServer(root syntax.Value, lookup Lookup) (name string, ways []Way, ok bool) {
	packages, remotes := either(root, "packages"), either(root, "remotes")
	if root.TextOf("name") == "" || packages.Kind != syntax.List && remotes.Kind != syntax.List {
		return "", nil, false
	}
	for _, p := range packages.Items {
		server, unusable := packageServer(p, lookup)
		ways = append(ways, Way{either(p, "registryType").Text, server, unusable})
	}
	for _, r := range remotes.Items {
		kind := cmp.Or(r.TextOf("type"), r.TextOf("transport_type"))
		ways = append(ways, Way{Kind: kind, Server: remoteServer(r, kind)})
	}
	return path.Base(root.TextOf("name")), ways, true
}

// either is the member of that name, which server.json wrote with underscores before.
func either(v syntax.Value, camel string) syntax.Value {
	if f, ok := v.Get(camel); ok {
		return f.Value
	}
	f, _ := v.Get(strings.ToLower(regexp.MustCompile(`[A-Z]`).ReplaceAllString(camel, "_$0")))
	return f.Value
}

// object is a value with these members, all on one line.
func object(line int, fields ...syntax.Field) syntax.Value {
	return syntax.Value{Kind: syntax.Object, Line: line, Fields: fields}
}

// remoteServer is an address with headers.
func remoteServer(way syntax.Value, kind string) syntax.Value {
	server := object(way.Line, syntax.String("url", template(way, way.TextOf("url")), way.Line), syntax.String("type", kind, way.Line))
	headers := object(way.Line)
	for _, h := range either(way, "headers").Items {
		if text, ok := inputText(h, "${input:"+h.TextOf("name")+"}"); ok {
			headers = headers.With(syntax.String(h.TextOf("name"), text, h.Line))
		}
	}
	if len(headers.Fields) > 0 {
		server = server.With(syntax.Field{Key: "headers", Line: way.Line, Value: headers})
	}
	return server
}

// inputText is what an input becomes: its value, its default, or what asks for it. Nothing if it may be left out.
func inputText(in syntax.Value, asks string) (string, bool) {
	if v, ok := in.Get("value"); ok && v.Value.Kind != syntax.Null {
		return template(in, v.Value.Text), true
	}
	if v, ok := in.Get("default"); ok && v.Value.Kind != syntax.Null {
		return literal(v.Value.Text), true
	}
	return asks, either(in, "isRequired").Text == "true"
}

var braced = match.Pattern(`\{[^{}]*\}`)

// template replaces {NAME} by what the variable of that name becomes; other braces stay.
func template(in syntax.Value, written string) string {
	variables := either(in, "variables")
	var b strings.Builder
	done := 0
	for _, at := range braced().FindAllStringIndex(written, -1) {
		name := written[at[0]+1 : at[1]-1]
		if v, known := variables.Get(name); known {
			replaced, _ := inputText(v.Value, "${input:"+name+"}")
			b.WriteString(literal(written[done:at[0]]) + replaced)
			done = at[1]
		}
	}
	return b.String() + literal(written[done:])
}

// literal is a text in which no variable is found.
func literal(s string) string { return strings.ReplaceAll(s, "${", "$${") }

// packageServer is the command that runs a package of server.json.
func packageServer(way syntax.Value, lookup Lookup) (server syntax.Value, unusable string) {
	if kind := either(way, "transport").TextOf("type"); kind != "" && kind != "stdio" {
		return object(way.Line), "the package listens on an address of its own, and mcpctl starts servers on stdio only"
	}
	env, names := packageEnv(way, lookup)
	run, unusable := runnerOf(way, names)
	if unusable != "" {
		return object(way.Line), unusable
	}
	own := arguments(either(way, "packageArguments"))
	if run.dashes && len(own) > 0 {
		own = append([]string{"--"}, own...)
	}
	args := syntax.Value{Kind: syntax.List, Line: way.Line}
	for _, word := range slices.Concat(run.before, arguments(either(way, "runtimeArguments")), run.after, own) {
		args.Items = append(args.Items, syntax.Value{Kind: syntax.Text, Line: way.Line, Text: word})
	}
	return object(way.Line, syntax.String("command", literal(run.command), way.Line),
		syntax.Field{Key: "args", Line: way.Line, Value: args}, syntax.Field{Key: "env", Line: way.Line, Value: env}), ""
}

// runner is what runs a package: words before and after the arguments that are meant for the runtime itself.
type runner struct {
	command       string
	before, after []string
	dashes        bool // the package's own arguments come behind "--"
}

// runnerOf is the runtime of a package, told which package it is.
func runnerOf(way syntax.Value, env []string) (run runner, unusable string) {
	name, version := cmp.Or(way.TextOf("identifier"), way.TextOf("name")), way.TextOf("version")
	registry := cmp.Or(either(way, "registryType").Text, either(way, "registryName").Text)
	if at := strings.TrimRight(either(way, "registryBaseUrl").Text, "/"); at != "" && registryHomes[registry] != "" && registryHomes[registry] != at {
		return run, "the package lies in a registry of its own, " + redact.MaskURL(at) + ", which its runtime has to be told about"
	}
	hint, exact := either(way, "runtimeHint").Text, literal(pinned(name, "@", version))
	switch {
	case name == "":
		return run, "a package without an identifier"
	case registry == "npm" && (hint == "" || hint == "npx"):
		return runner{command: "npx", after: []string{"-y", exact}}, ""
	case registry == "pypi" && hint == "":
		return runner{command: "uvx", after: []string{exact}}, ""
	case registry == "nuget" && (hint == "" || hint == "dnx"):
		return runner{command: "dnx", after: []string{exact, "--yes"}, dashes: true}, ""
	case registry == "oci" && (hint == "" || hint == "docker" || hint == "podman"):
		return container(way, hint, name, version, env), ""
	case registry == "npm", registry == "pypi":
		return runner{command: hint, after: []string{exact}}, ""
	case registry == "mcpb":
		return run, "an MCP bundle (mcpb) has to be unpacked and started by an application, which mcpctl does not do"
	}
	return run, "a package of a registry that mcpctl does not know: npm, pypi, oci and nuget exist"
}

// registryHomes are the public registries, whose packages their runtimes find by themselves.
var registryHomes = map[string]string{
	"npm": "https://registry.npmjs.org", "pypi": "https://pypi.org", "nuget": "https://api.nuget.org",
}

// container runs an image that reads standard input, and is gone afterwards.
func container(way syntax.Value, hint, image, version string, env []string) runner {
	run := runner{command: cmp.Or(hint, "docker"), before: []string{"run", "-i", "--rm"}}
	for _, name := range env {
		run.before = append(run.before, "-e", literal(name))
	}
	if !strings.Contains(image[strings.LastIndex(image, "/")+1:], ":") && !strings.Contains(image, "@") {
		image = pinned(image, ":", version)
	}
	host := strings.TrimPrefix(strings.TrimRight(either(way, "registryBaseUrl").Text, "/"), "https://")
	if first, _, _ := strings.Cut(image, "/"); host != "" && host != "docker.io" && !strings.Contains(first, ".") {
		image = host + "/" + image
	}
	run.after = []string{literal(image)}
	return run
}

func pinned(name, by, version string) string {
	if version == "" || version == "latest" {
		return name
	}
	return name + by + version
}

// arguments are the words of a command line. One that is required and has no value is asked for as an input.
func arguments(of syntax.Value) []string {
	var words []string
	for _, arg := range of.Items {
		name := arg.TextOf("name")
		id := name
		if arg.TextOf("type") != "named" {
			name, id = "", either(arg, "valueHint").Text
		}
		content, ok := inputText(arg, "${input:"+strings.TrimLeft(id, "-")+"}")
		switch {
		case !ok:
			continue
		case name != "":
			words = append(words, literal(name))
		}
		words = append(words, content)
	}
	return words
}

// packageEnv is the environment of a package and the names in it. The user's own variable goes before a default.
func packageEnv(way syntax.Value, lookup Lookup) (env syntax.Value, names []string) {
	env = object(way.Line)
	for _, in := range either(way, "environmentVariables").Items {
		name := in.TextOf("name")
		content, ok := inputText(in, "${"+name+"}")
		_, fixed := in.Get("value")
		if _, set := lookup.Value(name); set && !fixed {
			content, ok = "${"+name+"}", true
		}
		if ok {
			env, names = env.With(syntax.String(name, content, in.Line)), append(names, name)
		}
	}
	return env, names
}
