package config

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/syntax"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// keys are the keys of an object, each with where its value goes: a pointer, or a function that reads it.
type keys map[string]any

// decode reads an object and reports whether it is one. Unknown and repeated keys are problems; of a repeated
// one the first counts. Null is as good as no key, except for a *syntax.Field.
func (r *fieldReader) decode(f syntax.Field, into keys) bool {
	seen := map[string]bool{}
	known := kit.SortedKeys(into)
	if r.lax {
		known = nil
	}
	for _, m := range r.object(f, known) {
		field, known := into[m.Key], !seen[m.Key]
		seen[m.Key] = true
		if f.Key != "" {
			m = m.In(f.Key)
		}
		if raw, ok := field.(*syntax.Field); ok && known {
			*raw = m
		}
		if !known || m.Value.Kind == syntax.Null {
			continue
		}
		switch field := field.(type) {
		case func(syntax.Field):
			field(m)
		case *string:
			*field = r.text(m)
		case *bool:
			*field = r.flag(m, false)
		case *int:
			*field = r.limit(m)
		case *finding.Threshold:
			*field = r.threshold(m)
		case *finding.Day:
			*field = r.day(m)
		case *map[string]finding.Level:
			*field = r.levels(m)
		}
	}
	return f.Value.Kind == syntax.Object
}

// decodeList reads the items of a list. Those that have a problem are left out.
func decodeList[T any](r *fieldReader, f syntax.Field, read func(syntax.Field) T) []T {
	var all []T
	for _, item := range r.items(f) {
		before := len(r.problems)
		if decoded := read(item); len(r.problems) == before {
			all = append(all, decoded)
		}
	}
	return all
}

// source returns where a value is written.
func (r *projectReader) source(f syntax.Field) finding.Location {
	return finding.Location{File: r.fieldReader.file, Line: f.Line}
}

// waiver reads one item of "waivers".
func (r *projectReader) waiver(f syntax.Field) finding.Waiver {
	w := finding.Waiver{Source: r.source(f)}
	if r.decode(f, keys{"rule": &w.Rule, "server": &w.Server, "item": &w.Item, "path": &w.Path,
		"fingerprint": &w.Fingerprint, "reason": &w.Reason, "owner": &w.Owner, "expires": &w.Expires}) {
		r.require(f, "reason", w.Reason, "say why the finding is accepted")
		if r.require(f, "rule", w.Rule, "name the rule of the finding") {
			r.pattern(f, w.Rule)
		}
	}
	return w
}

// tolerance reads one item of "tolerate".
func (r *projectReader) tolerance(f syntax.Field) finding.Tolerance {
	t := finding.Tolerance{Source: r.source(f)}
	if r.decode(f, keys{"server": &t.Server, "reason": &t.Reason, "expires": &t.Expires}) {
		r.require(f, "reason", t.Reason, "say why the server may fail")
		r.require(f, "server", t.Server, "name the server that may fail")
	}
	return t
}

// require reports whether a key has a text, and adds a problem otherwise.
func (r *fieldReader) require(f syntax.Field, key, text, hint string) bool {
	if text == "" {
		r.addProblem(f.Line, hint, "%q has no %q", f.Key, key)
	}
	return text != ""
}

// limit reads a budget.
func (r *fieldReader) limit(f syntax.Field) int {
	n, err := strconv.Atoi(f.Value.Text)
	if f.Value.Kind != syntax.Number || err != nil || n < 1 {
		r.addProblem(f.Value.Line, "leave it out for no limit", "%q must be a whole number above 0", f.Key)
		return 0
	}
	return n
}

// threshold reads a threshold; "" after a problem.
func (r *fieldReader) threshold(f syntax.Field) finding.Threshold {
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
func (r *fieldReader) levels(f syntax.Field) map[string]finding.Level {
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
func (r *fieldReader) day(f syntax.Field) finding.Day {
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

const rulesHint = "list all rules with mcpctl rules"

// rule adds a problem for an unknown rule id.
func (r *fieldReader) rule(id string, line int) {
	if r.rules != nil && !slices.Contains(r.rules(), id) {
		r.addProblem(line, cmp.Or(r.suggest(id, r.rules()), rulesHint), "unknown rule %q", id)
	}
}

// pattern adds a problem for an id or pattern that matches no rule.
func (r *projectReader) pattern(waiver syntax.Field, rule string) {
	key, _ := waiver.Value.Get("rule")
	switch {
	case r.rules == nil:
	case !kit.IsGlob(rule):
		r.rule(rule, key.Line)
	case !slices.ContainsFunc(r.rules(), func(id string) bool { return kit.Glob(rule, id) }):
		r.addProblem(key.Line, rulesHint, "no rule matches %q", rule)
	}
}
