package syntax

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pelletier/go-toml/v2"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestTOMLLines: a value has the line of the table that it stands in.
func TestTOMLLines(t *testing.T) {
	root, wrong := TOML([]byte("a = 1\n\n[t.'k'.\"l\"]\nlist = [\n  'x',\n  {y = 2,\n   z = 3},\n]\n" +
		"[[many]]\n[[many]]\nb = true\n  [ z . z ] # last\nq = '[not.a.table]'\n"))
	if wrong != nil {
		t.Fatal(wrong)
	}
	var got []string
	note(&got, "", root)
	want := []string{
		"a:1 1@1", "t:3", "t.k:3", "t.k.l:3", "t.k.l.list:3", "t.k.l.list.0 x@3", "t.k.l.list.1.y:3 2@3",
		"t.k.l.list.1.z:3 3@3", "many:9", "many.1.b:9 true@9", "z:12", "z.z:12", "z.z.q:12 [not.a.table]@12",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

// TestBrokenTOML: the line of a mistake is that of the mistake, and nesting without end is refused.
func TestBrokenTOML(t *testing.T) {
	for text, line := range map[string]int{
		"a = 1\nb = [\n": 2, "[t]\na = 1\n[t]\n": 3, "a = 1\na = 2\n": 2, "a = b\n": 1,
		"a = " + strings.Repeat("[", maxComposites+1): 1,
	} {
		if _, wrong := TOML([]byte(text)); wrong == nil || wrong.Line != line {
			t.Errorf("%.40q: %+v, want line %d", text, wrong, line)
		}
	}
}

// note reports of each member its line, and of each scalar its text and line.
func note(got *[]string, path string, v Value) {
	scalar := func(at string, v Value) string {
		if v.Kind == Object || v.Kind == List {
			return at
		}
		return fmt.Sprintf("%s %s@%d", at, v.Text, v.Line)
	}
	for _, f := range v.Fields {
		*got = append(*got, scalar(fmt.Sprintf("%s%s:%d", path, f.Key, f.Line), f.Value))
		note(got, path+f.Key+".", f.Value)
	}
	for i, item := range v.Items {
		if item.Kind != Object && item.Kind != List {
			*got = append(*got, scalar(path+strconv.Itoa(i), item))
		}
		note(got, path+strconv.Itoa(i)+".", item)
	}
}

// FuzzTOML compares with the library's own decoder: what it accepts is accepted, with the same content.
func FuzzTOML(f *testing.F) {
	paths, _ := filepath.Glob(filepath.Join("..", "config", "testdata", "load", "codex*.txtar"))
	if len(paths) == 0 {
		f.Fatal("no seeds")
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			f.Add(file.Data)
		}
	}
	f.Add([]byte("a.b.c = [1, [2.5, 0x_1], {x = 1979-05-27T07:32:00Z}]\n[[a.d]]\n[a.d.e]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		clean, err := Decode(data)
		if err != nil {
			return
		}
		var want map[string]any
		if toml.Unmarshal(clean, &want) != nil {
			_, _ = TOML(clean) // it may be more patient, but never panics
			return
		}
		root, wrong := TOML(clean)
		if wrong != nil {
			t.Fatalf("line %d: %s", wrong.Line, wrong.Message)
		}
		if diff := cmp.Diff(plain(want), asPlain(root)); diff != "" {
			t.Errorf("content (-want +got):\n%s", diff)
		}
	})
}

// plain is a decoded value with its scalars as text; of times, which are written in many ways, only that they are there.
func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, member := range v {
			out[key] = plain(member)
		}
		return out
	case []any:
		out := []any{}
		for _, item := range v {
			out = append(out, plain(item))
		}
		return out
	case float64:
		return number64(v)
	case int64:
		return number64(float64(v))
	case time.Time, toml.LocalDate, toml.LocalDateTime, toml.LocalTime:
		return "time"
	case string:
		return timeless(v)
	}
	return fmt.Sprint(v)
}

// timeless is a text, or "time" for what could be one: values do not keep whether it was written in quotes.
func timeless(s string) string {
	var as struct{ X any }
	if toml.Unmarshal([]byte("X = "+s), &as) == nil {
		switch as.X.(type) {
		case time.Time, toml.LocalDate, toml.LocalDateTime, toml.LocalTime:
			return "time"
		}
	}
	return s
}

func number64(f float64) string {
	if math.IsNaN(f) {
		return "NaN"
	}
	return strconv.FormatFloat(f, 'g', 10, 64)
}

func asPlain(v Value) any {
	switch v.Kind {
	case Object:
		out := map[string]any{}
		for _, f := range v.Fields {
			out[f.Key] = asPlain(f.Value)
		}
		return out
	case List:
		out := []any{}
		for _, item := range v.Items {
			out = append(out, asPlain(item))
		}
		return out
	case Number:
		f, _ := strconv.ParseFloat(v.Text, 64)
		return number64(f)
	}
	return timeless(v.Text)
}
