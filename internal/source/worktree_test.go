package source

import (
	"strings"
	"testing"
)

func TestRelocate(t *testing.T) {
	w := Worktree{roots: []string{"/repo", "/link/repo"}, dir: "/repo/tmp/base/repo"}
	for text, want := range map[string]string{
		"":                       "",
		"/repo":                  "/repo/tmp/base/repo",
		"/repo/bin":              "/repo/tmp/base/repo/bin",
		"/link/repo/bin":         "/repo/tmp/base/repo/bin",
		"--config=/repo/a":       "--config=/repo/tmp/base/repo/a",
		"/repo/a:/bin:/repo":     "/repo/tmp/base/repo/a:/bin:/repo/tmp/base/repo",
		`{"path": "/repo/a"}`:    `{"path": "/repo/tmp/base/repo/a"}`,
		"/repository":            "/repository",
		"/x/repo/a":              "/x/repo/a",
		"/repo-2/a":              "/repo-2/a",
		"relative/repo":          "relative/repo",
		"/repo/tmp/base/repo/a":  "/repo/tmp/base/repo/a",
		"https://host/repo/path": "https://host/repo/path",
	} {
		if got := w.Relocate(text); got != want {
			t.Errorf("Relocate(%q) = %q, want %q", text, got, want)
		}
	}
	root := Worktree{roots: []string{"/"}, dir: "/tmp/base"}
	if got := root.Relocate("/bin/sh"); got != "/bin/sh" {
		t.Errorf("with a repository at the root, Relocate(/bin/sh) = %q", got)
	}
}

// FuzzRelocate: what was relocated once is not relocated again, and nothing but whole paths is touched.
func FuzzRelocate(f *testing.F) {
	for _, seed := range []string{"/repo", "/repo/a:/link/repo", "/repo/tmp/base/repo/x", "x=/repo", "/repository", "/repo/repo",
		"/repo//repo", "/repo\x00/repo"} {
		f.Add(seed)
	}
	w := Worktree{roots: []string{"/repo", "/link/repo"}, dir: "/repo/tmp/base/repo"}
	f.Fuzz(func(t *testing.T, text string) {
		once := w.Relocate(text)
		if twice := w.Relocate(once); twice != once {
			t.Errorf("%q became %q, and then %q", text, once, twice)
		}
		if !strings.Contains(text, "/repo") && once != text {
			t.Errorf("%q became %q", text, once)
		}
	})
}
