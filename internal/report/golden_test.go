package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// fixture is one file of testdata/cases: a report, and how its table is to be written.
type fixture struct {
	Report
	Options Options
}

// cases are the fixtures by name.
func cases(t testing.TB) map[string]fixture {
	t.Helper()
	files, err := filepath.Glob("testdata/cases/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases in testdata/cases: %v", err)
	}
	all := map[string]fixture{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var shown struct {
			Options struct{ Items, Raw, Waived bool }
		}
		_, r, err := decode(raw, bodyNamed)
		if err = errors.Join(err, json.Unmarshal(raw, &shown)); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		switch b := r.Body.(type) {
		case *Listing:
			b.Items = shown.Options.Items
		case *Show:
			b.Raw = shown.Options.Raw
		}
		all[strings.TrimSuffix(file, ".json")] = fixture{*r, Options{Waived: shown.Options.Waived}}
	}
	return all
}

func written(t testing.TB, format string, r *Report, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, format, r, o); err != nil {
		t.Fatalf("writing %s: %v", format, err)
	}
	return b.String()
}

// TestGolden writes each case in every format, the table in several widths, and compares with the file beside it.
func TestGolden(t *testing.T) {
	for name, one := range cases(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			got := gallery(t, one)
			checkGolden(t, name+".golden", got)
		})
	}
}

// checkGolden compares a text with a file, which -update writes.
func checkGolden(t testing.TB, file, got string) {
	t.Helper()
	if *update {
		err := os.MkdirAll(filepath.Dir(file), 0o755)
		if err = errors.Join(err, os.WriteFile(file, []byte(got), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// gallery is every form of a report in one text; escape characters are shown as ␛.
func gallery(t testing.TB, one fixture) string {
	var b strings.Builder
	o := one.Options
	for _, o.Width = range []int{40, 80, 120, 0} {
		fmt.Fprintf(&b, "=== table, width %d\n%s", o.Width, written(t, "table", &one.Report, o))
	}
	o.Width, o.Color = 80, true
	fmt.Fprintf(&b, "=== table, width 80, colour\n%s", written(t, "table", &one.Report, o))
	for _, format := range []string{"json", "yaml"} {
		fmt.Fprintf(&b, "=== %s\n%s", format, written(t, format, &one.Report, o))
	}
	return strings.ReplaceAll(b.String(), "\x1b", "␛")
}
