//go:build recipes

package mcpctl

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestRecipes follows each recipe of CONTRIBUTING, as it stands there, in a copy of the tree: its changes, then its
// commands, all of which end well. At the end the tree is formatted, and make docs has nothing left to write.
func TestRecipes(t *testing.T) {
	for _, r := range recipes(t) {
		t.Run(strings.ReplaceAll(r.title, " ", "-"), func(t *testing.T) {
			tree := t.TempDir()
			copyTree(t, tree)
			for _, block := range r.blocks {
				if block.file == "" {
					inTree(t, tree, block.text)
				} else if err := block.write(tree); err != nil {
					t.Fatal(err)
				}
			}
			if out := inTree(t, tree, "gofmt -l cmd internal pkg"); out != "" {
				t.Errorf("gofmt changes %s", out)
			}
			before := docsOf(t, tree)
			inTree(t, tree, "make docs")
			if !bytes.Equal(before, docsOf(t, tree)) {
				t.Error("make docs has something left to write")
			}
		})
	}
}

// copyTree copies the files of the repository, as they are in the working tree.
func copyTree(t *testing.T, tree string) {
	t.Helper()
	list, err := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.SplitSeq(strings.TrimRight(string(list), "\x00"), "\x00") {
		info, err := os.Lstat(name)
		if err != nil || !info.Mode().IsRegular() {
			continue // removed, or a link
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(tree, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, info.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
	}
}

// inTree runs commands in a tree; one that fails fails the test.
func inTree(t *testing.T, tree, commands string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-ec", commands)
	cmd.Dir = tree
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s\n%s\n%v", commands, out, err)
	}
	return string(out)
}

func docsOf(t *testing.T, tree string) (all []byte) {
	t.Helper()
	pages, err := filepath.Glob(filepath.Join(tree, "docs", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, text...)
	}
	return all
}
