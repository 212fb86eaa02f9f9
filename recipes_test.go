package mcpctl

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// recipe is a section of CONTRIBUTING that adds something by an example: blocks of files, and the commands that follow.
type recipe struct {
	title  string
	blocks []recipeBlock
}

// recipeBlock is a fenced block: a change of a file, or commands if it has no file.
type recipeBlock struct{ file, after, text string }

var (
	fencedBlock = regexp.MustCompile("(?ms)^```[a-z]+\n(.*?)^```$")
	blockHead   = regexp.MustCompile(`^// (\S+?)(?:, after: (.+))?\n`)
)

// recipes reads CONTRIBUTING as it stands.
func recipes(t *testing.T) []recipe {
	t.Helper()
	page, err := os.ReadFile(".github/CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	var all []recipe
	for _, section := range strings.Split(string(page), "\n## ")[1:] {
		title, body, _ := strings.Cut(section, "\n")
		r := recipe{title: title}
		for _, block := range fencedBlock.FindAllStringSubmatch(body, -1) {
			head := blockHead.FindStringSubmatch(block[1])
			if head == nil {
				r.blocks = append(r.blocks, recipeBlock{text: block[1]})
				continue
			}
			r.blocks = append(r.blocks, recipeBlock{head[1], head[2], block[1][len(head[0]):]})
		}
		if strings.HasPrefix(title, "Add a") && len(r.blocks) > 0 {
			all = append(all, r)
		}
	}
	if titles := len(all); titles != 3 {
		t.Fatalf("%d recipes have an example, want 3", titles)
	}
	return all
}

// write makes the change of a block in a tree, as a reader of the recipe would.
func (b recipeBlock) write(tree string) error {
	path := filepath.Join(tree, filepath.FromSlash(b.file))
	old, err := os.ReadFile(path)
	if b.after == "" {
		if err == nil {
			return fmt.Errorf("%s is no new file", b.file)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		return os.WriteFile(path, []byte(b.text), 0o600)
	}
	if err != nil {
		return err
	}
	lines := strings.SplitAfter(string(old), "\n")
	follows := func(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), b.after) }
	at := slices.IndexFunc(lines, follows)
	if at < 0 || slices.ContainsFunc(lines[at+1:], follows) {
		return fmt.Errorf("%s does not have one line %q", b.file, b.after)
	}
	return os.WriteFile(path, []byte(strings.Join(slices.Insert(lines, at+1, b.text), "")), 0o600)
}

// TestRecipesFitTheTree makes the changes of the recipes in copies of the files that they name, and ends each recipe with
// commands. make test-recipes runs them.
func TestRecipesFitTheTree(t *testing.T) {
	for _, r := range recipes(t) {
		tree, changed := t.TempDir(), 0
		for _, block := range r.blocks {
			if block.file == "" {
				continue
			}
			if text, err := os.ReadFile(block.file); err == nil && block.after != "" {
				path := filepath.Join(tree, filepath.FromSlash(block.file))
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := block.write(tree); err != nil {
				t.Errorf("%s: %v", r.title, err)
			}
			changed++
			for _, line := range widerThan(t, filepath.Join(tree, filepath.FromSlash(block.file)), maxColumns) {
				if strings.HasSuffix(block.file, ".go") && strings.Contains(block.text, line) {
					t.Errorf("%s: %q is too wide", r.title, line)
				}
			}
		}
		if last := r.blocks[len(r.blocks)-1]; changed < 3 || last.file != "" || !strings.Contains(last.text, "make test") {
			t.Errorf("%s: %d changes, and %q at the end", r.title, changed, last.text)
		}
	}
}
