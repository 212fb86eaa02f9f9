package config

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/match"
)

// reader turns values into what they mean and keeps what is wrong with them.
type reader struct {
	file, server string
	problems     []Problem
	warnings     []Problem
}

// complain keeps a problem. The message must not hold a value that may be secret.
func (r *reader) complain(line int, hint, format string, args ...any) {
	r.problems = append(r.problems, Problem{
		File: r.file, Line: line, Server: r.server, Message: fmt.Sprintf(format, args...), Hint: hint,
	})
}

// warn keeps what should be mended but does not keep a server from running; the message is as in complain.
func (r *reader) warn(line int, hint, format string, args ...any) {
	r.warnings = append(r.warnings, Problem{
		File: r.file, Line: line, Server: r.server, Message: fmt.Sprintf(format, args...), Hint: hint,
	})
}

// want is whether f is of that kind; if not, the problem is kept.
func (r *reader) want(f field, k kind) bool {
	return r.is(f.value, k, strconv.Quote(f.key))
}

// forms are hints that show how a kind is written.
var forms = [...]string{
	boolean: "write true or false", number: "write digits", text: "write one string in quotes",
	list: `write a list such as ["one", "two"]`, object: `write an object such as {"name": "value"}`,
}

// is is whether v is of that kind; if not, the problem is kept.
func (r *reader) is(v value, k kind, what string) bool {
	if v.kind == k {
		return true
	}
	r.complain(v.line, forms[k], "%s must be %s, but is %s", what, k, v.kind)
	return false
}

// text is a string, or "" after a problem.
func (r *reader) text(f field) string {
	if !r.want(f, text) {
		return ""
	}
	return f.value.text
}

// flag is a boolean, or the fallback after a problem.
func (r *reader) flag(f field, fallback bool) bool {
	if !r.want(f, boolean) {
		return fallback
	}
	return strings.EqualFold(f.value.text, "true")
}

// scalars are the items of a list as text; numbers and booleans are taken as written.
func (r *reader) scalars(f field) []field {
	if !r.want(f, list) {
		return nil
	}
	var items []field
	for i, v := range f.value.items {
		item := field{fmt.Sprintf("%s[%d]", f.key, i), v.line, v}
		if r.isScalar(item) {
			items = append(items, item)
		}
	}
	return items
}

// members are the members of an object as text; numbers and booleans are taken as written, null means not there.
func (r *reader) members(f field) []field {
	if !r.want(f, object) {
		return nil
	}
	r.unique(f.value, fmt.Sprintf(" in %q", f.key))
	var members []field
	for _, m := range f.value.fields {
		named := field{f.key + "." + m.key, m.line, m.value}
		if m.value.kind != null && r.isScalar(named) {
			members = append(members, m)
		}
	}
	return members
}

func (r *reader) isScalar(f field) bool {
	switch f.value.kind {
	case text, number, boolean:
		return true
	}
	return r.want(f, text)
}

// unique keeps a problem for every repeated key of v.
func (r *reader) unique(v value, where string) {
	again, first := v.repeated()
	for i, f := range again {
		r.complain(f.line, "keep one of them", "duplicate key %q%s, first on line %d", f.key, where, first[i])
	}
}

// known keeps a problem for every key of v that is not one of keys.
func (r *reader) known(v value, where string, keys []string) {
	for _, f := range v.fields {
		if !slices.Contains(keys, f.key) {
			r.complain(f.line, cmp.Or(match.Suggest(f.key, keys), "remove it"), "unknown key %q%s", f.key, where)
		}
	}
}
