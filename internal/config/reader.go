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

// fieldReader turns values into what they mean and keeps problems, whose messages hold no value that may be
// secret.
type fieldReader struct {
	file, server       string
	problems, warnings []Problem
}

func (r *fieldReader) problem(line int, hint, format string, args ...any) Problem {
	return Problem{File: r.file, Line: line, Server: r.server, Message: fmt.Sprintf(format, args...),
		Hint: hint}
}

func (r *fieldReader) complain(line int, hint, format string, args ...any) {
	r.problems = append(r.problems, r.problem(line, hint, format, args...))
}

// maxExplained is how many mistakes of one kind are explained in full: looking for what was meant takes long,
// and a file of a megabyte has room for very many.
const maxExplained = 100

// suggest is what a word was probably meant to be, for the first mistakes of a file.
func (r *fieldReader) suggest(word string, words []string) string {
	if len(r.problems) >= maxExplained {
		return ""
	}
	return kit.Suggest(word, words)
}

// warn keeps what should be mended but does not keep a server from running.
func (r *fieldReader) warn(line int, hint, format string, args ...any) {
	r.warnings = append(r.warnings, r.problem(line, hint, format, args...))
}

// forms are hints that show how a kind is written.
var forms = [...]string{
	syntax.Boolean: "write true or false", syntax.Number: "write digits",
	syntax.Text:   "write one string in quotes",
	syntax.List:   `write a list such as ["one", "two"]`,
	syntax.Object: `write an object such as {"name": "value"}`,
}

func (r *fieldReader) is(v syntax.Value, k syntax.Kind, what string) bool {
	if v.Kind != k {
		r.complain(v.Line, forms[k], "%s must be %s, but is %s", what, k, v.Kind)
	}
	return v.Kind == k
}

// want is whether f is of that kind; if not, the problem is kept.
func (r *fieldReader) want(f syntax.Field, k syntax.Kind) bool {
	return r.is(f.Value, k, strconv.Quote(f.Key))
}

func (r *fieldReader) text(f syntax.Field) string {
	if !r.want(f, syntax.Text) {
		return ""
	}
	return f.Value.Text
}

// flag is a boolean, or the fallback after a problem.
func (r *fieldReader) flag(f syntax.Field, fallback bool) bool {
	if !r.want(f, syntax.Boolean) {
		return fallback
	}
	return strings.EqualFold(f.Value.Text, "true")
}

// items are those of a list, each with a name for messages.
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

// scalars are the items of a list as text; numbers and booleans are taken as written.
func (r *fieldReader) scalars(f syntax.Field) []syntax.Field {
	return slices.DeleteFunc(r.items(f), func(item syntax.Field) bool { return !r.scalar(item) })
}

func (r *fieldReader) scalar(f syntax.Field) bool { return f.Value.Scalar() || r.want(f, syntax.Text) }

// object are the members of an object; one that is there twice, or not among known when that is not nil, is a
// problem.
func (r *fieldReader) object(f syntax.Field, known []string) []syntax.Field {
	if !r.want(f, syntax.Object) {
		return nil
	}
	r.keys(f.Value, fmt.Sprintf(" in %q", f.Key), known)
	return f.Value.Fields
}

// members reads an object by a table of what its members mean; others are mistakes if it is strict.
func (r *fieldReader) members(f syntax.Field, strict bool, means map[string]func(syntax.Field)) {
	var known []string
	if strict {
		known = kit.SortedKeys(means)
	}
	for _, m := range r.object(f, known) {
		if read := means[m.Key]; read != nil {
			read(m.In(f.Key))
		}
	}
}

// texts are the members of an object as text; numbers and booleans are taken as written, null means not
// there.
func (r *fieldReader) texts(f syntax.Field) []syntax.Field {
	return slices.DeleteFunc(slices.Clone(r.object(f, nil)), func(m syntax.Field) bool {
		return m.Value.Kind == syntax.Null || !r.scalar(m.In(f.Key))
	})
}

// keys keeps a problem for every key of v that was there before, and for every one that is not known, unless
// known is nil.
func (r *fieldReader) keys(v syntax.Value, where string, known []string) {
	again, first := v.Repeated()
	for i, f := range again {
		r.complain(f.Line, "keep one of them", "duplicate key %q%s, first on line %d", f.Key, where, first[i])
	}
	for _, f := range v.Fields {
		if known != nil && !slices.Contains(known, f.Key) {
			r.complain(f.Line, cmp.Or(r.suggest(f.Key, known), "remove it"), "unknown key %q%s", f.Key, where)
		}
	}
}

// Limits and hints of times.
const (
	maxTimeout  = 24 * time.Hour // a longer one is a mistake of the unit
	timeoutHint = `write a duration such as "30s"`
)

// timeout reads a duration string or a number in a unit. Zero means the default.
func (r *fieldReader) timeout(f syntax.Field, unit time.Duration) time.Duration {
	var t time.Duration
	var ok bool
	switch f.Value.Kind {
	case syntax.Number:
		t, ok = inUnit(f.Value.Text, unit)
	case syntax.Text:
		parsed, err := time.ParseDuration(f.Value.Text)
		t, ok = parsed, err == nil && parsed >= 0 && parsed <= maxTimeout
	default:
		r.complain(f.Value.Line, timeoutHint, "%q must be a number or a duration, but is %s", f.Key,
			f.Value.Kind)
		return 0
	}
	if !ok {
		r.complain(f.Value.Line, timeoutHint, "%q is not a time between 0 and 24 hours", f.Key)
		return 0
	}
	return t
}

// inUnit reads a number; unit 0 takes it as milliseconds, but as seconds below 1000.
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
