// Package mcpctl holds no code: this folder's test keeps the rooms of the house apart, as docs/architecture.md says.
package mcpctl

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

const module = "github.com/mcpctl/mcpctl/"

// floors is the order of the packages: each imports from floors below its own, and never from its own or one above. What
// each floor gives is reported in docs/architecture.md, what each package gives in its comment.
var floors = [][]string{
	0:  {"internal/rawjson", "internal/process", "internal/files", "internal/host", "internal/exit", "internal/kit"},
	1:  {"pkg/snapshot", "pkg/finding", "pkg/schema", "internal/redact", "internal/syntax", "internal/wording", "internal/vault", "internal/printable"},
	2:  {"pkg/diff", "pkg/check", "internal/call", "internal/transport", "internal/git", "internal/clients", "internal/packages"},
	3:  {"internal/report", "pkg/probe", "pkg/watch"},
	4:  {"internal/config"},
	5:  {"internal/sandbox", "internal/auth"},
	6:  {"internal/trust", "internal/login", "internal/source"},
	7:  {"internal/fleet"},
	8:  {"internal/invoke"},
	9:  {"internal/calls"},
	10: {"internal/compare"},
	11: {"internal/watchrun"},
	12: {"cmd/mcpctl"},
}

// forTests are servers that tests talk to, their pseudo terminals, and the judge of schemas. Nothing that ships imports them.
var forTests = []string{"internal/fixture", "internal/packages/registrytest", "internal/auth/authtest", "internal/host/terminaltest"}

// libraries are all that is not our own, each with the packages that may import it.
var libraries = map[string][]string{
	"github.com/bmatcuk/doublestar/v4":         {"internal/watchrun"},
	"github.com/cenkalti/backoff/v5":           {"pkg/probe"},
	"github.com/clipperhouse/displaywidth":     {"internal/host", "internal/report", "internal/watchrun"},
	"github.com/dlclark/regexp2/v2":            {"pkg/check", "pkg/schema"},
	"github.com/git-pkgs/gitignore":            {"internal/watchrun"},
	"github.com/go-json-experiment/json":       {"internal/rawjson"},
	"github.com/gofrs/flock":                   {"internal/files", "internal/watchrun"},
	"github.com/google/go-cmp":                 {"pkg/diff", "internal/calls"},
	"github.com/google/go-containerregistry":   {"internal/packages"},
	"github.com/joho/godotenv":                 {"internal/config"},
	"github.com/klauspost/compress":            {"internal/transport"},
	"github.com/mark3labs/mcp-go":              {"internal/transport", "pkg/probe", "examples/tickets"},
	"github.com/olekukonko/tablewriter":        {"internal/report"},
	"github.com/pelletier/go-toml/v2":          {"internal/syntax"},
	"github.com/prometheus/client_golang":      {"internal/watchrun"},
	"github.com/santhosh-tekuri/jsonschema/v6": {"pkg/schema"},
	"github.com/tailscale/hujson":              {"internal/syntax", "internal/fixture"},
	"github.com/urfave/cli/v2":                 {"cmd/mcpctl"},
	"github.com/kballard/go-shellquote":        {"internal/source"},
	"github.com/xrash/smetrics":                {"internal/kit"},
	"github.com/yosida95/uritemplate/v3":       {"internal/call"},
	"github.com/zalando/go-keyring":            {"internal/vault"},
	"go.yaml.in/yaml/v3":                       {"internal/report", "internal/syntax", "internal/fixture"},
	"golang.org/x/mod":                         {"pkg/finding", "internal/packages"},
	"golang.org/x/oauth2":                      {"internal/auth", "internal/auth/authtest"},
	"golang.org/x/sync":                        {"internal/compare", "internal/fleet", "pkg/probe"},
	"golang.org/x/sys":                         {"internal/process", "internal/sandbox", "internal/fixture", "internal/host", "internal/host/terminaltest"},
	"golang.org/x/term":                        {"internal/host"},
}

// mayContact are the packages that may open a connection to a server: the one who names these functions must have passed every gate.
var mayContact = []string{"internal/fleet"}

// forbiddenInPkg are the ways to print, log, read the environment or exit that nothing under pkg/ may use.
var forbiddenInPkg = []string{
	"os.Exit", "os.Getenv", "os.LookupEnv", "os.Environ", "os.Stdout", "os.Stderr", "os.Stdin",
	"fmt.Print", "fmt.Printf", "fmt.Println", "log.Print", "log.Printf", "log.Println", "log.Fatal", "log.Fatalf",
	"slog.Info", "slog.Warn", "slog.Error", "slog.Debug",
}

func TestLayout(t *testing.T) {
	seen := map[string]bool{}
	for _, file := range productFiles(t) {
		room := roomOf(filepath.ToSlash(filepath.Dir(file)))
		seen[room] = true
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range parsed.Imports {
			if fault := checkImport(room, strings.Trim(spec.Path.Value, `"`)); fault != "" {
				t.Errorf("%s: %s", file, fault)
			}
		}
		checkContact(t, file, room, parsed)
		if strings.HasPrefix(room, "pkg/") {
			checkQuiet(t, file)
		}
	}
	for room := range seen {
		if floorOf(room) < 0 && !slices.Contains(forTests, room) && !strings.HasPrefix(room, "examples/") {
			t.Errorf("%s is on no floor", room)
		}
	}
}

// TestFloorsAreDescribed holds the table of docs/architecture.md to the floors.
func TestFloorsAreDescribed(t *testing.T) {
	page, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	described := map[string]int{}
	for _, row := range regexp.MustCompile(`(?m)^\| (\d+) \| ([^|]*) \|`).FindAllStringSubmatch(string(page), -1) {
		for _, room := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[2], -1) {
			described[room[1]], _ = strconv.Atoi(row[1])
		}
	}
	for floor, rooms := range floors {
		for _, room := range rooms {
			if at, ok := described[room]; !ok || at != floor {
				t.Errorf("docs/architecture.md does not put %s on floor %d", room, floor)
			}
			delete(described, room)
		}
	}
	for room := range described {
		t.Errorf("docs/architecture.md describes %s, which is on no floor", room)
	}
}

// TestLayoutFindsFaults shows that the checks see what they are there for.
func TestLayoutFindsFaults(t *testing.T) {
	for _, c := range []struct {
		room, path string
		wrong      bool
	}{
		{"pkg/diff", "pkg/schema", false}, {"pkg/diff", "pkg/check", true}, {"pkg/schema", "pkg/diff", true}, {"internal/config", "internal/fleet", true},
		{"pkg/schema", "pkg/schema/internal/pattern", false}, {"pkg/diff", "pkg/schema/internal/pattern", true}, {"internal/fleet", "internal/fixture", true},
		{"pkg/diff", "internal/nowhere", true}, {"internal/invoke", "internal/watchrun", true}, {"cmd/mcpctl", "internal/host", false},
	} {
		if fault := checkImport(c.room, module+c.path); (fault != "") != c.wrong {
			t.Errorf("%s imports %s: %q", c.room, c.path, fault)
		}
	}
	for path, wrong := range map[string]bool{"fmt": false, "encoding/json": false, "github.com/google/go-cmp/cmp": false, "github.com/urfave/cli/v2": true, "html/template": false, "text/tabwriter": true, "example.com/new": true} {
		if fault := checkImport("pkg/diff", path); (fault != "") != wrong {
			t.Errorf("pkg/diff imports %s: %q", path, fault)
		}
	}
}

// roomOf is the package that a folder belongs to: its own, or the one whose inner part it is.
func roomOf(folder string) string {
	outer, _, _ := strings.Cut(folder, "/internal/")
	if floorOf(outer) >= 0 {
		return outer
	}
	return folder
}

// floorOf is the floor of a package; -1 = it has none.
func floorOf(room string) int {
	return slices.IndexFunc(floors, func(floor []string) bool { return slices.Contains(floor, room) })
}

// checkImport says what is wrong with an import of a package; "" = nothing.
func checkImport(room, path string) string {
	own, ours := strings.CutPrefix(path, module)
	switch to := roomOf(own); {
	case path == "text/tabwriter":
		return "internal/report draws all tables"
	case !ours && !strings.Contains(strings.Split(path, "/")[0], "."):
		return "" // the standard library
	case !ours:
		return checkLibrary(room, path)
	case slices.Contains(forTests, to), slices.Contains(forTests, own):
		if slices.Contains(forTests, room) {
			return ""
		}
		return own + " is for tests alone"
	case floorOf(to) < 0:
		return own + " is on no floor"
	case to != own && to != room:
		return own + " is an inner part of " + to
	case to != room && floorOf(to) >= floorOf(room) && !slices.Contains(forTests, room):
		return own + " is not on a floor below"
	}
	return ""
}

func checkLibrary(room, path string) string {
	for library, users := range libraries {
		if path == library || strings.HasPrefix(path, library+"/") {
			if slices.Contains(users, room) {
				return ""
			}
			return path + " is for " + strings.Join(users, ", ") + " alone"
		}
	}
	return path + " is none of the libraries"
}

// checkContact keeps connections to servers behind the gate.
func checkContact(t *testing.T, file, room string, parsed *ast.File) {
	ast.Inspect(parsed, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && !slices.Contains(mayContact, room) {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == "probe" && (s.Sel.Name == "Open" || s.Sel.Name == "All" || s.Sel.Name == "Interview") {
				t.Errorf("%s contacts servers with probe.%s, which only %s may", file, s.Sel.Name, mayContact[0])
			}
		}
		return true
	})
}

// mayCall are the rooms that may name the request that calls a tool: the one that makes it, and the server for tests.
var mayCall = []string{"internal/call", "internal/fixture", "examples/tickets"}

// TestOneRoomCallsTools keeps mcpctl from calling a tool other than on request: no other room knows how.
func TestOneRoomCallsTools(t *testing.T) {
	makers := 0
	for _, file := range productFiles(t) {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				if strings.Trim(n.Value, "\"`") == "tools/call" && !slices.Contains(mayCall, filepath.ToSlash(filepath.Dir(file))) {
					t.Errorf("%s names tools/call, which only internal/call may", file)
				}
			case *ast.SelectorExpr:
				x, ok := n.X.(*ast.Ident)
				if ok && x.Name == "mcp" && n.Sel.Name == "MethodToolsCall" {
					t.Errorf("%s names tools/call, which only internal/call may", file)
				}
				if ok && x.Name == "call" && n.Sel.Name == "Tool" {
					if makers++; filepath.ToSlash(filepath.Dir(file)) != "internal/invoke" {
						t.Errorf("%s makes the request that calls a tool, which only internal/invoke may", file)
					}
				}
			}
			return true
		})
	}
	if makers != 1 {
		t.Errorf("the request that calls a tool is made at %d places, want 1", makers)
	}
}

// productFiles are the Go files that ship, tests and test data left out.
func productFiles(t *testing.T) []string {
	var files []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" ||
			len(path) > 1 && strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			files = append(files, path)
		}
		return nil
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("walking the tree: %v, %d files", err, len(files))
	}
	return files
}

func checkQuiet(t *testing.T, file string) {
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Name.Name == "init" && n.Recv == nil {
				t.Errorf("%s: init function", fset.Position(n.Pos()))
			}
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && slices.Contains(forbiddenInPkg, x.Name+"."+n.Sel.Name) {
				t.Errorf("%s: %s.%s has no place under pkg/", fset.Position(n.Pos()), x.Name, n.Sel.Name)
			}
		}
		return true
	})
}

// TestNoTypeHoldsEverything: a type of more than 25 methods is several.
func TestNoTypeHoldsEverything(t *testing.T) {
	methods := map[string]int{}
	for _, file := range productFiles(t) {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range parsed.Decls {
			if f, ok := one.(*ast.FuncDecl); ok && f.Recv != nil {
				methods[filepath.Dir(file)+"."+strings.TrimPrefix(types.ExprString(f.Recv.List[0].Type), "*")]++
			}
		}
	}
	for name, count := range methods {
		if count > 25 {
			t.Errorf("%s has %d methods", name, count)
		}
	}
	if len(methods) < 100 {
		t.Errorf("only %d types have methods", len(methods))
	}
}

const (
	maxColumns = 110 // of a line of product code, a tab being tabWidth
	tabWidth   = 4

	// longLines is how many lines may still be longer. It may only shrink: lower it to what the test reports.
	longLines = 63
)

// longURL matches a URL that cannot be wrapped.
var longURL = regexp.MustCompile(`https?://\S{40,}`)

// TestLinesAreShort limits the width of product code. Lines with a long URL may be wider, and those of a table whose
// comment has the word "table:".
func TestLinesAreShort(t *testing.T) {
	var long []string
	for _, file := range productFiles(t) {
		if floorOf(roomOf(filepath.ToSlash(filepath.Dir(file)))) < 0 {
			continue // an example, or a server for tests
		}
		for number, line := range widerThan(t, file, maxColumns) {
			long = append(long, file+":"+strconv.Itoa(number)+": "+strings.TrimSpace(line))
		}
	}
	slices.Sort(long)
	switch {
	case len(long) > longLines:
		t.Errorf("%d lines are wider than %d columns, %d may be; wrap those you added:\n%s",
			len(long), maxColumns, longLines, strings.Join(long, "\n"))
	case len(long) < longLines:
		t.Logf("longLines can be %d instead of %d", len(long), longLines)
	}
}

// widerThan returns the lines of a file that are wider than a number of columns, by their numbers.
func widerThan(t *testing.T, file string, most int) map[int]string {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	wide, inTable := map[int]string{}, false
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "// table:"):
			inTable = true
		case strings.HasPrefix(line, "}") || strings.HasPrefix(line, ")"):
			inTable = false
		}
		width := utf8.RuneCountInString(line) + strings.Count(line, "\t")*(tabWidth-1)
		if width > most && !inTable && !longURL.MatchString(line) {
			wide[number] = line
		}
	}
	return wide
}
