package config

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/joho/godotenv"

	"github.com/mcpctl/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/syntax"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// readStdio reads a server that is started.
func (r *serverReader) readStdio(command syntax.Field, e *Entry) {
	r.rejectKeys(headerKeys, "command")
	stdio := &probe.Stdio{Dir: r.folder}
	e.Server.Stdio, e.dir = stdio, r.folder
	if f, ok := r.get("cwd"); ok {
		stdio.Dir, e.dir = r.path(f)
		e.ownDir = true
	}
	if r.want(command, syntax.Text) {
		out, ok := r.expand(command)
		if ok && strings.TrimSpace(out.value) == "" {
			r.addProblem(command.Value.Line, "name the program to start", `"command" is empty`)
		}
		stdio.Command = out.value
		r.rejectControls(command, out.value)
		if strings.ContainsAny(out.value, `/`+string(filepath.Separator)) {
			file := files.From(stdio.Dir, out.value)
			program, _, _ := strings.Cut(out.value, " ")
			if filepath.Base(program) != program || r.opens && files.Exists(file) {
				stdio.Command = file // else it is a program with arguments, which starting it says
			}
		}
	}
	if f, ok := r.get("args"); ok {
		for _, item := range r.scalars(f) {
			out, _ := r.expand(item)
			stdio.Args = append(stdio.Args, out.value)
			r.rejectBrokenPath(item, out.value)
		}
	}
	stdio.Env, stdio.Search = r.environ()
	r.rejectNUL(command.Line, append([]string{stdio.Command}, stdio.Args...)...)
}

// brokenPath matches a path of Windows in which backslashes became control characters.
var brokenPath = kit.Pattern(`^(?:-{0,2}[A-Za-z-]+=)?[A-Za-z]:(?:\\[^[:cntrl:]]*)?[\t\n\f\r\x08]`)

// rejectBrokenPath adds a problem for a text that brokenPath matches.
func (r *serverReader) rejectBrokenPath(f syntax.Field, text string) {
	if brokenPath().MatchString(text) {
		r.rejectControls(f, text)
	}
}

// environ returns the variables of envFile and env, which wins, and the PATH in which the command is looked
// up: mcpctl's own if envFile sets one, since a file of variables must not choose the program; "" = the PATH
// that the program gets.
func (r *serverReader) environ() (env map[string]probe.Secret, search string) {
	env = Plain(r.gives)
	if f, ok := r.get("envFile"); ok {
		maps.Copy(env, r.envFile(f))
	}
	if slices.ContainsFunc(slices.Collect(maps.Keys(env)), isPath) {
		search, _ = r.lookup.Value("PATH")
	}
	f, ok := r.get("env")
	if !ok {
		return env, search
	}
	defer func(bare bool) { r.bare = bare }(r.bare)
	r.bare = r.bare || r.ofCopilot()
	for _, m := range r.texts(f) {
		if !envName(m.Key) {
			r.addProblem(m.Line, "write NAME: value", `a name in "env" is empty, or holds "=" or NUL`)
			continue
		}
		if isPath(m.Key) {
			search = ""
		}
		out, _ := r.expand(m.In("env"))
		r.rejectNUL(m.Line, out.value)
		r.rejectBrokenPath(m.In("env"), m.Value.Text) // as it is written: a variable may hold anything
		env[m.Key] = probe.Secret(out.value)
	}
	return env, search
}

// ofCopilot reports whether the server is written for GitHub Copilot, which also reads $NAME in values of
// "env" and "headers". It alone writes the type local into files of the common form.
func (r *serverReader) ofCopilot() bool {
	return r.dialect == clients.Copilot ||
		r.dialect == clients.Shared && !r.strict && strings.EqualFold(r.fields.TextOf("type"), "local")
}

// isPath reports whether an environment variable is PATH, which Windows also writes Path.
func isPath(name string) bool { return strings.EqualFold(name, "PATH") }

func envName(name string) bool { return name != "" && !strings.ContainsAny(name, "=\x00") }

// envFile reads a file of NAME=value. The parser's own error quotes the file, so it is not shown.
func (r *serverReader) envFile(f syntax.Field) map[string]probe.Secret {
	path, shown := r.path(f)
	if f.Value.Kind != syntax.Text || f.Value.Text == "" {
		return nil
	}
	file := &r.uses[len(r.uses)-1]
	file.receives = append(file.receives, "the variables of "+file.shown)
	if path == r.folder {
		return nil
	}
	if file.path = path; !r.opens {
		return nil
	}
	if rel, err := filepath.Rel(r.folder, shown); err == nil && filepath.IsLocal(rel) {
		shown = rel
	}
	data, err := readRegular(path)
	if err != nil {
		r.addProblem(f.Value.Line, "create the file or remove envFile", `reading "envFile" %q: %v`,
			shown, err)
		return nil
	}
	read, err := godotenv.UnmarshalBytes(data)
	if err != nil {
		r.addProblem(f.Value.Line, "write one NAME=value per line",
			`reading "envFile" %q: not lines of NAME=value`, shown)
	}
	env := make(map[string]probe.Secret, len(read))
	for _, name := range kit.SortedKeys(read) {
		if v := read[name]; envName(name) {
			env[name] = probe.Secret(v)
			if !isPath(name) {
				r.values = append(r.values, env[name])
			}
		}
	}
	return env
}
