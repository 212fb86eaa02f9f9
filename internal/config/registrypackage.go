package config

import (
	"cmp"
	"slices"
	"strings"
)

// registryPackage is the command that runs a package of server.json.
func (s scope) registryPackage(way value) (server value, unusable string) {
	if kind := member(way.either("transport"), "type"); kind != "" && kind != "stdio" {
		return value{kind: object, line: way.line}, "the package listens on an address of its own, and mcpctl starts servers on stdio only"
	}
	name, version := member(way, "identifier"), member(way, "version")
	if name == "" {
		name = member(way, "name")
	}
	env, names := s.registryEnv(way)
	run, unusable := launch(way, name, version, names)
	if unusable != "" {
		return value{kind: object, line: way.line}, unusable
	}
	own := s.arguments(way.either("packageArguments"))
	if run.dashes && len(own) > 0 {
		own = append([]string{"--"}, own...)
	}
	args := value{kind: list, line: way.line}
	for _, word := range slices.Concat(run.before, s.arguments(way.either("runtimeArguments")), run.after, own) {
		args.items = append(args.items, value{kind: text, line: way.line, text: word})
	}
	server = value{kind: object, line: way.line}
	server = server.with(textField("command", literal(run.command), way.line)).with(field{"args", way.line, args})
	return server.with(field{"env", way.line, env}), ""
}

// runner is what runs a package: words before and after the arguments that are meant for the runtime itself.
type runner struct {
	command       string
	before, after []string
	dashes        bool // the package's own arguments come behind "--"
}

// launch is the runtime of a package, told which package it is.
func launch(way value, name, version string, env []string) (run runner, unusable string) {
	registry := way.either("registryType").text
	if registry == "" {
		registry = way.either("registryName").text
	}
	if at := strings.TrimRight(way.either("registryBaseUrl").text, "/"); at != "" && registryHomes[registry] != "" && registryHomes[registry] != at {
		return run, "the package lies in a registry of its own, " + MaskURL(at) + ", which its runtime has to be told about"
	}
	hint, exact := way.either("runtimeHint").text, literal(pinned(name, "@", version))
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
func container(way value, hint, image, version string, env []string) runner {
	run := runner{command: cmp.Or(hint, "docker"), before: []string{"run", "-i", "--rm"}}
	for _, name := range env {
		run.before = append(run.before, "-e", literal(name))
	}
	if !strings.Contains(image[strings.LastIndex(image, "/")+1:], ":") && !strings.Contains(image, "@") {
		image = pinned(image, ":", version)
	}
	host := strings.TrimPrefix(strings.TrimRight(way.either("registryBaseUrl").text, "/"), "https://")
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
func (s scope) arguments(of value) []string {
	var words []string
	for _, arg := range of.items {
		name := member(arg, "name")
		id := name
		if member(arg, "type") != "named" {
			name, id = "", arg.either("valueHint").text
		}
		content, ok := s.inputText(arg, "${input:"+strings.TrimLeft(id, "-")+"}")
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

// registryEnv is the environment of a package and the names in it. The user's own variable goes before a default.
func (s scope) registryEnv(way value) (env value, names []string) {
	env = value{kind: object, line: way.line}
	for _, in := range way.either("environmentVariables").items {
		name := member(in, "name")
		content, ok := s.inputText(in, "${"+name+"}")
		_, fixed := in.get("value")
		if _, set := s.look(name); set && !fixed {
			content, ok = "${"+name+"}", true
		}
		if ok {
			env, names = env.with(textField(name, content, in.line)), append(names, name)
		}
	}
	return env, names
}
