package packages_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/packages"
)

func TestSince(t *testing.T) {
	of := func(version, integrity string, below map[string]string) packages.Package {
		return packages.Package{Ref: packages.Ref{Registry: "npm", Name: "a", Version: version}, Integrity: integrity, Dependencies: below}
	}
	zod := map[string]string{"zod": "^3"}
	for want, two := range map[string][2]packages.Package{
		"":                {of("1.0.0", "x", zod), of("1.0.0", "x", zod)},
		"a 1.0.0 → 2.0.0": {of("1.0.0", "x", zod), of("2.0.0", "y", zod)},
		"npm:a@1.0.0 was published again: x → y": {of("1.0.0", "x", nil), of("1.0.0", "y", nil)},
		"a 1.0.0 → 1.1.0 (b added, c removed, zod ^3 → ^4)": {
			of("1.0.0", "x", map[string]string{"zod": "^3", "c": "1"}), of("1.1.0", "y", map[string]string{"zod": "^4", "b": "1"})},
		"a 1.0.0 → 1.1.0 (b added, c added, d added, 2 more dependencies)": {
			of("1.0.0", "x", nil), of("1.1.0", "y", map[string]string{"b": "1", "c": "1", "d": "1", "e": "1", "f": "1"})},
	} {
		if got := two[1].Since(two[0]); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	image := packages.Package{Ref: packages.Ref{Registry: "oci", Name: "a", Version: "1.0.0"}}
	if got := image.Since(of("1.0.0", "", nil)); got != "npm:a@1.0.0 → oci:a:1.0.0" {
		t.Errorf("got %s", got)
	}
}

// TestLock reads what it writes, and refuses what it does not understand.
func TestLock(t *testing.T) {
	p := packages.Package{Ref: packages.Ref{Registry: "npm", Name: "@acme/tickets", Version: "1.0.0"}, Integrity: "sha512-t",
		Dependencies: map[string]string{"zod": "^3"}}
	data, err := packages.Lock{"tickets": p}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	read, err := packages.ParseLock("lock", data)
	if diff := cmp.Diff(packages.Lock{"tickets": p}, read); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for _, text := range []string{"", "{}", `{"mcpctl": 2}`, `{"mcpctl": 1, "servers": {"a": {"package": "npm:../x"}}}`,
		`{"mcpctl": 1, "servers": {"a": {"package": "gem:x"}}}`} {
		if got, err := packages.ParseLock("lock", []byte(text)); err == nil {
			t.Errorf("%s is read as %v", text, got)
		}
	}
}
