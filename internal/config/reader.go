package config

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/syntax"
)

// fieldReader reads the values of one file or server and collects problems. Their messages hold no value that
// may be secret.
type fieldReader struct {
	file, server string
	rules        func() []string // known rule ids; nil = not checked
	lax          bool            // unknown keys are ignored, as in files of other programs
	problems     []Problem
}

func (r *fieldReader) addProblem(line int, hint, format string, args ...any) {
	r.problems = append(r.problems, Problem{File: r.file, Line: line, Server: r.server,
		Message: fmt.Sprintf(format, args...), Hint: hint})
}

// addLack adds a problem with what the environment lacks; empty = a mistake in the file.
func (r *fieldReader) addLack(line int, hint, lacks, format string, args ...any) {
	r.addProblem(line, hint, format, args...)
	r.problems[len(r.problems)-1].lacks = lacks
}

// maxSuggestions is how many problems of a file get a suggestion: finding the nearest word takes long, and a
// hostile file may have very many problems.
const maxSuggestions = 100

// suggest returns the words nearest to one, as a hint; "" for none.
func (r *fieldReader) suggest(word string, words []string) string {
	if len(r.problems) >= maxSuggestions {
		return ""
	}
	return kit.Suggest(word, words)
}

// forms are hints that show how a kind is written.
var forms = [...]string{
	syntax.Boolean: "write true or false", syntax.Number: "write digits",
	syntax.Text:   "write one string in quotes",
	syntax.List:   `write a list such as ["one", "two"]`,
	syntax.Object: `write an object such as {"name": "value"}`,
}

// is reports whether a value is of a kind, and adds a problem otherwise.
func (r *fieldReader) is(v syntax.Value, k syntax.Kind, name string) bool {
	if v.Kind != k {
		r.addProblem(v.Line, forms[k], "%s must be %s, but is %s", name, k, v.Kind)
	}
	return v.Kind == k
}

// want reports the same for the value of a key.
func (r *fieldReader) want(f syntax.Field, k syntax.Kind) bool {
	return r.is(f.Value, k, strconv.Quote(f.Key))
}

// text returns a string; "" after a problem.
func (r *fieldReader) text(f syntax.Field) string {
	if !r.want(f, syntax.Text) {
		return ""
	}
	return f.Value.Text
}

// flag returns a boolean; fallback after a problem. Files of other programs may have it as a string.
func (r *fieldReader) flag(f syntax.Field, fallback bool) bool {
	if text := strings.ToLower(strings.TrimSpace(f.Value.Text)); r.lax && f.Value.Kind == syntax.Text &&
		(text == "true" || text == "false") {
		return text == "true"
	}
	if !r.want(f, syntax.Boolean) {
		return fallback
	}
	return strings.EqualFold(f.Value.Text, "true")
}

// items returns the items of a list, each with a name for messages.
func (r *fieldReader) items(f syntax.Field) []syntax.Field {
	if !r.want(f, syntax.List) {
		return nil
	}
	items := make([]syntax.Field, len(f.Value.Items))
	for i, v := range f.Value.Items {
		items[i] = syntax.Field{Key: fmt.Sprintf("%s[%d]", f.Key, i), Line: v.Line, Value: v}
	}
	return items
}

// scalars returns the items of a list as text; numbers and booleans are taken as they are written.
func (r *fieldReader) scalars(f syntax.Field) []syntax.Field {
	return slices.DeleteFunc(r.items(f), func(item syntax.Field) bool { return !r.scalar(item) })
}

func (r *fieldReader) scalar(f syntax.Field) bool { return f.Value.Scalar() || r.want(f, syntax.Text) }

// object returns the members of an object. A repeated key, and one that is not in known if that is not nil,
// is a problem.
func (r *fieldReader) object(f syntax.Field, known []string) []syntax.Field {
	name := strconv.Quote(f.Key)
	where := " in " + name
	if f.Key == "" {
		name, where = "the file", ""
	}
	if !r.is(f.Value, syntax.Object, name) {
		return nil
	}
	r.checkKeys(f.Value, where, known)
	return f.Value.Fields
}

// checkKeys adds a problem for each key that is repeated, or not in known if that is not nil.
func (r *fieldReader) checkKeys(v syntax.Value, where string, known []string) {
	again, first := v.Repeated()
	for i, f := range again {
		r.addProblem(f.Line, "keep one of them", "duplicate key %q%s, first on line %d", f.Key, where,
			first[i])
	}
	for _, f := range v.Fields {
		if known != nil && !slices.Contains(known, f.Key) {
			r.addProblem(f.Line, cmp.Or(r.suggest(f.Key, known), "remove it"), "unknown key %q%s", f.Key,
				where)
		}
	}
}

// texts returns the members of an object as text; numbers and booleans are taken as they are written, null as
// absent.
func (r *fieldReader) texts(f syntax.Field) []syntax.Field {
	return slices.DeleteFunc(slices.Clone(r.object(f, nil)), func(m syntax.Field) bool {
		return m.Value.Kind == syntax.Null || !r.scalar(m.In(f.Key))
	})
}

// maxTimeout bounds timeouts: a longer one is a mistake of the unit.
const maxTimeout = 24 * time.Hour

// timeout returns a duration, written as such or as a number in a unit; 0 means the default.
func (r *fieldReader) timeout(f syntax.Field, unit time.Duration) time.Duration {
	t, ok := time.Duration(0), false
	switch f.Value.Kind {
	case syntax.Number:
		t, ok = inUnit(f.Value.Text, unit)
	case syntax.Text:
		parsed, err := time.ParseDuration(f.Value.Text)
		t, ok = parsed, err == nil && parsed >= 0 && parsed <= maxTimeout
	}
	if !ok {
		r.addProblem(f.Value.Line, `write a duration such as "30s"`,
			"%q must be a time between 0 and 24 hours", f.Key)
		return 0
	}
	return t
}

// inUnit returns a number as a duration. Without a unit it is in milliseconds, but in seconds below 1000.
func inUnit(digits string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseFloat(digits, 64)
	if unit == 0 && n < 1000 {
		unit = time.Second
	} else if unit == 0 {
		unit = time.Millisecond
	}
	if err != nil || !(n >= 0 && n <= float64(maxTimeout/unit)) {
		return 0, false
	}
	return time.Duration(n * float64(unit)), true
}
