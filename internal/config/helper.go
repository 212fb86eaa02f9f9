package config

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/pkg/probe"
)

// HelperHeaders reads what a helper wrote to its standard output: a bearer token, or a JSON object of headers. The error
// never quotes it.
func HelperHeaders(h probe.Helper, output []byte) (map[string]probe.Secret, error) {
	data, err := decodeText(output)
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
	root, wrong := parseJSON(data)
	if wrong != nil || root.kind != object {
		return nil, errors.New("something else than a JSON object of headers")
	}
	headers := make(map[string]probe.Secret, len(root.fields))
	for _, f := range root.fields {
		name, value := http.CanonicalHeaderKey(f.key), strings.TrimSpace(f.value.text)
		switch {
		case f.value.kind != text:
			return nil, fmt.Errorf("a JSON object in which the value of a header is %s, not a string", f.value.kind)
		case !headerName(f.key):
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
		return "", errors.New("something else than one token: it has blanks, line breaks or control characters")
	}
	return probe.Secret("Bearer " + token), nil
}

var plainVariable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// speakable is whether a text is the name of an environment variable, rather than a token in its place.
func speakable(name string) bool { return plainVariable.MatchString(name) && maskText(name) == name }

// bearerHint is how --bearer is written.
const bearerHint = "write --bearer env:NAME, file:PATH or cmd:'COMMAND'"

// Bearer is what a --bearer flag stands for: the value of an Authorization header, or a helper that gives it. The warning
// is as that of ReadSecretFile. Neither it nor the error quotes a value.
func (in Input) Bearer(flag string) (value probe.Secret, helper *probe.Helper, warning string, err error) {
	form, rest, _ := strings.Cut(flag, ":")
	token := ""
	switch {
	case rest == "" || form != "env" && form != "file" && form != "cmd":
		return "", nil, "", errors.New("--bearer takes no token, which every user of this machine could read: " + bearerHint)
	case form == "cmd":
		return "", &probe.Helper{Command: rest, Bearer: true}, "", nil
	case form == "env":
		var ok bool
		switch token, ok = in.look(rest); {
		case ok:
		case speakable(rest):
			return "", nil, "", fmt.Errorf("the variable %s, which --bearer names, is not set", rest)
		default:
			return "", nil, "", errors.New("what --bearer names behind env: is no name of an environment variable")
		}
	default:
		if token, warning, err = ReadSecretFile(in.fromHome(rest)); err != nil {
			return "", nil, "", fmt.Errorf("reading the file that --bearer names: %w", err)
		}
	}
	if value, err = bearerHeader(token); err != nil {
		return "", nil, "", fmt.Errorf("what --bearer names holds %w", err)
	}
	return value, nil, warning, nil
}

// fromHome is a path whose "~/" a shell has not replaced.
func (in Input) fromHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok && in.Home != "" {
		return in.Home + "/" + rest
	}
	return path
}

// HeaderFlags are the lines of headers that --header flags stand for: themselves, or with @FILE those of a file.
func (in Input) HeaderFlags(flags []string) (lines, warnings []string, err error) {
	for _, flag := range flags {
		path, isFile := strings.CutPrefix(flag, "@")
		if !isFile {
			lines = append(lines, flag)
			continue
		}
		text, warning, err := ReadSecretFile(in.fromHome(path))
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

// SecretVariables are the values of an environment ("K=V", as os.Environ gives it) whose names or looks are those of
// secrets.
func SecretVariables(environ []string) []string {
	var values []string
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		if secretWord.MatchString(name) || maskText(value) != value {
			values = append(values, value)
		}
	}
	return slices.DeleteFunc(values, func(v string) bool { return strings.HasPrefix(v, "/") })
}
