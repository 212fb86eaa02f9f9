package config

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

var update = flag.Bool("update", false, "rewrite the want sections of testdata/load")

// TestLoad runs every testdata/load/*.txtar: files, a "run" section that reports how Load is called, and the "want" section
// with all that came out of it. In both, $DIR is the folder of the files; $HOME is $DIR/home.
func TestLoad(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("testdata", "load", "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) { loadCase(t, path) })
	}
}

func loadCase(t *testing.T, path string) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var run, want string
	for _, f := range archive.Files {
		switch f.Name {
		case "run":
			run = string(f.Data)
		case "want":
			want = string(f.Data)
		default:
			data := bytes.ReplaceAll(f.Data, []byte("$DIR/"), []byte(filepath.ToSlash(dir)+"/"))
			place(t, filepath.Join(dir, filepath.FromSlash(f.Name)), data)
		}
	}
	config, err := Load(input(t, run, dir))
	got := strings.ReplaceAll(dump(config, err), dir, "$DIR")
	if *update {
		rewrite(t, path, archive, got)
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Load (-want +got):\n%s", diff)
	}
}

func place(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func rewrite(t *testing.T, path string, archive *txtar.Archive, got string) {
	t.Helper()
	archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool { return f.Name == "want" })
	archive.Files = append(archive.Files, txtar.File{Name: "want", Data: []byte(got)})
	if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

// input reads the lines of a run section: "dir X", "config X", "env NAME=VALUE", "rule ID", "discover", "os X", "root X".
func input(t *testing.T, run, dir string) Input {
	t.Helper()
	env, ids := map[string]string{}, []string(nil)
	in := Input{Dir: dir, Home: filepath.Join(dir, "home"), Lookup: func(name string) (string, bool) {
		value, ok := env[name]
		return value, ok
	}}
	for line := range strings.Lines(run) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		rest = strings.ReplaceAll(rest, "$DIR", dir)
		switch word {
		case "dir":
			in.Dir = filepath.Join(dir, rest)
		case "config":
			in.Files = append(in.Files, rest)
		case "env":
			name, value, _ := strings.Cut(rest, "=")
			env[name] = value
		case "discover":
			in.Discover = true
		case "os":
			in.OS = rest
		case "root":
			in.Root = filepath.Join(dir, rest)
		case "rule":
			ids = append(ids, rest)
			in.Rules = func() []string { return ids }
		default:
			t.Fatalf("unknown line in run: %q", line)
		}
	}
	return in
}

// dump writes all of a configuration, secrets included.
func dump(c *Config, err error) string {
	var b strings.Builder
	fmt.Fprintf(&b, "files: %s\n", strings.Join(c.Files, " "))
	var problems Problems
	if errors.As(err, &problems) {
		dumpProblems(&b, "error", problems)
	}
	for _, l := range c.Looked {
		if l.State != FileAbsent {
			fmt.Fprintf(&b, "looked: %s %s %s %s, %d servers\n", l.State, l.Application, l.Scope, l.Path, l.Servers)
		}
	}
	dumpProblems(&b, "remark", c.Remarks)
	dumpProblems(&b, "unread", c.Unread)
	for _, e := range c.Entries {
		dumpEntry(&b, e)
	}
	dumpProject(&b, c.Project)
	return b.String()
}

func dumpProblems(b *strings.Builder, label string, problems []Problem) {
	for _, p := range problems {
		fmt.Fprintf(b, "%s: %v\n", label, p)
		if p.Hint != "" {
			fmt.Fprintf(b, "  hint: %s\n", p.Hint)
		}
	}
}

func stateOf(e Entry) string {
	switch {
	case e.Disabled:
		return "disabled"
	case e.refused:
		return "refused"
	case len(e.Problems) > 0:
		return "invalid"
	}
	return "enabled"
}

func dumpEntry(b *strings.Builder, e Entry) {
	e = e.Opened() // as after trust
	transport, d := e.Describe()
	fmt.Fprintf(b, "\n%s %q from %s\n", stateOf(e), e.Server.Name, e.Server.Source)
	if e.Found != Named {
		fmt.Fprintf(b, "found: %s\n", e.Found)
	}
	for _, p := range e.Places {
		fmt.Fprintf(b, "place: %s %s %s:%d %s %s\n", p.Application, p.Scope, p.File, p.Line, p.Name, p.State)
	}
	if s := e.Server.Stdio; s != nil {
		fmt.Fprintf(b, "runs: %q in %s\n", append([]string{s.Command}, s.Args...), s.Dir)
		fmt.Fprintf(b, "shown: %q\n", d.Command)
		dumpSecrets(b, "env", s.Env)
	}
	if h := e.Server.HTTP; h != nil {
		fmt.Fprintf(b, "contacts: %s by %s\nshown: %s\n", h.URL, transport, d.URL)
		dumpSecrets(b, "header", h.Headers)
		if h.Helper != nil {
			fmt.Fprintf(b, "helper: %q in %s, bearer %v\nhelper shown: %q\n", h.Helper.Command, h.Helper.Dir, h.Helper.Bearer, d.Helper)
		}
	}
	if passes := e.Effects().Passes; len(passes) > 0 {
		fmt.Fprintf(b, "passes: %q\n", passes)
	}
	dumpLogin(b, e.Login)
	if e.Server.Protocol != "" {
		fmt.Fprintf(b, "protocol: %s\n", e.Server.Protocol)
	}
	if e.Server.Capabilities != nil {
		fmt.Fprintf(b, "client capabilities: %q\n", e.Server.Capabilities)
	}
	if e.Server.Timeout != 0 {
		fmt.Fprintf(b, "timeout: %v\n", e.Server.Timeout)
	}
	dumpProblems(b, "problem", e.Problems)
	for _, p := range e.Prompts {
		fmt.Fprintf(b, "asks: %+v\n", p)
	}
}

// dumpLogin writes what is set of a client.
func dumpLogin(b *strings.Builder, c Login) {
	v := reflect.ValueOf(c)
	for i := range v.NumField() {
		if f := v.Field(i); !f.IsZero() {
			text := fmt.Sprint(f.Interface())
			if secret, ok := f.Interface().(probe.Secret); ok {
				text = secret.Reveal()
			}
			fmt.Fprintf(b, "login %s: %s\n", v.Type().Field(i).Name, text)
		}
	}
}

func dumpSecrets(b *strings.Builder, label string, secrets map[string]probe.Secret) {
	for _, name := range slices.Sorted(maps.Keys(secrets)) {
		fmt.Fprintf(b, "%s %s: %q\n", label, name, secrets[name].Reveal())
	}
}

func dumpProject(b *strings.Builder, p Project) {
	fmt.Fprintf(b, "\nproject: %s\nsnapshots: %s\n", p.File, p.Snapshots)
	if p.FailOn != "" {
		fmt.Fprintf(b, "fail-on: %v\n", p.FailOn)
	}
	for _, id := range slices.Sorted(maps.Keys(p.Rules)) {
		fmt.Fprintf(b, "rule %s: %v\n", id, p.Rules[id])
	}
	for _, name := range slices.Sorted(maps.Keys(p.Overrides)) {
		fmt.Fprintf(b, "override %s: fail-on %q, rules %v\n", name, p.Overrides[name].FailOn, p.Overrides[name].Rules)
	}
	for _, w := range p.Waivers {
		fmt.Fprintf(b, "%s: %v: %q, owner %q, until %q\n", w.Source, w, w.Reason, w.Owner, w.Expires)
	}
	for _, t := range p.Tolerate {
		fmt.Fprintf(b, "%s: tolerate %q: %q until %q\n", t.Source, t.Server, t.Reason, t.Expires)
	}
	if p.Budgets != (finding.Budgets{}) {
		fmt.Fprintf(b, "budgets: %+v\n", p.Budgets)
	}
	if p.Allow.Line > 0 {
		fmt.Fprintf(b, "allow on line %d: %q\n", p.Allow.Line, p.Allow.Names)
	}
}
