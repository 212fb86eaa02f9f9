package config

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// seedFiles are the configuration files of the golden cases.
func seedFiles(f *testing.F) (files [][]byte) {
	paths, err := filepath.Glob(filepath.Join("testdata", "load", "*.txtar"))
	if err != nil || len(paths) == 0 {
		f.Fatalf("no cases: %v", err)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			switch filepath.Ext(file.Name) {
			case ".json", ".jsonc", ".yaml", ".toml":
				files = append(files, file.Data)
			}
		}
	}
	return files
}

// FuzzParse reads any bytes as each kind of file. It never panics, every problem is on a line of the file, and no value
// of env or headers is in a problem or a description.
func FuzzParse(f *testing.F) {
	for _, data := range seedFiles(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		clean, err := decodeText(data)
		if err != nil {
			return
		}
		s := scope{file: "f", folder: "/nonexistent", expander: expander{lookup: func(name string) (string, bool) {
			return "v", strings.HasPrefix(name, "S")
		}}}
		for _, syntax := range []func([]byte) (value, *syntaxError){parseJSON, parseTOML} {
			if root, wrong := syntax(clean); wrong == nil {
				entries, problems := s.entries(root)
				judge(t, clean, serversOf(root), merge(entries), problems)
			} else {
				judge(t, clean, nil, nil, []Problem{{File: "f", Line: wrong.line, Message: wrong.message}})
			}
		}
		if root, wrong := parseYAML(clean); wrong == nil {
			s.strict = true
			p := projectReader{reader: reader{file: "f"}, scope: s, rules: []string{"tool-removed"}}
			p.project(root)
			servers := at(root, []string{"servers"})
			for _, f := range at(root, []string{"variants"}) {
				servers = append(servers, f.value.fields...)
			}
			judge(t, clean, servers, merge(varied(merge(p.entries), p.varied)), p.problems)
		} else {
			judge(t, clean, nil, nil, []Problem{{File: "f", Line: wrong.line, Message: wrong.message}})
		}
	})
}

func serversOf(root value) (found []field) {
	for _, shape := range shapes {
		found = append(found, at(root, shape.path)...)
	}
	if isRegistry(root) || isFlat(root) {
		found = append(found, field{value: value{fields: root.fields}})
	}
	return found
}

func judge(t *testing.T, data []byte, servers []field, entries []Entry, problems []Problem) {
	t.Helper()
	var said strings.Builder
	for _, e := range entries {
		problems = append(problems, e.Problems...)
		described, err := json.Marshal(e.Describe())
		if err != nil {
			t.Fatal(err)
		}
		said.Write(described)
		unsent(t, servers, e)
	}
	lines := 1 + bytes.Count(data, []byte("\n"))
	for _, p := range problems {
		if p.Line < 1 || p.Line > lines || p.File != "f" || p.Message == "" {
			t.Errorf("the problem %#v is not on one of %d lines", p, lines)
		}
		said.WriteString(p.Error() + p.Hint)
	}
	for _, secret := range secretsOf(servers) {
		if bytes.Count(data, []byte(secret)) == 1 && strings.Contains(said.String(), secret) {
			t.Errorf("the secret %q is shown in %s", secret, said.String())
		}
	}
}

// secretsOf are the longer values of env and headers that are no variables.
func secretsOf(servers []field) (secrets []string) {
	for _, of := range servers {
		for _, server := range of.value.fields {
			for _, key := range []string{"env", "headers", "environment", "envs", "http_headers"} {
				for _, m := range at(server.value, []string{key}) {
					for _, f := range m.value.fields {
						if len(f.value.text) >= 12 && !strings.Contains(f.value.text, "$") {
							secrets = append(secrets, f.value.text)
						}
					}
				}
			}
		}
	}
	return secrets
}

// unsent fails if an entry that would run hands a literal variable to the server.
func unsent(t *testing.T, servers []field, e Entry) {
	t.Helper()
	if e.Err() != nil || e.Disabled || escapes(field{value: value{fields: servers}}) {
		return
	}
	var sent []string
	if s := e.Server.Stdio; s != nil {
		sent = append(append(sent, s.Command, s.Dir), s.Args...)
		for _, v := range s.Env {
			sent = append(sent, v.Reveal())
		}
	}
	if h := e.Server.HTTP; h != nil {
		sent = append(sent, h.URL)
		for _, v := range h.Headers {
			sent = append(sent, v.Reveal())
		}
	}
	if all := strings.Join(sent, "\n"); strings.Contains(all, "${") {
		t.Errorf("the server %q is sent a literal variable: %q", e.Server.Name, all)
	}
}

// escapes is whether any string below f can make a literal "${".
func escapes(f field) bool {
	if strings.Contains(f.value.text, "$${") || strings.Contains(f.value.text, ":-") {
		return true
	}
	for _, m := range f.value.fields {
		if escapes(m) {
			return true
		}
	}
	for _, v := range f.value.items {
		if escapes(field{value: v}) {
			return true
		}
	}
	return false
}
