package config

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/mcpctl/mcpctl/pkg/probe"
)

// credentialKeys are the keys of a server at a URL that say where its headers come from. "headersHelper" is Claude Code's,
// those with underscores are Codex's, "bearerToken" is mcpctl's own.
var credentialKeys = []string{
	"headers", "http_headers", "env_http_headers", "bearer_token_env_var", "bearerToken", "headersHelper",
}

// authorization is the header that bearer tokens are sent in.
const authorization = "Authorization"

// credentials are the headers that are known without running anything, and the command that gives the others, nil for none.
func (d *draft) credentials() (map[string]probe.Secret, *probe.Helper) {
	headers := map[string]probe.Secret{}
	for _, key := range []string{"headers", "http_headers"} {
		d.headers(key, headers)
	}
	d.envHeaders(headers)
	bearer, helper := d.bearer()
	if bearer != "" && headers[authorization] != "" {
		d.complain(d.fields.line, "keep one of them", "a bearer token and the header %q", authorization)
	} else if bearer != "" {
		headers[authorization] = bearer
	}
	if own := d.headersHelper(); own != nil && helper != nil {
		f, _ := d.fields.get("headersHelper")
		d.complain(f.line, "keep one of them", `both "headersHelper" and a command in "bearerToken"`)
	} else if own != nil {
		helper = own
	}
	return headers, helper
}

// headersHelper is Claude Code's command whose output is a JSON object of headers. The shell expands its variables.
func (d *draft) headersHelper() *probe.Helper {
	f, ok := d.fields.get("headersHelper")
	if !ok || f.value.kind == null {
		return nil
	}
	line := d.commandLine(f)
	if line == "" {
		return nil
	}
	return &probe.Helper{Command: line, Dir: d.folder}
}

// commandLine is a command line of the shell, or "" after a problem.
func (d *draft) commandLine(f field) string {
	line := d.text(f)
	if f.value.kind == text && strings.TrimSpace(line) == "" {
		d.complain(f.value.line, "write a command line of the shell", "%q is empty", f.key)
	}
	d.noNUL([]string{line}, f.value.line)
	return strings.TrimSpace(line)
}

// envHeaders reads Codex's headers whose values are names of environment variables. As in Codex, one without a value is
// not sent.
func (d *draft) envHeaders(headers map[string]probe.Secret) {
	f, ok := d.fields.get("env_http_headers")
	if !ok || f.value.kind == null {
		return
	}
	for _, m := range d.members(f) {
		if value, _ := d.look(m.value.text); strings.TrimSpace(value) != "" {
			d.header(m, value, headers)
		} else if !headerName(m.key) {
			d.header(m, "", headers)
		}
	}
}

// header adds one header with its value, unless something is wrong with it.
func (d *draft) header(m field, value string, headers map[string]probe.Secret) {
	name, value := http.CanonicalHeaderKey(m.key), strings.TrimSpace(value)
	_, twice := headers[name]
	switch {
	case !headerName(m.key): // the name may be a value in the wrong place
		d.complain(m.line, "write the name without colon or spaces, the value behind it", "%q is no name for a header", safeHeader(m.key))
		return
	case twice:
		d.complain(m.line, "keep one of them", "the header %q twice", name)
	case !headerValue(value):
		d.complain(m.line, "check the variable or file it comes from", "the value of the header %q has line breaks or control characters", name)
	}
	headers[name] = probe.Secret(value)
}

// credentialForms are the places that a token can come from.
var credentialForms = []string{"env", "file", "command"}

// bearer is the Authorization header of a bearer token, or the command that gives it.
func (d *draft) bearer() (probe.Secret, *probe.Helper) {
	own, hasOwn := d.fields.get("bearerToken")
	codex, hasCodex := d.fields.get("bearer_token_env_var")
	if hasOwn && hasCodex && own.value.kind != null && codex.value.kind != null {
		d.complain(own.line, "remove one of them", "both %q and %q", codex.key, own.key)
	}
	switch {
	case hasOwn && own.value.kind != null:
		return d.bearerToken(own)
	case hasCodex && codex.value.kind != null && d.want(codex, text):
		return d.scheme(codex, d.variableNamed(codex)), nil
	}
	return "", nil
}

// bearerToken is a string with variables, or an object that names an environment variable, a file or a command.
func (d *draft) bearerToken(f field) (probe.Secret, *probe.Helper) {
	if f.value.kind == text {
		out, _ := d.expand(f)
		return d.scheme(f, out.value), nil
	}
	from, ok := d.origin(f, credentialForms)
	switch {
	case !ok:
	case from.key == "command":
		if line := d.commandLine(field{f.key + ".command", from.line, from.value}); line != "" {
			return "", &probe.Helper{Command: line, Dir: d.folder, Bearer: true}
		}
	default:
		return d.scheme(f, d.fetch(f, from)), nil
	}
	return "", nil
}

// scheme makes a token the value of an Authorization header. An empty one is a problem that was told already, or none.
func (d *draft) scheme(f field, token string) probe.Secret {
	if strings.TrimSpace(token) == "" {
		return ""
	}
	value, err := bearerHeader(token)
	if err != nil {
		d.complain(f.value.line, "write the token alone, in one line", "%q holds %v", f.key, err)
	}
	return value
}

// origin is the one member of an object that says where a value comes from.
func (d *draft) origin(f field, forms []string) (field, bool) {
	hint := fmt.Sprintf("write one of %s, such as {env: NAME}", strings.Join(forms, ", "))
	if f.value.kind != object {
		d.complain(f.value.line, hint, "%q must be a string or an object, but is %s", f.key, f.value.kind)
		return field{}, false
	}
	before := len(d.problems)
	d.unique(f.value, fmt.Sprintf(" in %q", f.key))
	d.known(f.value, fmt.Sprintf(" in %q", f.key), forms)
	if len(f.value.fields) != 1 && len(d.problems) == before {
		d.complain(f.value.line, hint, "%q names %d places where its value comes from", f.key, len(f.value.fields))
	}
	if len(d.problems) > before {
		return field{}, false
	}
	from := f.value.fields[0]
	return from, d.want(field{f.key + "." + from.key, from.line, from.value}, text)
}

// fetch is the value of the environment variable or file that from names; "" after a problem.
func (d *draft) fetch(f, from field) string {
	named := field{f.key + "." + from.key, from.line, from.value}
	if from.key == "env" {
		return d.variableNamed(named)
	}
	value, warning, err := ReadSecretFile(d.secretPath(named))
	if err != nil {
		d.complain(named.value.line, "create the file, or name another one", "reading %q: %v", named.key, err)
		return ""
	}
	if warning != "" {
		d.warn(named.value.line, "chmod 600 the file", "%s, named in %q", warning, named.key)
	}
	return value
}

// variableNamed is the environment variable that a value names; one without a value is a problem.
func (d *draft) variableNamed(f field) string {
	name := f.value.text
	value, ok := d.look(name)
	switch {
	case !ok && !speakable(name): // it may be the token itself
		d.complain(f.value.line, "write the name of the variable, not its value", "%q is no name of an environment variable", f.key)
	case !ok:
		d.complain(f.value.line, fmt.Sprintf("set %s in the environment", name), "the variable %s is not set, needed in %q", name, f.key)
	case strings.TrimSpace(value) == "":
		d.complain(f.value.line, fmt.Sprintf("set %s in the environment", name), "the variable %s is empty, needed in %q", name, f.key)
	}
	return value
}

// secretPath is a path relative to the project's folder; "~/" is the home folder.
func (d *draft) secretPath(f field) string {
	if rest, ok := strings.CutPrefix(f.value.text, "~/"); ok && d.home != "" {
		return filepath.Join(d.home, rest)
	}
	path, _ := d.path(f)
	return path
}

// maxSecret bounds a file or output that holds a credential, in bytes.
const maxSecret = 64 << 10

// ReadSecretFile is the content of a file that holds one secret, without the line break at its end. The warning is not
// empty when every user of the machine can read the file. Errors and warnings never hold the content.
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
