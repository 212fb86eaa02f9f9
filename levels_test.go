package mcpctl

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestRuleIDsAreWhole finds each rule by the id that is printed: a rule of diff or check stands in the code of its package as
// one literal, and no literal there is a part of an id.
func TestRuleIDsAreWhole(t *testing.T) {
	for _, dir := range []string{"pkg/diff", "pkg/check"} {
		var file struct {
			Rules  []struct{ ID string }
			Schema []struct{ Input, Output struct{ ID string } }
		}
		data, err := os.ReadFile(dir + "/rules.json")
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, &file); err != nil {
			t.Fatal(err)
		}
		ids := map[string]bool{}
		for _, r := range file.Rules {
			ids[r.ID] = true
		}
		for _, r := range file.Schema {
			ids[r.Input.ID], ids[r.Output.ID] = true, true
		}
		if len(ids) < 80 {
			t.Errorf("%s has %d rules", dir, len(ids))
		}
		part := regexp.MustCompile(`^-?(%s|%v|[a-z0-9]+)(-(%s|%v|[a-z0-9]+))*-?$`)
		for _, file := range productFiles(t) {
			if !strings.HasPrefix(file, dir+"/") {
				continue
			}
			inspectFile(t, file, func(at token.Position, n ast.Node) {
				if sum, ok := n.(*ast.BinaryExpr); ok && sum.Op == token.ADD {
					for _, side := range []ast.Expr{sum.X, sum.Y} {
						if text, _ := literal(side); text == "-" {
							t.Errorf("%s: a dash is added: write ids as they are printed", at)
						}
					}
				}
				text, isText := literal(n)
				if !isText || text == "." {
					return
				}
				begun, formatted := strings.Trim(text, "-") != text, strings.Contains(text, "%") && strings.Contains(text, "-")
				if part.MatchString(text) && (begun || formatted) {
					t.Errorf("%s: %q is a part of an id: write ids as they are printed", at, text)
				}
				delete(ids, text)
			})
		}
		for _, id := range slices.Sorted(maps.Keys(ids)) {
			t.Errorf("%s: no code says %q", dir, id)
		}
	}
}

// levelsDecided are the files that set the level of a finding, with what it is there.
var levelsDecided = map[string]string{
	"pkg/diff/level.go":       "of a change",
	"pkg/check/level.go":      "of a problem",
	"internal/call/replay.go": "of a result of a call",
	"pkg/finding/policy.go":   "as the project wants it",
	"pkg/finding/waiver.go":   "of a waiver",
	"pkg/finding/group.go":    "the worst of a group",
	"pkg/finding/finding.go":  "of the rule about results of calls",
	"pkg/diff/rules.go":       "of a rule, from its row",
}

// TestLevelsAreDecidedInOnePlace lets no other file set a level.
func TestLevelsAreDecidedInOnePlace(t *testing.T) {
	used := map[string]bool{}
	for _, file := range productFiles(t) {
		if strings.HasPrefix(file, "internal/report/") { // which shows the levels of others
			continue
		}
		inspectFile(t, file, func(at token.Position, n ast.Node) {
			var set []ast.Expr
			switch n := n.(type) {
			case *ast.AssignStmt:
				set = n.Lhs
			case *ast.KeyValueExpr:
				set = []ast.Expr{n.Key}
			}
			for _, e := range set {
				name, isName := e.(*ast.Ident)
				if field, isField := e.(*ast.SelectorExpr); isField {
					name, isName = field.Sel, true
				} else if _, assigned := n.(*ast.AssignStmt); assigned {
					continue
				}
				if !isName || name.Name != "Level" {
					continue
				}
				if used[at.Filename] = true; levelsDecided[at.Filename] == "" {
					t.Errorf("%s sets a level: say in levelsDecided what it is, or give the facts to pkg/diff/level.go", at)
				}
			}
		})
	}
	for file := range levelsDecided {
		if !used[file] {
			t.Errorf("%s sets no level", file)
		}
	}
}

// inspectFile calls do for each node of a file.
func inspectFile(t *testing.T, file string, do func(token.Position, ast.Node)) {
	t.Helper()
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if n != nil {
			do(fset.Position(n.Pos()), n)
		}
		return true
	})
}

// literal returns the value of a literal text.
func literal(n ast.Node) (text string, ok bool) {
	lit, isLit := n.(*ast.BasicLit)
	if !isLit || lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}
