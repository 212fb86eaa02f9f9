// Package mcpctl contains only tests of the layout: layers, libraries, line lengths and language.
package mcpctl

import (
	"go/ast"
	"go/parser"
	"go/scanner"
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

// layers is the order of the packages: each imports only from layers below its own. docs/architecture.md describes them.
var layers = [][]string{
	0: {"internal/rawjson", "internal/process", "internal/files", "internal/host", "internal/exit", "internal/kit"},
	1: {"pkg/snapshot", "pkg/finding", "pkg/schema", "internal/redact", "internal/syntax", "internal/wording", "internal/vault",
		"internal/printable"},
	2:  {"pkg/diff", "pkg/check", "internal/transport", "internal/clients", "internal/packages"},
	3:  {"pkg/probe", "pkg/watch", "internal/calls"},
	4:  {"internal/config"},
	5:  {"internal/seen"},
	6:  {"internal/sandbox", "internal/auth", "internal/report"},
	7:  {"internal/trust", "internal/login", "internal/source"},
	8:  {"internal/fleet"},
	9:  {"internal/call", "internal/compare"},
	10: {"internal/watchrun"},
	11: {"cmd/mcpctl"},
}

// forTests are servers and terminals for tests. No product code imports them.
var forTests = []string{"internal/fixture", "internal/fixture/programs", "internal/packages/registrytest", "internal/auth/authtest",
	"internal/host/terminaltest"}

// libraries are the third-party modules, each with the packages that may import it.
var libraries = map[string][]string{
	"github.com/bmatcuk/doublestar/v4":         {"internal/watchrun"},
	"github.com/cenkalti/backoff/v5":           {"pkg/probe"},
	"github.com/clipperhouse/displaywidth":     {"internal/host", "internal/report", "internal/watchrun"},
	"github.com/dlclark/regexp2/v2":            {"pkg/check", "pkg/schema"},
	"github.com/go-jose/go-jose/v4":            {"internal/auth", "internal/auth/authtest"},
	"github.com/go-json-experiment/json":       {"internal/rawjson"},
	"github.com/gofrs/flock":                   {"internal/files", "internal/watchrun"},
	"github.com/google/go-cmp":                 {"internal/rawjson"},
	"github.com/google/go-containerregistry":   {"internal/packages"},
	"github.com/joho/godotenv":                 {"internal/config"},
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
	"golang.org/x/mod":                         {"cmd/mcpctl", "pkg/diff", "internal/packages"},
	"golang.org/x/oauth2":                      {"internal/auth", "internal/auth/authtest"},
	"golang.org/x/sync": {"internal/call", "internal/compare", "internal/fleet", "internal/transport",
		"pkg/probe"},
	"golang.org/x/sys": {"internal/process", "internal/sandbox", "internal/fixture", "internal/fixture/programs", "internal/host",
		"internal/host/terminaltest"},
	"golang.org/x/term": {"internal/host"},
	"golang.org/x/text": {"internal/wording"},
}

// mayContact are the packages that may connect to a server: after it was trusted, or at the URL that the user
// logs in to.
var mayContact = []string{"internal/fleet", "internal/auth"}

// forbiddenInPkg are functions that print, log, read the process or exit. pkg/ does not use them.
var forbiddenInPkg = []string{
	"os.Exit", "os.Getenv", "os.LookupEnv", "os.Environ", "os.ExpandEnv", "os.Stdout", "os.Stderr", "os.Stdin", "os.Args",
	"os.Getwd", "os.Getpid", "os.Hostname", "os.Executable", "os.TempDir", "os.UserHomeDir", "os.UserConfigDir",
	"os.UserCacheDir", "exec.LookPath", "filepath.Abs", "flag.Parse", "signal.Notify", "http.ProxyFromEnvironment",
	"transport.Proxy", "http.DefaultClient", "http.DefaultTransport", "http.Get",
	"fmt.Print", "fmt.Printf", "fmt.Println", "log.Print", "log.Printf", "log.Println", "log.Fatal", "log.Fatalf",
	"slog.Info", "slog.Warn", "slog.Error", "slog.Debug",
}

func TestLayout(t *testing.T) {
	seen := map[string]bool{}
	for _, file := range productFiles(t) {
		pkg := packageOf(filepath.ToSlash(filepath.Dir(file)))
		seen[pkg] = true
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range parsed.Imports {
			if fault := checkImport(pkg, strings.Trim(spec.Path.Value, `"`)); fault != "" {
				t.Errorf("%s: %s", file, fault)
			}
		}
		checkContact(t, file, pkg, parsed)
		if strings.HasPrefix(pkg, "pkg/") {
			checkQuiet(t, file)
		}
		if strings.HasPrefix(pkg, "pkg/") || pkg == "internal/transport" { // whose errors pkg/probe returns
			inspectFile(t, file, func(at token.Position, n ast.Node) {
				if text, isText := literal(n); isText && ofCommandLine.MatchString(text) {
					t.Errorf("%s: %q is of the command line, which stands above pkg/", at, text)
				}
			})
		}
	}
	for pkg := range seen {
		if layerOf(pkg) < 0 && !slices.Contains(forTests, pkg) && !strings.HasPrefix(pkg, "examples/") {
			t.Errorf("%s is in no layer", pkg)
		}
	}
}

// TestLayersAreDescribed compares the table of docs/architecture.md with layers.
func TestLayersAreDescribed(t *testing.T) {
	page, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	described := map[string]int{}
	for _, row := range regexp.MustCompile(`(?m)^\| (\d+) \| ([^|]*) \|`).FindAllStringSubmatch(string(page), -1) {
		for _, pkg := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[2], -1) {
			described[pkg[1]], _ = strconv.Atoi(row[1])
		}
	}
	for layer, packages := range layers {
		for _, pkg := range packages {
			if at, ok := described[pkg]; !ok || at != layer {
				t.Errorf("docs/architecture.md does not list %s in layer %d", pkg, layer)
			}
			delete(described, pkg)
		}
	}
	for pkg := range described {
		t.Errorf("docs/architecture.md lists %s, which is in no layer", pkg)
	}
}

// TestLayoutFindsFaults checks the checks.
func TestLayoutFindsFaults(t *testing.T) {
	for _, c := range []struct {
		pkg, path string
		wrong     bool
	}{
		{"pkg/diff", "pkg/schema", false}, {"pkg/diff", "pkg/check", true}, {"pkg/schema", "pkg/diff", true},
		{"internal/config", "internal/fleet", true},
		{"pkg/schema", "pkg/schema/internal/pattern", false}, {"pkg/diff", "pkg/schema/internal/pattern", true},
		{"internal/fleet", "internal/fixture", true},
		{"pkg/diff", "internal/nowhere", true}, {"internal/call", "internal/watchrun", true},
		{"internal/report", "internal/seen", false}, {"internal/report", "internal/trust", true},
		{"internal/report", "internal/fleet", true},
		{"internal/compare", "internal/report", true}, {"cmd/mcpctl", "internal/report", false}, {"cmd/mcpctl", "internal/host", false},
	} {
		if fault := checkImport(c.pkg, module+c.path); (fault != "") != c.wrong {
			t.Errorf("%s imports %s: %q", c.pkg, c.path, fault)
		}
	}
	for path, wrong := range map[string]bool{"fmt": false, "encoding/json": false, "github.com/google/go-cmp/cmp": true,
		"github.com/urfave/cli/v2": true, "html/template": false, "text/tabwriter": true, "example.com/new": true} {
		if fault := checkImport("pkg/diff", path); (fault != "") != wrong {
			t.Errorf("pkg/diff imports %s: %q", path, fault)
		}
	}
}

// packageOf returns the package that a directory belongs to: its own, or the one that it is internal to.
func packageOf(folder string) string {
	outer, _, _ := strings.Cut(folder, "/internal/")
	if layerOf(outer) >= 0 {
		return outer
	}
	return folder
}

// layerOf returns the layer of a package, or -1.
func layerOf(pkg string) int {
	return slices.IndexFunc(layers, func(layer []string) bool { return slices.Contains(layer, pkg) })
}

// checkImport returns the fault of an import of a package, or "".
func checkImport(pkg, path string) string {
	own, ours := strings.CutPrefix(path, module)
	switch to := packageOf(own); {
	case path == "text/tabwriter":
		return "internal/report draws all tables"
	case !ours && !strings.Contains(strings.Split(path, "/")[0], "."):
		return "" // the standard library
	case !ours:
		return checkLibrary(pkg, path)
	case slices.Contains(forTests, to), slices.Contains(forTests, own):
		if slices.Contains(forTests, pkg) {
			return ""
		}
		return own + " is for tests only"
	case layerOf(to) < 0:
		return own + " is in no layer"
	case to != own && to != pkg:
		return own + " is internal to " + to
	case to == "internal/report" && pkg != to && pkg != "cmd/mcpctl" && !slices.Contains(forTests, pkg):
		return own + " is for the commands only: results know no format"
	case to != pkg && layerOf(to) >= layerOf(pkg) && !slices.Contains(forTests, pkg):
		return own + " is not in a layer below"
	}
	return ""
}

func checkLibrary(pkg, path string) string {
	for library, users := range libraries {
		if path == library || strings.HasPrefix(path, library+"/") {
			if slices.Contains(users, pkg) {
				return ""
			}
			return path + " is for " + strings.Join(users, ", ") + " only"
		}
	}
	return path + " is not an allowed library"
}

// checkContact reports code outside of mayContact that connects to servers.
func checkContact(t *testing.T, file, pkg string, parsed *ast.File) {
	ast.Inspect(parsed, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && !slices.Contains(mayContact, pkg) {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == "probe" &&
				(s.Sel.Name == "Open" || s.Sel.Name == "All" || s.Sel.Name == "Interview") {
				t.Errorf("%s contacts servers with probe.%s, which only %s may", file, s.Sel.Name, mayContact[0])
			}
		}
		return true
	})
}

// mayCall are the packages that may name the request that calls a tool; internal/calls finds it in traces.
var mayCall = []string{"internal/call", "internal/calls", "internal/fixture", "examples/tickets"}

// TestOnePackageCallsTools checks that tools are called in one place, on request of the user.
func TestOnePackageCallsTools(t *testing.T) {
	makers := 0
	for _, file := range productFiles(t) {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		pkg := filepath.ToSlash(filepath.Dir(file))
		ast.Inspect(parsed, func(n ast.Node) bool {
			literal, isLiteral := n.(*ast.BasicLit)
			selector, isSelector := n.(*ast.SelectorExpr)
			if isLiteral && strings.Trim(literal.Value, "\"`") == "tools/call" ||
				isSelector && selector.Sel.Name == "MethodToolsCall" {
				if !slices.Contains(mayCall, pkg) {
					t.Errorf("%s names tools/call, which only internal/call may", file)
				}
				if pkg == "internal/call" {
					makers++
				}
			}
			return true
		})
	}
	if makers != 1 {
		t.Errorf("internal/call names tools/call at %d places, want 1", makers)
	}
}

// productFiles returns the Go files without tests and test data.
func productFiles(t *testing.T) []string {
	return slices.DeleteFunc(goFiles(t), func(file string) bool { return strings.HasSuffix(file, "_test.go") })
}

// goFiles returns the Go files without test data.
func goFiles(t *testing.T) []string {
	var files []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" ||
			len(path) > 1 && strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case strings.HasSuffix(path, ".go"):
			files = append(files, path)
		}
		return nil
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("walking the tree: %v, %d files", err, len(files))
	}
	return files
}

// ofCommandLine matches a command or a flag of mcpctl in a sentence.
var ofCommandLine = regexp.MustCompile(`\bmcpctl [a-z]|(^|[\s("` + "`" + `])--[a-z]`)

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
				t.Errorf("%s: %s.%s is not allowed under pkg/", fset.Position(n.Pos()), x.Name, n.Sel.Name)
			}
		}
		return true
	})
}

// TestNoTypeHoldsEverything rejects types with more than 25 methods.
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
	maxColumns  = 110 // of a line of product code, a tab being tabWidth
	testColumns = 140 // of one of tests
	tabWidth    = 4
)

// longURL matches a URL that cannot be wrapped.
var longURL = regexp.MustCompile(`https?://\S{40,}`)

// TestLinesAreShort limits the width of product code. Lines with a long URL may be wider, and those of a table whose
// comment has the word "table:".
func TestLinesAreShort(t *testing.T) {
	var long []string
	for _, file := range goFiles(t) {
		columns := maxColumns
		if strings.HasSuffix(file, "_test.go") || layerOf(packageOf(filepath.ToSlash(filepath.Dir(file)))) < 0 {
			columns = testColumns // also of an example, or a server for tests
		}
		for number, line := range widerThan(t, file, columns) {
			long = append(long, file+":"+strconv.Itoa(number)+": "+strings.TrimSpace(line))
		}
	}
	slices.Sort(long)
	if len(long) > 0 {
		t.Errorf("%d lines are too wide:\n%s", len(long), strings.Join(long, "\n"))
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

// ruledOut matches words that plain technical English does without.
var ruledOut = regexp.MustCompile(`(?i)\b(tell|tells|told|telling|nobody|somebody|whoever|mend|mends|mended|heed|heeds|` +
	`heeded|lest|whereof|of which)\b`)

// inQuotes lists what may stay, by file: parts of patterns that match text of servers.
var inQuotes = map[string][]string{
	"internal/wording/orders.go":  {"tell|telling", "(?:told"},
	"pkg/diff/rules.json":         {"o not tell the user"},
	"internal/wording/attacks.go": {"say|show|tell)", "told)", "(?:tell|telling|inform|"},
}

// TestLanguageIsPlain rejects these words in comments and strings of product code, and in docs.
func TestLanguageIsPlain(t *testing.T) {
	files := productFiles(t)
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var s scanner.Scanner
		fset := token.NewFileSet()
		s.Init(fset.AddFile(file, -1, len(source)), source, nil, scanner.ScanComments)
		for {
			pos, tok, text := s.Scan()
			if tok == token.EOF {
				break
			}
			if tok == token.COMMENT || tok == token.STRING {
				checkWords(t, fset.Position(pos).String(), filepath.ToSlash(file), text)
			}
		}
	}
	pages, err := filepath.Glob("docs/*.md")
	if err != nil || len(pages) < 10 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	pages = append(pages, "README.md", "CHANGELOG.md", ".github/CONTRIBUTING.md", ".github/SECURITY.md",
		"pkg/diff/rules.json", "pkg/check/rules.json")
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		checkWords(t, page, filepath.ToSlash(page), string(text))
	}
}

// checkWords reports the words of a text that are ruled out and not listed for its file.
func checkWords(t *testing.T, place, file, text string) {
	t.Helper()
	for _, allowed := range inQuotes[file] {
		text = strings.ReplaceAll(text, allowed, "")
	}
	for _, word := range ruledOut.FindAllString(text, -1) {
		t.Errorf("%s: %q: use plain words, such as report, no one, fix", place, word)
	}
}
