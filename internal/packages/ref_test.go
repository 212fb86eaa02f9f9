package packages_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/packages"
)

func TestParse(t *testing.T) {
	content := "sha256:" + strings.Repeat("0a", 32)
	for word, want := range map[string]packages.Ref{
		"npm:a":                {Registry: "npm", Name: "a"},
		"npm:@scope/a@1.2.3":   {Registry: "npm", Name: "@scope/a", Version: "1.2.3"},
		"npm:@scope/a":         {Registry: "npm", Name: "@scope/a"},
		"npm:a@next":           {Registry: "npm", Name: "a", Version: "next"},
		"npm:a@^1.2":           {Registry: "npm", Name: "a", Version: "^1.2"},
		"npm:a@1.0.0-rc.1+b.2": {Registry: "npm", Name: "a", Version: "1.0.0-rc.1+b.2"},

		"oci:acme/server":            {Registry: "oci", Name: "acme/server"},
		"oci:acme/server:v1.2":       {Registry: "oci", Name: "acme/server", Version: "v1.2"},
		"oci:localhost:5000/x":       {Registry: "oci", Name: "localhost:5000/x"},
		"oci:localhost:5000/x:1":     {Registry: "oci", Name: "localhost:5000/x", Version: "1"},
		"oci:ghcr.io/a/b@" + content: {Registry: "oci", Name: "ghcr.io/a/b", Version: content},
	} {
		got, is, err := packages.Parse(word)
		if diff := cmp.Diff(want, got); diff != "" || !is || err != nil || got.String() != word {
			t.Errorf("%s: %v, %v, %s (-want +got):\n%s", word, is, err, got, diff)
		}
	}
	for _, word := range []string{"npm:", "npm:../x", "npm:@scope", "npm:a/b", "npm:-g", "npm:a@", "npm:a@-rf", "npm:a@git+ssh://x",
		"npm:a@file:..", "npm:a@1 2", "npm:@", "npm:https://x/y.tgz", "npm:" + strings.Repeat("a", 256),
		"oci:", "oci:-v", "oci:A", "oci:a:", "oci:a@sha256:1", "oci:a b", "oci:../a", "oci:https://a/b",
		"oci:a@" + content + " --privileged"} {
		if got, is, err := packages.Parse(word); !is || err == nil {
			t.Errorf("%s is taken for %+v", word, got)
		}
	}
	for _, word := range []string{"a", "git:main", "https://npm:a@host/", "./npm:a"} {
		if _, is, err := packages.Parse(word); is || err != nil {
			t.Errorf("%s: %v, %v", word, is, err)
		}
	}
}

func TestExact(t *testing.T) {
	for version, want := range map[string]bool{"1.2.3": true, "1.2.3-rc.1": true, "": false, "latest": false, "^1.2.3": false, "1.2": false,
		"1.x": false, "1.2.3+b": true, "v1.2.3": false} {
		if got := (packages.Ref{Version: version}).Exact(); got != want {
			t.Errorf("%q: %v", version, got)
		}
	}
}

// TestHandOn names variables for the container, never their values.
func TestHandOn(t *testing.T) {
	if diff := cmp.Diff([]string{"run", "--env", "A", "--env", "B", "-i", "x"},
		packages.HandOn([]string{"run", "-i", "x"}, []string{"A", "B"})); diff != "" {
		t.Error(diff)
	}
}
