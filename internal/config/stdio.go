package config

import (
	"maps"
	"path/filepath"
	"strings"

	"github.com/joho/godotenv"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// stdio reads a server that is started, and its command line and folder as they may be shown.
func (d *draft) stdio(command field) (*probe.Stdio, shown) {
	d.foreign(credentialKeys, "command")
	dir, shownDir := d.folder, d.folder
	if f, ok := d.fields.get("cwd"); ok {
		dir, shownDir = d.path(f)
	}
	path, ok := expanded{}, d.want(command, text)
	if ok {
		path, ok = d.expand(command)
	}
	if ok && strings.TrimSpace(path.value) == "" {
		d.complain(command.value.line, "name the program to start", `"command" is empty`)
	}
	args := d.args()
	words := []string{path.shown}
	stdio := &probe.Stdio{Command: absolute(path.value, dir), Env: d.environ(), Dir: dir}
	for _, a := range args {
		stdio.Args, words = append(stdio.Args, a.value), append(words, a.shown)
	}
	argv := append([]string{stdio.Command}, stdio.Args...)
	d.secrets = append(append(d.secrets, secretsIn(argv, MaskArgs(argv))...), Confidential(stdio.Env)...)
	d.noNUL(argv, command.line)
	return stdio, shown{command: MaskArgs(words), dir: shownDir}
}

// foreign keeps a problem for each key that has no meaning beside the one that is there.
func (d *draft) foreign(keys []string, beside string) {
	for _, key := range keys {
		if f, ok := d.fields.get(key); ok && f.value.kind != null && len(f.value.items)+len(f.value.fields)+len(f.value.text) > 0 {
			d.complain(f.line, "remove it", "%q has no meaning beside %q", key, beside)
		}
	}
}

// absolute is a command that is a relative path, seen from dir; names that are looked up in PATH stay as they are.
func absolute(command, dir string) string {
	if filepath.IsAbs(command) || !strings.ContainsAny(command, `/`+string(filepath.Separator)) {
		return command
	}
	return filepath.Join(dir, command)
}

// path is a path relative to the project's folder, and how it may be shown: with variables as they are written.
func (d *draft) path(f field) (path, shown string) {
	if !d.want(f, text) {
		return d.folder, d.folder
	}
	out, ok := d.expand(f)
	switch {
	case !ok || out.value == "":
		return d.folder, d.folder
	case filepath.IsAbs(out.value):
		return filepath.Clean(out.value), filepath.Clean(out.shown)
	}
	return filepath.Join(d.folder, out.value), filepath.Join(d.folder, out.shown)
}

func (d *draft) args() []expanded {
	f, ok := d.fields.get("args")
	if !ok || f.value.kind == null {
		return nil
	}
	var args []expanded
	for _, item := range d.scalars(f) {
		out, _ := d.expand(item)
		args = append(args, out)
	}
	return args
}

// environ is what envFile and env set; env wins.
func (d *draft) environ() map[string]probe.Secret {
	env := map[string]probe.Secret{}
	if f, ok := d.fields.get("envFile"); ok && f.value.kind != null {
		maps.Copy(env, d.envFile(f))
	}
	f, ok := d.fields.get("env")
	if !ok || f.value.kind == null {
		return env
	}
	for _, m := range d.members(f) {
		if !envName(m.key) {
			d.complain(m.line, "write NAME: value", `a name in "env" is empty, or holds "=" or NUL`)
			continue
		}
		out, _ := d.expand(field{"env." + m.key, m.line, m.value})
		d.noNUL([]string{out.value}, m.line)
		env[m.key] = probe.Secret(out.value)
		d.secrets = append(d.secrets, secretsIn([]string{out.value}, []string{maskText(out.value)})...)
	}
	return env
}

func envName(name string) bool { return name != "" && !strings.ContainsAny(name, "=\x00") }

// envFile reads lines of NAME=value. The parser's own error is not shown, as it quotes the file.
func (d *draft) envFile(f field) map[string]probe.Secret {
	path, shown := d.path(f)
	if path == d.folder {
		return nil
	}
	data, err := readRegular(path)
	if err != nil {
		d.complain(f.value.line, "create the file or remove envFile", `reading "envFile" %q: %v`, d.relative(shown), err)
		return nil
	}
	d.envText = string(data)
	read, err := godotenv.UnmarshalBytes(data)
	if err != nil {
		d.complain(f.value.line, "write one NAME=value per line", `reading "envFile" %q: not lines of NAME=value`, d.relative(shown))
	}
	env := make(map[string]probe.Secret, len(read))
	for name, v := range read {
		if envName(name) {
			env[name] = probe.Secret(v)
		}
	}
	return env
}

// relative is a path inside the project as seen from its folder.
func (d *draft) relative(path string) string {
	if rel, err := filepath.Rel(d.folder, path); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return path
}

// noNUL keeps a problem if the operating system cannot take one of the texts.
func (d *draft) noNUL(texts []string, line int) {
	for _, t := range texts {
		if strings.Contains(t, "\x00") {
			d.complain(line, "remove it", "a NUL character cannot be handed to a program")
			return
		}
	}
}
