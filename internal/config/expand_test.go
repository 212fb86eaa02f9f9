package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// testExpander knows SET, EMPTY and one input.
func testExpander() expander {
	env := map[string]string{"SET": "value", "EMPTY": "", "ProgramFiles(x86)": "pf", "MCPCTL_INPUT_API_KEY_2": "answer"}
	return expander{home: "/home/me", folder: "/src/project", lookup: func(name string) (string, bool) {
		value, ok := env[name]
		return value, ok
	}}
}

func TestExpand(t *testing.T) {
	for in, want := range map[string][2]string{
		"":                           {"", ""},
		"plain":                      {"plain", "plain"},
		"${SET}":                     {"value", "${SET}"},
		"a${SET}b${env:SET}c":        {"avaluebvaluec", "a${SET}b${env:SET}c"},
		"${EMPTY}":                   {"", "${EMPTY}"},
		"${SET:-x}":                  {"value", "${SET:-x}"},
		"${EMPTY:-x}":                {"x", "${EMPTY:-x}"},
		"${UNSET:-x}":                {"x", "${UNSET:-x}"},
		"${UNSET:-}":                 {"", "${UNSET:-}"},
		"${env:UNSET:-x}":            {"x", "${env:UNSET:-x}"},
		"${UNSET:-a ${SET} b}":       {"a value b", "${UNSET:-a ${SET} b}"},
		"${UNSET:-{\"a\":{}}}":       {`{"a":{}}`, "${UNSET:-{\"a\":{}}}"},
		"${UNSET:-http://h:1/-:-}":   {"http://h:1/-:-", "${UNSET:-http://h:1/-:-}"},
		"${workspaceFolder}/x":       {"/src/project/x", "/src/project/x"},
		"${workspaceFolderBasename}": {"project", "project"},
		"${userHome}":                {"/home/me", "/home/me"},
		"${input:api-key.2}":         {"answer", "${input:api-key.2}"},
		"${ProgramFiles(x86)}":       {"pf", "${ProgramFiles(x86)}"},
		"$${SET}":                    {"${SET}", "$${SET}"},
		"$$${SET}":                   {"$${SET}", "$$${SET}"},
		"$SET $ $$ $5":               {"$SET $ $$ $5", "$SET $ $$ $5"},
		"%SET% {SET} $(SET)":         {"%SET% {SET} $(SET)", "%SET% {SET} $(SET)"},
	} {
		got := testExpander().expand(in)
		if diff := cmp.Diff(want, [2]string{got.value, got.shown}); diff != "" || len(got.missing) > 0 {
			t.Errorf("expand(%q) (-want +got):\n%s missing: %v", in, diff, got.missing)
		}
	}
}

func TestExpandKeepsWhatIsMissing(t *testing.T) {
	for in, want := range map[string]string{
		"${UNSET}":          "the variable UNSET is not set",
		"${env:UNSET}":      "the variable UNSET is not set",
		"${UNSET:-${ALSO}}": "the variable ALSO is not set",
		"${input:other}":    `the input "other" has no value`,
		"${SET":             `"${" without "}"`,
		"${workspaceRoot:}": "the variable ${workspaceRoot:…} is not supported",
		"${command:x.y}":    "the variable ${command:…} is not supported",
		"${s3cr3t word}":    "the variable ${…} is not supported",
	} {
		missing := testExpander().expand(in).missing
		if len(missing) != 1 || missing[0].message != want || missing[0].hint == "" {
			t.Errorf("expand(%q) misses %v, want %q with a hint", in, missing, want)
		}
	}
}

// TestSources names the variables of a text, and none where a form of shells is not supported.
func TestSources(t *testing.T) {
	for in, want := range map[string][]string{
		"${SET} ${env:UNSET:-${ALSO}} ${userHome}": {"ALSO", "SET", "UNSET"},
		"${input:key}":                         {"input key"},
		"${UNSET-x}${UNSET:=x}${!SET}${SET,,}": nil,
		"${ProgramFiles(x86)}${a.b:-${SET}}":   {"ProgramFiles(x86)", "SET", "a.b"},
	} {
		if diff := cmp.Diff(want, unique(testExpander().expand(in).sources)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", in, diff)
		}
	}
}

func TestExpandWithoutEnvironment(t *testing.T) {
	var zero expander
	if got := zero.expand("a ${userHome} ${X}"); len(got.missing) != 2 || got.value != "a  " {
		t.Errorf("expand = %q, missing %v", got.value, got.missing)
	}
}

// A hostile string costs no more than its length.
func TestExpandLongStrings(t *testing.T) {
	for _, in := range []string{
		strings.Repeat("$", 1<<20), strings.Repeat("${", 1<<19), strings.Repeat("${A}", 1<<18), strings.Repeat("${A:-", 1<<18),
	} {
		if missing := testExpander().expand(in).missing; len(missing) > maxUnresolved {
			t.Errorf("%d problems of one string", len(missing))
		}
	}
}

func FuzzExpand(f *testing.F) {
	f.Add("${SECRET} $${SECRET} ${A:-${SECRET}}")
	f.Fuzz(func(t *testing.T, in string) {
		const secret = "\x01secret\x01"
		x := expander{folder: "/f", home: "/h", lookup: func(name string) (string, bool) { return secret, name == "SECRET" }}
		got := x.expand(in)
		if !strings.Contains(in, "$") && (got.value != in || got.shown != in || len(got.missing) > 0) {
			t.Errorf("expand(%q) = %+v without a variable", in, got)
		}
		if strings.Contains(got.shown, secret) && !strings.Contains(in, secret) {
			t.Errorf("expand(%q) shows the secret: %q", in, got.shown)
		}
		escaped := strings.Contains(in, "$${") || strings.Contains(in, ":-")
		if !escaped && len(got.missing) == 0 && strings.Contains(got.value, "${") {
			t.Errorf("expand(%q) sends a literal variable: %q", in, got.value)
		}
	})
}
