package config

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"strings"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/internal/syntax"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// maxSecret bounds a file that holds a credential, in bytes.
const maxSecret = 64 << 10

// readSecretFile returns the content of a file that holds one secret, without the line break at its end. The
// error does not hold the content.
func readSecretFile(path string) (string, error) {
	data, err := decoded(files.ReadRegular(path, maxSecret))
	if err != nil {
		return "", err
	}
	value := strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r")
	if value == "" {
		return "", errors.New("the file is empty")
	}
	return value, nil
}

// HelperHeaders reads the output of a helper: a bearer token, or a JSON object of headers. The error follows
// "the output is" and does not quote it.
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
		return nil, errors.New("empty")
	}
	root, wrong := syntax.JSON(data)
	if wrong != nil || root.Kind != syntax.Object {
		return nil, errors.New("not a JSON object of headers")
	}
	headers := make(map[string]probe.Secret, len(root.Fields))
	for _, f := range root.Fields {
		value := strings.TrimSpace(f.Value.Text)
		switch {
		case f.Value.Kind != syntax.Text:
			return nil, fmt.Errorf("a JSON object in which a header is %s, not a string", f.Value.Kind)
		case !headerName(f.Key):
			return nil, errors.New("a JSON object with an invalid header name")
		case !headerValue(value):
			return nil, errors.New("a JSON object with line breaks or control characters in a header")
		}
		headers[http.CanonicalHeaderKey(f.Key)] = probe.Secret(value)
	}
	return headers, nil
}

// bearerHeader returns the Authorization header of a token. The error follows the name of its source and
// "is".
func bearerHeader(token string) (probe.Secret, error) {
	token = strings.TrimSpace(token)
	switch {
	case token == "":
		return "", errors.New("empty")
	case !headerValue(token) || strings.ContainsAny(token, " \t"):
		return "", errors.New("not a single token: it has spaces, line breaks or control characters")
	}
	return probe.Secret("Bearer " + token), nil
}

var plainVariable = kit.Pattern(`^[A-Za-z_][A-Za-z0-9_]*$`)

// isVariableName reports whether a text is the name of an environment variable, rather than a token in its
// place.
func isVariableName(name string) bool {
	return plainVariable().MatchString(name) && redact.MaskText(name) == name
}

// Bearer reads a --bearer flag: the value of a header, or a helper that prints it.
func (in Input) Bearer(flag string) (value probe.Secret, helper *probe.Helper, err error) {
	form, rest, _ := strings.Cut(flag, ":")
	token := ""
	switch {
	case rest != "" && form == "cmd":
		return "", &probe.Helper{Command: rest, Bearer: true}, nil
	case rest != "" && form == "file":
		if token, err = readSecretFile(fromHome(in.Home, rest)); err != nil {
			return "", nil, fmt.Errorf("reading the file of --bearer: %w", err)
		}
	case rest != "" && form == "env":
		var ok bool
		switch token, ok = in.Lookup.Value(rest); {
		case !ok && !isVariableName(rest):
			return "", nil, errors.New("--bearer env: needs the name of an environment variable")
		case !ok:
			return "", nil, fmt.Errorf("the variable %s of --bearer is not set", rest)
		}
	default:
		return "", nil, errors.New("--bearer takes env:NAME, file:PATH or cmd:'COMMAND', not a token: " +
			"every user of this machine can read command lines")
	}
	if value, err = bearerHeader(token); err != nil {
		return "", nil, fmt.Errorf("the value of --bearer is %w", err)
	}
	return value, nil, nil
}

// fromHome returns a path with the home directory in place of "~", which a shell does not replace behind ":".
func fromHome(home, path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok && home != "" {
		return filepath.Join(home, rest)
	}
	return path
}

// Headers reads --header flags: "Name: value", or @FILE with such lines. The error does not quote a value.
func (in Input) Headers(flags []string) (map[string]probe.Secret, error) {
	var lines []string
	for _, flag := range flags {
		path, isFile := strings.CutPrefix(flag, "@")
		if !isFile {
			lines = append(lines, flag)
			continue
		}
		text, err := readSecretFile(fromHome(in.Home, path))
		if err != nil {
			return nil, fmt.Errorf("reading the headers of %s: %w", path, err)
		}
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" {
				lines = append(lines, line)
			}
		}
	}
	headers := make(map[string]probe.Secret, len(lines))
	for _, line := range lines {
		name, value, ok := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		if !ok || !headerName(name) || !headerValue(value) {
			return nil, fmt.Errorf(`reading the header %q: write it as "Name: value"`, safeHeader(name))
		}
		headers[http.CanonicalHeaderKey(name)] = probe.Secret(value)
	}
	return headers, nil
}

// ParseEnv reads --env flags, "NAME=value". The error does not quote a value.
func ParseEnv(flags []string) (map[string]probe.Secret, error) {
	env := make(map[string]probe.Secret, len(flags))
	for i, flag := range flags {
		name, value, ok := strings.Cut(flag, "=")
		if !ok || !envName(name) || strings.Contains(value, "\x00") {
			return nil, fmt.Errorf("reading --env number %d: write it as NAME=value", i+1)
		}
		env[name] = probe.Secret(value)
	}
	return env, nil
}

// SecretsIn returns the parts of a server's definition that are secret by their names or looks, which the
// server may quote.
func SecretsIn(s probe.Server) []probe.Secret {
	var texts, secrets []string // in texts only tokens are secret
	var named map[string]probe.Secret
	switch {
	case s.Stdio != nil:
		argv := append([]string{s.Stdio.Command}, s.Stdio.Args...)
		secrets = redact.Hidden(argv, redact.MaskArgs(argv))
		texts, named = []string{s.Stdio.Dir, s.Stdio.Command}, s.Stdio.Env
	case s.HTTP != nil:
		secrets = redact.URL(s.HTTP.URL)
		texts, named = []string{s.HTTP.URL}, s.HTTP.Headers
	}
	secrets = append(secrets, redact.Hidden(texts, kit.Map(texts, redact.MaskTokens))...)
	for _, name := range kit.SortedKeys(named) {
		value := named[name].Reveal()
		secrets = append(secrets, redact.Hidden([]string{value}, []string{redact.MaskText(value)})...)
		if redact.Sensitive(name, value) {
			secrets = append(secrets, value)
		}
	}
	return kit.Map(kit.Distinct(secrets), func(value string) probe.Secret { return probe.Secret(value) })
}

// Merged returns base with the entries of more, which win; neither is changed.
func Merged(base, more map[string]probe.Secret) map[string]probe.Secret {
	both := make(map[string]probe.Secret, len(base)+len(more))
	maps.Copy(both, base)
	maps.Copy(both, more)
	return both
}
