package config

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/probe"
)

func entriesOf(names ...string) []Entry {
	var entries []Entry
	for _, name := range names {
		entries = append(entries, Entry{Server: probe.Server{Name: name}})
	}
	return entries
}

func TestSelect(t *testing.T) {
	c := &Config{Files: []string{"x"}, Entries: entriesOf("github", "gitlab", "files")}
	for _, test := range []struct{ names, want []string }{
		{nil, []string{"github", "gitlab", "files"}},
		{[]string{"files", "github", "files"}, []string{"github", "files"}},
	} {
		chosen, err := c.Select(test.names)
		var got []string
		for _, e := range chosen {
			got = append(got, e.Server.Name)
		}
		if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
			t.Errorf("Select(%q) (-want +got):\n%s%v", test.names, diff, err)
		}
	}
}

func TestSelectUnknown(t *testing.T) {
	full := &Config{Files: []string{"x"}, Entries: entriesOf("github", "gitlab", "files")}
	for _, test := range []struct {
		config     *Config
		name, hint string
	}{
		{full, "githb", `did you mean "github" or "gitlab"?`},
		{full, "FILES", `did you mean "files"?`},
		{full, "zzz", `use one of "github", "gitlab", "files"`},
		{&Config{Files: []string{"x"}}, "a", "the configuration has no servers"},
		{&Config{}, "a", "no configuration was found: name one with --config FILE"},
	} {
		_, err := test.config.Select([]string{test.name})
		var problem Problem
		if !errors.As(err, &problem) || problem.Hint != test.hint {
			t.Errorf("Select(%q) = %#v, want the hint %q", test.name, err, test.hint)
		}
	}
}
