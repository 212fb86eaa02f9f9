// Package mcpctl holds no code: this folder's test keeps the rooms of the house apart, as docs/architecture.md says.
package mcpctl

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/mcpctl/mcpctl/"

// mayImport is the import table: what each package may import besides the standard library. A name without a dot is a
// folder of this module; a trailing slash allows everything below.
var mayImport = map[string][]string{
	"internal/host":        {},
	"internal/exit":        {},
	"internal/match":       {"github.com/xrash/smetrics"},
	"internal/rawjson":     {},
	"pkg/snapshot":         {"internal/rawjson"},
	"pkg/finding":          {"internal/rawjson", "internal/match"},
	"pkg/schema":           {"internal/rawjson", "pkg/schema/internal/"},
	"pkg/schema/internal/": {"internal/rawjson", "pkg/schema/internal/", "github.com/santhosh-tekuri/jsonschema/v6"},
	"internal/accept":      {"internal/rawjson", "pkg/snapshot", "pkg/finding"},
	"pkg/diff":             {"internal/rawjson", "pkg/snapshot", "pkg/finding", "pkg/schema", "github.com/google/go-cmp/cmp"},
	"pkg/check":            {"internal/rawjson", "pkg/snapshot", "pkg/finding", "pkg/schema", "internal/tokens", "internal/validate"},
	"internal/call":        {"internal/rawjson", "pkg/snapshot", "internal/validate", "github.com/yosida95/uritemplate/v3"},
	"internal/report":      {"internal/rawjson", "pkg/snapshot", "pkg/finding", "internal/call", "github.com/olekukonko/tablewriter/", "go.yaml.in/yaml/v3"},
	"pkg/watch":            {"internal/rawjson", "pkg/snapshot", "pkg/finding", "pkg/diff", "github.com/sony/gobreaker/v2"},
	"pkg/probe":            {"internal/process", "internal/rawjson", "pkg/snapshot", "internal/transport", "internal/redact", "github.com/mark3labs/mcp-go/", "github.com/cenkalti/backoff/v5", "golang.org/x/sync/"},
	"internal/tokens":      {},
	"internal/redact":      {"internal/rawjson"},
	"internal/validate":    {"internal/rawjson", "github.com/santhosh-tekuri/jsonschema/v6", "github.com/santhosh-tekuri/jsonschema/v6/kind"},
	"internal/transport":   {"internal/process", "internal/redact", "github.com/mark3labs/mcp-go/client/transport", "github.com/mark3labs/mcp-go/mcp"},
	"internal/clients":     {"internal/rawjson"},
	"internal/config":      {"internal/files", "internal/rawjson", "internal/auth", "pkg/probe", "internal/clients", "github.com/pelletier/go-toml/v2/unstable", "pkg/finding", "github.com/tailscale/hujson", "go.yaml.in/yaml/v3", "github.com/joho/godotenv", "internal/match"},
	"internal/sandbox":     {"pkg/probe"},
	"internal/trust":       {"internal/files"},
	"internal/reload":      {"internal/files", "github.com/fsnotify/fsnotify", "github.com/bmatcuk/doublestar/v4", "github.com/git-pkgs/gitignore"},
	"internal/monitor":     {"internal/rawjson", "pkg/watch", "pkg/snapshot", "pkg/finding", "internal/report", "pkg/check", "github.com/prometheus/client_golang/"},
	"internal/auth/":       {"internal/auth/", "internal/redact", "pkg/probe", "internal/vault", "golang.org/x/oauth2/", "github.com/golang-jwt/jwt/v5"},
	"internal/vault":       {"internal/files", "github.com/zalando/go-keyring", "github.com/gofrs/flock"},
	"internal/fixture":     {"internal/rawjson", "github.com/tailscale/hujson", "go.yaml.in/yaml/v3", "golang.org/x/sys/"},
	"internal/process":     {"golang.org/x/sys/"},
	"internal/files":       {"github.com/moby/sys/atomicwriter"},
	"internal/terminal":    {"internal/host", "golang.org/x/term", "github.com/schollz/progressbar/v3"},
	"cmd/mcpctl":           {"pkg/", "internal/", "github.com/", "golang.org/x/"},
	"examples/tickets":     {"github.com/mark3labs/mcp-go/"},
}

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
		checkImports(t, file, room)
		if strings.HasPrefix(room, "pkg/") {
			checkQuiet(t, file)
		}
	}
	for room := range mayImport {
		if !seen[room] {
			t.Errorf("the import table has a row for %s, which has no Go file", room)
		}
	}
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
					if makers++; filepath.ToSlash(file) != "cmd/mcpctl/call.go" {
						t.Errorf("%s makes the request that calls a tool, which only the command call may", file)
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
		case d.IsDir() && (d.Name() == "testdata" || len(path) > 1 && strings.HasPrefix(d.Name(), ".")):
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

// roomOf is the row of the table that a folder belongs to: its own, or the one that ends in a slash above it.
func roomOf(folder string) string {
	for room := range mayImport {
		if strings.HasSuffix(room, "/") && strings.HasPrefix(folder+"/", room) {
			return room
		}
	}
	return folder
}

func checkImports(t *testing.T, file, room string) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	allowed, known := mayImport[room]
	if !known {
		t.Errorf("%s: %s has no row in the import table", file, room)
	}
	for _, spec := range parsed.Imports {
		path := strings.TrimPrefix(strings.Trim(spec.Path.Value, `"`), module)
		if ours := path != strings.Trim(spec.Path.Value, `"`); !ours && !strings.Contains(strings.Split(path, "/")[0], ".") {
			continue // the standard library
		}
		if !slices.ContainsFunc(allowed, func(a string) bool { return covers(a, path) }) {
			t.Errorf("%s imports %s, which %s may not", file, path, room)
		}
	}
}

func covers(allowed, path string) bool {
	return path == strings.TrimSuffix(allowed, "/") || strings.HasSuffix(allowed, "/") && strings.HasPrefix(path, allowed)
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
