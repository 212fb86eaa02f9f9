package main

import "testing"

func TestMoved(t *testing.T) {
	w := worktree{roots: []string{"/repo", "/link/repo"}, dir: "/repo/tmp/base/repo"}
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
		if got := w.move(text); got != want {
			t.Errorf("move(%q) = %q, want %q", text, got, want)
		}
	}
	root := worktree{roots: []string{"/"}, dir: "/tmp/base"}
	if got := root.move("/bin/sh"); got != "/bin/sh" {
		t.Errorf("with a repository at the root, move(/bin/sh) = %q", got)
	}
}
