package config

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/mcpctl/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/internal/syntax"
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
		clean, err := syntax.Decode(data)
		if err != nil {
			return
		}
		s := fileScope{file: "f", folder: "/nonexistent", expander: expander{lookup: func(name string) (string, bool) {
			return "v", strings.HasPrefix(name, "S")
		}}}
		for _, parse := range []syntax.Parser{syntax.JSON, syntax.TOML} {
			if root, wrong := parse(clean); wrong == nil {
				entries, problems := s.entries(root)
				judge(t, clean, serversOf(root), merge(entries), problems)
			} else {
				judge(t, clean, nil, nil, []Problem{{File: "f", Line: wrong.Line, Message: wrong.Message}})
			}
		}
		if root, wrong := syntax.YAML(clean); wrong == nil {
			s.strict = true
			p := projectReader{fileScope: s}
			p.fieldReader = &fieldReader{file: "f", rules: func() []string { return []string{"tool-removed"} }}
			p.read(root)
			servers := root.At("servers")
			judge(t, clean, servers, merge(p.entries), p.problems)
		} else {
			judge(t, clean, nil, nil, []Problem{{File: "f", Line: wrong.Line, Message: wrong.Message}})
		}
	})
}

func serversOf(root syntax.Value) (found []syntax.Field) {
	for _, section := range clients.Sections(root) {
		found = append(found, section.Servers)
	}
	if true {
		found = append(found, syntax.Field{Value: syntax.Value{Fields: root.Fields}})
	}
	return found
}

func judge(t *testing.T, data []byte, servers []syntax.Field, entries []Entry, problems []Problem) {
	t.Helper()
	var said strings.Builder
	for _, e := range entries {
		problems = append(problems, e.Problems...)
		_, definition := e.Describe()
		described, err := json.Marshal(definition)
		if err != nil {
			t.Fatal(err)
		}
		said.Write(described)
		effects, err := json.Marshal(e.Effects())
		if err != nil || len(e.Digest()) != 64 {
			t.Fatal(err, e.Digest())
		}
		said.Write(effects)
		unsent(t, servers, e)
	}
	lines := 1 + bytes.Count(data, []byte("\n"))
	for _, p := range problems {
		if p.Line < 1 || p.Line > lines || p.File != "f" || p.Message == "" {
			t.Errorf("the problem %#v is not on one of %d lines", p, lines)
		}
		said.WriteString(p.Error() + p.Hint)
	}
	for _, secret := range longValues(servers) {
		if bytes.Count(data, []byte(secret)) == 1 && strings.Contains(said.String(), secret) {
			t.Errorf("the secret %q is shown in %s", secret, said.String())
		}
	}
}

// longValues are the longer values of env and headers that look like secrets.
func longValues(servers []syntax.Field) (secrets []string) {
	for _, of := range servers {
		for _, server := range of.Value.Fields {
			for _, key := range []string{"env", "headers", "environment", "envs", "http_headers"} {
				for _, m := range server.Value.At(key) {
					for _, f := range m.Value.Fields {
						if len(f.Value.Text) >= 12 && redact.LooksSecret(f.Key, f.Value.Text) && !redact.IsObeyed(f.Key) {
							secrets = append(secrets, f.Value.Text)
						}
					}
				}
			}
		}
	}
	return secrets
}

// unsent fails if an entry that would run hands a literal variable to the server.
func unsent(t *testing.T, servers []syntax.Field, e Entry) {
	t.Helper()
	if e.Err() != nil || e.Disabled || escapes(syntax.Field{Value: syntax.Value{Fields: servers}}) {
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
func escapes(f syntax.Field) bool {
	if strings.Contains(f.Value.Text, "$${") || strings.Contains(f.Value.Text, ":-") {
		return true
	}
	for _, m := range f.Value.Fields {
		if escapes(m) {
			return true
		}
	}
	for _, v := range f.Value.Items {
		if escapes(syntax.Field{Value: v}) {
			return true
		}
	}
	return false
}
