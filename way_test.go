package mcpctl

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
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
}

// TestMaskingIsWhereThePageSays compares the table of docs/architecture.md with the code: each function is there, and the
// packages that name it are those of its row; of a row without packages, there are some.
func TestMaskingIsWhereThePageSays(t *testing.T) {
	page, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	users, functions := map[string][]string{}, bodiesByName(t)
	for _, file := range productFiles(t) {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				name := types.ExprString(s)
				users[name] = append(users[name], filepath.ToSlash(filepath.Dir(file)))
			}
			return true
		})
	}
	function, folder := regexp.MustCompile("`((?:redact|printable)\\.[a-zA-Z.]+)`"), regexp.MustCompile("`((?:cmd|internal|pkg)/[a-z]+)`")
	_, table, _ := strings.Cut(string(page), "## Masking and escaping\n")
	table, _, _ = strings.Cut(table, "\n## ")
	rows := regexp.MustCompile(`(?m)^\| [^|]+ \| ([^|]+) \| ([^|]+) \|$`).FindAllStringSubmatch(table, -1)
	for _, row := range rows[1:] {
		var named, want, got []string
		for _, match := range function.FindAllStringSubmatch(row[1], -1) {
			if named = append(named, match[1]); functions[match[1]] == nil {
				t.Errorf("there is no function %s", match[1])
			}
			got = append(got, users[match[1]]...)
		}
		for _, match := range folder.FindAllStringSubmatch(row[2], -1) {
			want = append(want, match[1])
		}
		slices.Sort(got)
		slices.Sort(want)
		if got = slices.Compact(got); len(got) == 0 || len(want) > 0 && !slices.Equal(got, want) {
			t.Errorf("%s: the page says %s, and %s use it", strings.Join(named, ", "), want, got)
		}
	}
	if len(rows) < 12 {
		t.Errorf("the table has %d rows", len(rows))
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
			names := []string{}
			ast.Inspect(f.Body, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					names = append(names, id.Name)
				}
				return true
			})
			all[functionName(parsed, f)] = names
		}
	}
	return all
}

// TestEachStateHoldsTheOneBefore checks the states of docs/architecture.md, "One server": one function makes each type, zero
// values aside, and the type holds that of the state before.
func TestEachStateHoldsTheOneBefore(t *testing.T) {
	page, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| (declared|admitted|seen) \\| `([a-zA-Z.]+)` \\| `([a-zA-Z.]+)` \\|")
	states := row.FindAllStringSubmatch(string(page), -1)
	if len(states) != 3 {
		t.Fatalf("the page has %d states, want 3", len(states))
	}
	makers, fields := madeAndHeld(t)
	for i, state := range states {
		name, maker := state[2], state[3]
		if got := strings.Join(makers[name], ", "); got != maker {
			t.Errorf("%s is made by %s, want %s", name, got, maker)
		}
		if i > 0 && !slices.Contains(fields[name], states[i-1][2]) {
			t.Errorf("%s has no field of %s", name, states[i-1][2])
		}
	}
}

// madeAndHeld returns, by type, the functions with a composite literal of it that is not empty, and the types of its fields
// without their stars.
func madeAndHeld(t *testing.T) (makers, fields map[string][]string) {
	makers, fields = map[string][]string{}, map[string][]string{}
	for _, file := range productFiles(t) {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		typeOf := func(e ast.Expr) string { // without brackets and stars, with its package
			name := types.ExprString(e)
			name = strings.TrimLeft(name[strings.LastIndex(name, "]")+1:], "*")
			if !strings.Contains(name, ".") {
				name = parsed.Name.Name + "." + name
			}
			return name
		}
		for _, declared := range parsed.Decls {
			where := parsed.Name.Name + ".a variable"
			if f, ok := declared.(*ast.FuncDecl); ok {
				where = functionName(parsed, f)
			}
			ast.Inspect(declared, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CompositeLit:
					if n.Type == nil || len(n.Elts) == 0 || isList(n) && !slices.ContainsFunc(n.Elts, elided) {
						return true
					}
					if name := typeOf(n.Type); !slices.Contains(makers[name], where) {
						makers[name] = append(makers[name], where)
					}
				case *ast.TypeSpec:
					if s, ok := n.Type.(*ast.StructType); ok {
						for _, field := range s.Fields.List {
							fields[typeOf(n.Name)] = append(fields[typeOf(n.Name)], typeOf(field.Type))
						}
					}
				}
				return true
			})
		}
	}
	return makers, fields
}

// isList reports whether a literal is that of an array, a slice or a map.
func isList(n *ast.CompositeLit) bool {
	_, array := n.Type.(*ast.ArrayType)
	_, mapped := n.Type.(*ast.MapType)
	return array || mapped
}

// elided reports whether an element of a list is a literal that leaves its type out.
func elided(e ast.Expr) bool {
	if pair, ok := e.(*ast.KeyValueExpr); ok {
		e = pair.Value
	}
	n, ok := e.(*ast.CompositeLit)
	return ok && n.Type == nil
}

// functionName returns PACKAGE.FUNCTION or PACKAGE.TYPE.METHOD.
func functionName(file *ast.File, f *ast.FuncDecl) string {
	name := file.Name.Name + "."
	if f.Recv != nil {
		name += strings.TrimPrefix(types.ExprString(f.Recv.List[0].Type), "*") + "."
	}
	return name + f.Name.Name
}
