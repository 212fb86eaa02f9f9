package watchrun

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// plant makes files in a new folder: names, or names with "=" and their content. A name that ends in a slash
// is a folder.
func plant(t *testing.T, files ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		write(t, dir, f)
	}
	return dir
}

func write(t *testing.T, dir, file string) {
	t.Helper()
	name, text, _ := strings.Cut(file, "=")
	path := filepath.Join(dir, filepath.FromSlash(name))
	folder := filepath.Dir(path)
	if strings.HasSuffix(name, "/") {
		folder = path
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if folder == path {
		return
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// named returns the files that globs name in a directory.
func named(t *testing.T, dir string, globs ...string) []string {
	t.Helper()
	w, err := newFileWatcher(t.Context(), dir, globs)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for path := range w.seen {
		names = append(names, filepath.ToSlash(w.name(path)))
	}
	slices.Sort(names)
	return names
}

// TestGlobs names files by globs of every form.
func TestGlobs(t *testing.T) {
	dir := plant(t, "a.ts", "src/b.ts", "src/b.js", "src/deep/er/c.ts", "src/[x]/d.ts", "other/src/e.ts", "über/f.ts")
	for globs, want := range map[string]string{
		"*.ts":                   "a.ts",
		"**/*.ts":                "a.ts other/src/e.ts src/[x]/d.ts src/b.ts src/deep/er/c.ts über/f.ts",
		"src/**/*.ts":            "src/[x]/d.ts src/b.ts src/deep/er/c.ts",
		"src/*.{ts,js}":          "src/b.js src/b.ts",
		"src/*/*.ts":             "src/[x]/d.ts",
		`src/\[x\]/*`:            "src/[x]/d.ts",
		"src":                    "src/[x]/d.ts src/b.js src/b.ts src/deep/er/c.ts",
		"src/":                   "src/[x]/d.ts src/b.js src/b.ts src/deep/er/c.ts",
		"./src/b.ts":             "src/b.ts",
		"src/../a.ts":            "a.ts",
		"a.ts src/b.*":           "a.ts src/b.js src/b.ts",
		"**/src/*.ts src/*.ts":   "other/src/e.ts src/b.ts",
		"{a,src/b}.ts":           "a.ts src/b.ts",
		"nothing/**/*.go":        "",
		"über/*":                 "über/f.ts",
		dir + "/src/*.js":        "src/b.js",
		dir + "/{src,other}/*.*": "src/b.js src/b.ts",
	} {
		got := strings.Join(named(t, dir, strings.Fields(globs)...), " ")
		if diff := cmp.Diff(want, strings.ReplaceAll(got, dir+"/", "")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", globs, diff)
		}
	}
	for _, wrong := range []string{"", "src/[", "{a,b"} {
		if _, err := parseGlob(dir, wrong); err == nil {
			t.Errorf("%q was taken for a glob", wrong)
		}
	}
}

// TestGlobOutside begins above the folder that globs begin in.
func TestGlobOutside(t *testing.T) {
	dir := plant(t, "shared/a.ts", "app/b.ts")
	want := []string{filepath.ToSlash(dir) + "/shared/a.ts"}
	if diff := cmp.Diff(want, named(t, filepath.Join(dir, "app"), "../shared/**/*.ts")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestIgnored leaves out names of repositories, modules and editors, unless a glob has them.
func TestIgnored(t *testing.T) {
	dir := plant(t, ".git/config", ".env", ".env.local", "a.ts", "a.ts~", ".a.ts.swp", "node_modules/m/index.js", "src/.cache/b.ts",
		"src/c.ts")
	for globs, want := range map[string]string{
		"**":                "a.ts src/c.ts",
		".":                 "a.ts src/c.ts",
		"**/.env":           ".env",
		".env*":             ".env .env.local",
		"**/.[a-e]*/*.ts":   "src/.cache/b.ts",
		"*.swp":             "",
		"src/.cache/*":      "src/.cache/b.ts",
		"node_modules/**":   "node_modules/m/index.js",
		"*/m/*.js":          "",
		"{a.ts~,.git/**}":   ".git/config a.ts~",
		"*/.cache/*.{ts,x}": "src/.cache/b.ts",
	} {
		if diff := cmp.Diff(want, strings.Join(named(t, dir, globs), " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", globs, diff)
		}
	}
}

// TestOddFiles neither follow folders in circles nor wait for a pipe.
func TestOddFiles(t *testing.T) {
	dir := plant(t, "a.ts", "sub/b.ts")
	for link, to := range map[string]string{"loop": ".", "sub/up": "..", "c.ts": "a.ts", "dangling.ts": "nowhere"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skipf("SKIPPED: no symbolic links here: %v", err)
		}
	}
	if fifo, err := exec.LookPath("mkfifo"); err == nil {
		if err := exec.Command(fifo, filepath.Join(dir, "pipe.ts")).Run(); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"a.ts", "c.ts", "sub/b.ts"}, named(t, dir, "**/*.ts")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
