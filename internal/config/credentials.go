package config

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/internal/syntax"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// credentialKeys say where headers come from: "headersHelper" is Claude Code's, "bearerToken" ours, the
// others Codex's.
var credentialKeys = []string{
	"headers", "http_headers", "env_http_headers", "bearer_token_env_var", "bearerToken", "headersHelper",
}

// credentialReader reads the places that credentials come from.
type credentialReader struct{ *serverReader }

// header is the value of one header; ok is false when there is none to send.
func (r credentialReader) header(f syntax.Field) (value string, ok bool) {
	switch {
	case f.Value.Kind == syntax.Object:
		value = r.named(f)
		return value, value != ""
	case !r.scalar(f):
		return "", false
	}
	out, _ := r.expand(f)
	return out.value, true
}

// hidden is a secret: text with variables, or an object that names an environment variable or a file.
func (r credentialReader) hidden(f syntax.Field) probe.Secret {
	switch f.Value.Kind {
	case syntax.Null:
		return ""
	case syntax.Text:
		out, _ := r.expand(f)
		return probe.Secret(out.value)
	}
	return probe.Secret(r.named(f))
}

// named is the value of the environment variable or file that an object names; "" after a problem.
func (r credentialReader) named(f syntax.Field) string {
	if from, ok := r.origin(f, []string{"env", "file"}); ok {
		return r.fetch(from)
	}
	return ""
}

// command is a command line of the shell that gives headers, or nil after a problem. The shell expands its
// variables.
func (r credentialReader) command(f syntax.Field, bearer bool) *probe.Helper {
	line := strings.TrimSpace(r.text(f))
	if f.Value.Kind == syntax.Text && line == "" {
		r.complain(f.Value.Line, "write a command line of the shell", "%q is empty", f.Key)
	}
	r.noNUL([]string{line}, f.Value.Line)
	if line == "" {
		return nil
	}
	return &probe.Helper{Command: line, Dir: r.folder, Env: r.gives, Bearer: bearer}
}

// bearer is the Authorization header of a bearer token, or the command that gives it.
func (r credentialReader) bearer() (probe.Secret, *probe.Helper) {
	own, hasOwn := r.get("bearerToken")
	codex, hasCodex := r.get("bearer_token_env_var")
	if hasOwn && hasCodex {
		r.complain(own.Line, "remove one of them", "both %q and %q", codex.Key, own.Key)
	}
	switch {
	case hasOwn:
		return r.bearerToken(own)
	case hasCodex && r.want(codex, syntax.Text):
		return r.scheme(codex, r.variable(codex)), nil
	}
	return "", nil
}

// bearerToken is a string with variables, or an object that names an environment variable, a file or a
// command.
func (r credentialReader) bearerToken(f syntax.Field) (probe.Secret, *probe.Helper) {
	if f.Value.Kind == syntax.Text {
		out, _ := r.expand(f)
		return r.scheme(f, out.value), nil
	}
	from, ok := r.origin(f, []string{"env", "file", "command"})
	switch {
	case !ok:
		return "", nil
	case strings.HasSuffix(from.Key, ".command"):
		return "", r.command(from, true)
	}
	return r.scheme(f, r.fetch(from)), nil
}

// scheme makes a token the value of an Authorization header. An empty one is a problem that was told already,
// or none.
func (r credentialReader) scheme(f syntax.Field, token string) probe.Secret {
	if strings.TrimSpace(token) == "" {
		return ""
	}
	value, err := bearerHeader(token)
	if err != nil {
		r.complain(f.Value.Line, "write the token alone, in one line", "%q holds %v", f.Key, err)
	}
	return value
}

// origin is the one member of an object that says where a value comes from, named for messages.
func (r credentialReader) origin(f syntax.Field, forms []string) (syntax.Field, bool) {
	hint := fmt.Sprintf("write one of %s, such as {env: NAME}", strings.Join(forms, ", "))
	if f.Value.Kind != syntax.Object {
		r.complain(f.Value.Line, hint, "%q must be a string or an object, but is %s", f.Key, f.Value.Kind)
		return syntax.Field{}, false
	}
	before := len(r.problems)
	if members := r.object(f, forms); len(members) != 1 && len(r.problems) == before {
		r.complain(f.Value.Line, hint, "%q names %d places where its value comes from", f.Key, len(members))
	}
	if len(r.problems) > before {
		return syntax.Field{}, false
	}
	from := f.Value.Fields[0].In(f.Key)
	return from, r.want(from, syntax.Text)
}

// fetch is the value of the environment variable or file that from names; "" after a problem.
func (r credentialReader) fetch(from syntax.Field) string {
	if strings.HasSuffix(from.Key, ".env") {
		return r.variable(from)
	}
	before := len(r.uses)
	path := r.file(from)
	r.uses = append(r.uses[:before], use{key: from.Key, text: from.Value.Text, shown: from.Value.Text,
		from: fromFile, path: path})
	value, warning, err := ReadSecretFile(path)
	if err != nil {
		r.complain(from.Value.Line, "create the file, or name another one", "reading %q: %v", from.Key, err)
		return ""
	}
	r.values = append(r.values, probe.Secret(value))
	if warning != "" {
		r.warn(from.Value.Line, "chmod 600 the file", "%s, named in %q", warning, from.Key)
	}
	return value
}

func (r credentialReader) variable(f syntax.Field) string {
	name := f.Value.Text
	r.uses = append(r.uses, use{key: f.Key, text: name, shown: name, from: fromVariable})
	value, ok := r.lookup.Value(name)
	r.values = append(r.values, probe.Secret(value))
	hint, what := fmt.Sprintf("set %s in the environment", name), ""
	switch {
	case !ok && !speakable(name): // it may be the token itself
		r.complain(f.Value.Line, "write the name of the variable, not its value",
			"%q is no name of an environment variable", f.Key)
	case !ok:
		what = "not set"
	case strings.TrimSpace(value) == "":
		what = "empty"
	}
	if what != "" {
		r.complain(f.Value.Line, hint, "the variable %s is %s, needed in %q", name, what, f.Key)
	}
	return value
}

// file is a path relative to the project's folder; "~/" is the home folder.
func (r credentialReader) file(f syntax.Field) string {
	if at := fromHome(r.home, f.Value.Text); at != f.Value.Text {
		return at
	}
	path, _ := r.path(f)
	return path
}

// carried is a secret that the environment holds for this server alone.
func (r credentialReader) carried(prefix string) probe.Secret {
	name := prefix + variablePart(r.server)
	value, _ := r.lookup.Value(name)
	if !headerValue(value) {
		r.complain(r.fields.Line, "write it in one line",
			"the variable %s has line breaks or control characters", name)
		return ""
	}
	if value != "" {
		r.uses = append(r.uses, use{key: "oauth.environment", text: name, shown: name, from: fromVariable})
	}
	return probe.Secret(strings.TrimSpace(value))
}

// maxSecret bounds a file or output that holds a credential, in bytes.
const maxSecret = 64 << 10

// ReadSecretFile is the content of a file that holds one secret, without the line break at its end. The
// warning is not empty when every user of the machine can read the file. Errors and warnings never hold the
// content.
func ReadSecretFile(path string) (value, warning string, err error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", "", plainCause(err)
	case !info.Mode().IsRegular():
		return "", "", fmt.Errorf("not a regular file")
	case info.Size() > maxSecret:
		return "", "", fmt.Errorf("larger than %d KiB, which is no credential", maxSecret>>10)
	}
	data, err := readFile(path)
	if err != nil {
		return "", "", err
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o004 != 0 {
		warning = fmt.Sprintf("every user of this machine can read %s", filepath.Base(path))
	}
	value = strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r")
	if value == "" {
		return "", warning, fmt.Errorf("the file is empty")
	}
	return value, warning, nil
}

// HelperHeaders reads what a helper wrote: a bearer token, or a JSON object of headers. The error never
// quotes it.
func HelperHeaders(h probe.Helper, output []byte) (map[string]probe.Secret, error) {
	data, err := syntax.Decode(output)
	if err != nil {
		return nil, err
	}
	if h.Bearer {
		value, err := bearerHeader(string(data))
		return map[string]probe.Secret{authorization: value}, err
	}
	if strings.TrimSpace(string(data)) == "" {
		return nil, errors.New("nothing")
	}
	root, wrong := syntax.JSON(data)
	if wrong != nil || root.Kind != syntax.Object {
		return nil, errors.New("something else than a JSON object of headers")
	}
	headers := make(map[string]probe.Secret, len(root.Fields))
	for _, f := range root.Fields {
		name, value := http.CanonicalHeaderKey(f.Key), strings.TrimSpace(f.Value.Text)
		switch {
		case f.Value.Kind != syntax.Text:
			return nil, fmt.Errorf("a JSON object in which the value of a header is %s, not a string",
				f.Value.Kind)
		case !headerName(f.Key):
			return nil, errors.New("a JSON object in which a key is no name of a header")
		case !headerValue(value):
			return nil, errors.New("a header with line breaks or control characters in its value")
		}
		headers[name] = probe.Secret(value)
	}
	return headers, nil
}

// bearerHeader is the Authorization header of a token. The error follows what the token came from.
func bearerHeader(token string) (probe.Secret, error) {
	token = strings.TrimSpace(token)
	switch {
	case token == "":
		return "", errors.New("nothing")
	case !headerValue(token) || strings.ContainsAny(token, " \t"):
		return "", errors.New("something else than one token: it has blanks, line breaks or control " +
			"characters")
	}
	return probe.Secret("Bearer " + token), nil
}

var plainVariable = kit.Pattern(`^[A-Za-z_][A-Za-z0-9_]*$`)

// speakable is whether a text is the name of an environment variable, rather than a token in its place.
func speakable(name string) bool {
	return plainVariable().MatchString(name) && redact.MaskText(name) == name
}

// bearerHint is how --bearer is written.
const bearerHint = "write --bearer env:NAME, file:PATH or cmd:'COMMAND'"

// Bearer is what a --bearer flag stands for: a header's value, or a helper that gives it. Warning as of
// ReadSecretFile.
func (in Input) Bearer(flag string) (value probe.Secret, helper *probe.Helper, warning string, err error) {
	form, rest, _ := strings.Cut(flag, ":")
	token := ""
	switch {
	case rest == "" || form != "env" && form != "file" && form != "cmd":
		return "", nil, "", errors.New("--bearer takes no token, which every user of this machine could " +
			"read: " + bearerHint)
	case form == "cmd":
		return "", &probe.Helper{Command: rest, Bearer: true}, "", nil
	case form == "env":
		var ok bool
		switch token, ok = in.Lookup.Value(rest); {
		case ok:
		case speakable(rest):
			return "", nil, "", fmt.Errorf("the variable %s, which --bearer names, is not set", rest)
		default:
			return "", nil, "", errors.New("what --bearer names behind env: is no name of an environment " +
				"variable")
		}
	default:
		if token, warning, err = ReadSecretFile(fromHome(in.Home, rest)); err != nil {
			return "", nil, "", fmt.Errorf("reading the file that --bearer names: %w", err)
		}
	}
	if value, err = bearerHeader(token); err != nil {
		return "", nil, "", fmt.Errorf("what --bearer names holds %w", err)
	}
	return value, nil, warning, nil
}

// fromHome is a path whose "~/" a shell has not replaced.
func fromHome(home, path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok && home != "" {
		return filepath.Join(home, rest)
	}
	return path
}

// HeaderFlags are the lines of headers that --header flags stand for: themselves, or with @FILE those of a
// file.
func (in Input) HeaderFlags(flags []string) (lines, warnings []string, err error) {
	for _, flag := range flags {
		path, isFile := strings.CutPrefix(flag, "@")
		if !isFile {
			lines = append(lines, flag)
			continue
		}
		text, warning, err := ReadSecretFile(fromHome(in.Home, path))
		if err != nil {
			return nil, nil, fmt.Errorf("reading the headers of %s: %w", path, err)
		}
		if warning != "" {
			warnings = append(warnings, warning)
		}
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" {
				lines = append(lines, line)
			}
		}
	}
	return lines, warnings, nil
}
