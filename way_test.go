package mcpctl

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestWaysAreTrue holds docs/architecture.md to the code: each function of a way exists, an earlier one names it, and two
// that one function names come in the order in which it names them.
func TestWaysAreTrue(t *testing.T) {
	page, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	bodies := bodiesByName(t)
	for _, w := range []struct {
		title              string
		steps, least, most int // of functions
	}{{"The way of a list", 10, 20, 40}, {"The way of a diff", 10, 20, 40}, {"Why only a warning", 6, 8, 8}} {
		title := w.title
		_, rest, found := strings.Cut(string(page), "## "+title+"\n")
		way, _, _ := strings.Cut(rest, "\n## ")
		steps := regexp.MustCompile(`(?m)^\d+\. `).FindAllString(way, -1)
		if !found || len(steps) != w.steps {
			t.Errorf("%s: %d steps, want %d", title, len(steps), w.steps)
		}
		way, _, _ = strings.Cut(way, "\nBetween ")
		var passed []string
		at := map[string]int{} // how far the body of a function is passed
		for _, named := range regexp.MustCompile("`([a-zA-Z]+\\.[a-zA-Z.]+)`").FindAllStringSubmatch(way, -1) {
			name := named[1]
			if strings.HasSuffix(name, ".go") {
				continue
			}
			if bodies[name] == nil {
				t.Errorf("%s: there is no function %s", title, name)
			}
			if len(passed) > 0 && !slices.ContainsFunc(passed, func(from string) bool {
				next := slices.Index(bodies[from][at[from]:], name[strings.LastIndex(name, ".")+1:])
				if next >= 0 {
					at[from] += next
				}
				return next >= 0
			}) {
				t.Errorf("%s: nothing before %s calls it there", title, name)
			}
			passed = append(passed, name)
		}
		if len(passed) < w.least || len(passed) > w.most {
			t.Errorf("%s: %d functions, want %d to %d", title, len(passed), w.least, w.most)
		}
	}
	for _, named := range regexp.MustCompile("`((?:redact|printable)\\.[a-zA-Z.]+)`").FindAllStringSubmatch(string(page), -1) {
		if bodies[named[1]] == nil {
			t.Errorf("there is no function %s", named[1])
		}
	}
}

// bodiesByName returns what each function names, in order, by its own name: PACKAGE.FUNCTION or PACKAGE.TYPE.METHOD.
func bodiesByName(t *testing.T) map[string][]string {
	all := map[string][]string{}
	for _, file := range productFiles(t) {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, declared := range parsed.Decls {
			f, ok := declared.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			name := parsed.Name.Name + "."
			if f.Recv != nil {
				receiver := f.Recv.List[0].Type
				if star, ok := receiver.(*ast.StarExpr); ok {
					receiver = star.X
				}
				if id, ok := receiver.(*ast.Ident); ok {
					name += id.Name + "."
				}
			}
			names := []string{}
			ast.Inspect(f.Body, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					names = append(names, id.Name)
				}
				return true
			})
			all[name+f.Name.Name] = names
		}
	}
	return all
}
