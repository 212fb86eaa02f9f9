package config

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/syntax"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// decoder decodes values into structs. A key that a struct lacks is a problem.
type decoder struct {
	*fieldReader
	rules func() []string // known rule ids; nil = not checked
}

// decode reads a value into the variable that into points at. The keys of an object are the fields of a
// struct, in kebab-case.
func (r decoder) decode(f syntax.Field, into any) {
	switch into := into.(type) {
	case *syntax.Field:
		*into = f
	case *string:
		*into = r.text(f)
	case *bool:
		*into = r.flag(f, false)
	case *int:
		*into = r.limit(f)
	case *finding.Threshold:
		*into = r.threshold(f)
	case *finding.Day:
		*into = r.day(f)
	case *map[string]finding.Level:
		*into = r.levels(f)
	default:
		r.decodeAll(f, reflect.ValueOf(into).Elem())
	}
	if f.Value.Kind != syntax.Object {
		return
	}
	switch into := into.(type) {
	case *finding.Waiver:
		into.Source = finding.Location{File: r.file, Line: f.Line}
		r.require(f, "reason", into.Reason, "say why the finding is accepted")
		if r.require(f, "rule", into.Rule, "name the rule of the finding") {
			r.pattern(f, into.Rule)
		}
	case *expectKeys:
		into.Source = finding.Location{File: r.file, Line: f.Line}
		r.require(f, "server", into.Server, "name the server")
		r.require(f, "tool", into.Tool, "name the tool")
	case *finding.Tolerance:
		into.Source = finding.Location{File: r.file, Line: f.Line}
		r.require(f, "reason", into.Reason, "say why the server may fail")
		r.require(f, "server", into.Server, "name the server that may fail")
	}
}

// decodeAll decodes lists and objects. Items of a list that have a problem are left out.
func (r decoder) decodeAll(f syntax.Field, into reflect.Value) {
	switch into.Kind() {
	case reflect.Pointer:
		into.Set(reflect.New(into.Type().Elem()))
		r.decode(f, into.Interface())
	case reflect.Slice:
		into.Set(reflect.MakeSlice(into.Type(), 0, 0))
		for _, item := range r.items(f) {
			decoded, before := reflect.New(into.Type().Elem()), len(r.problems)
			if r.decode(item, decoded.Interface()); len(r.problems) == before {
				into.Set(reflect.Append(into, decoded.Elem()))
			}
		}
	case reflect.Map:
		into.Set(reflect.MakeMap(into.Type()))
		for _, member := range r.object(f, nil) {
			decoded := reflect.New(into.Type().Elem())
			r.decode(member.In(f.Key), decoded.Interface())
			into.SetMapIndex(reflect.ValueOf(member.Key), decoded.Elem())
		}
	case reflect.Struct:
		fields := keysOf(into.Type())
		for _, member := range r.object(f, kit.SortedKeys(fields)) {
			i, known := fields[member.Key]
			if !known {
				continue
			}
			delete(fields, member.Key) // of a repeated key the first counts
			field := into.FieldByIndex(i)
			_, raw := field.Interface().(syntax.Field)
			if f.Key != "" {
				member = member.In(f.Key)
			}
			if raw || member.Value.Kind != syntax.Null {
				r.decode(member, field.Addr().Interface())
			}
		}
	}
}

// keysOf returns the keys that an object has for the fields of a struct: their names in kebab-case, or their
// tags.
func keysOf(t reflect.Type) map[string][]int {
	keys := map[string][]int{}
	for i := range t.NumField() {
		if f := t.Field(i); f.Type != reflect.TypeFor[finding.Location]() {
			key := cmp.Or(f.Tag.Get("key"), strings.ToLower(capital().ReplaceAllString(f.Name, "$1-$2")))
			keys[key] = f.Index
		}
	}
	return keys
}

// capital matches the boundaries of words in the name of a Go field.
var capital = kit.Pattern(`([a-z])([A-Z])`)

// require reports whether a key has a text, and adds a problem otherwise.
func (r decoder) require(f syntax.Field, key, text, hint string) bool {
	if text == "" {
		r.addProblem(f.Line, hint, "%q has no %q", f.Key, key)
	}
	return text != ""
}

// limit reads a budget.
func (r decoder) limit(f syntax.Field) int {
	n, err := strconv.Atoi(f.Value.Text)
	if f.Value.Kind != syntax.Number || err != nil || n < 1 {
		r.addProblem(f.Value.Line, "leave it out for no limit", "%q must be a whole number above 0", f.Key)
		return 0
	}
	return n
}

// threshold reads a threshold; "" after a problem.
func (r decoder) threshold(f syntax.Field) finding.Threshold {
	if !r.want(f, syntax.Text) {
		return ""
	}
	threshold, err := finding.ParseThreshold(f.Value.Text)
	if err != nil {
		r.addProblem(f.Value.Line, kit.Suggest(f.Value.Text,
			[]string{"breaking", "used-breaking", "warning", "info", "any", "never"}), "%q: %v", f.Key, err)
		return ""
	}
	return threshold
}

// levels reads the levels of rules, by rule id. A rule with an invalid level is left out.
func (r decoder) levels(f syntax.Field) map[string]finding.Level {
	levels := map[string]finding.Level{}
	for _, m := range r.texts(f) {
		r.rule(m.Key, m.Line)
		level, err := finding.ParseLevel(m.Value.Text)
		if err != nil {
			r.addProblem(m.Value.Line, kit.Suggest(m.Value.Text,
				[]string{"breaking", "warning", "info", "off"}), "rule %q: %v", m.Key, err)
			continue
		}
		levels[m.Key] = level
	}
	return levels
}

// day reads a day; "" if there is none, and after a problem.
func (r decoder) day(f syntax.Field) finding.Day {
	text := r.text(f)
	if text == "" {
		return ""
	}
	day, err := finding.ParseDay(text)
	if err != nil {
		r.addProblem(f.Value.Line, "write a day such as 2026-12-31", "%q is not a day", f.Key)
	}
	return day
}

const rulesHint = "mcpctl rules lists all rules"

// rule adds a problem for an unknown rule id.
func (r decoder) rule(id string, line int) {
	if r.rules != nil && !slices.Contains(r.rules(), id) {
		r.addProblem(line, cmp.Or(r.suggest(id, r.rules()), rulesHint), "unknown rule %q", id)
	}
}

// pattern adds a problem for an id or pattern that matches no rule.
func (r decoder) pattern(waiver syntax.Field, rule string) {
	key, _ := waiver.Value.Get("rule")
	switch {
	case r.rules == nil:
	case !kit.IsGlob(rule):
		r.rule(rule, key.Line)
	case !slices.ContainsFunc(r.rules(), func(id string) bool { return kit.Glob(rule, id) }):
		r.addProblem(key.Line, rulesHint, "no rule matches %q", rule)
	}
}
