package diff

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/schema"
)

// DefaultSteps is the work on the schemas of one tool, in steps of some microsecond, the same number on every
// machine. ServerSteps is the work on all tools of a server.
const (
	DefaultSteps = 500_000
	ServerSteps  = 20_000_000
)

// revision is two schemas of one tool, and what was reported about them.
type revision struct {
	*comparison
	*schema.Revision
	item       string          // Finding.Item
	path       string          // JSON pointer of the schemas inside the item
	sent       finding.Finding // with both schemas as they were sent
	direction  finding.Direction
	budget     schema.Budget
	whole      schema.Change // what all edits do together
	invalid    bool          // the new schema has parts without a meaning
	unresolved bool          // one of them is a reference
	reported   bool          // a finding that is about values, not only annotations
}

// compareSchemas compares what a tool accepts or promises. Each edit is judged with the others undone.
func compareSchemas(c *comparison, s subject, direction finding.Direction) {
	key := string(direction) + "Schema"
	old, new := s.old[key], s.new[key]
	sent := finding.Finding{Old: old, New: new}
	if direction == finding.Input {
		old, new = arguments(old), arguments(new)
	}
	if rawjson.Equal(old, new) {
		return
	}
	if c.pool == nil {
		c.skipped = true
		return
	}
	r := &revision{comparison: c, item: s.id, path: "/" + key, sent: sent, direction: direction,
		budget: schema.Budget{Pool: c.pool}}
	if c.Strict {
		r.budget.Semantics = schema.Strict
	}
	if c.pool.Left <= 0 {
		r.unproven(sent, r.subject(""), schema.Result{Reason: "analysis budget exceeded"})
		return
	}
	before, errOld := schema.ParseWithin(c.ctx, old, c.pool)
	after, errNew := schema.ParseWithin(c.ctx, new, c.pool)
	switch {
	case errNew != nil && direction == finding.Input && isObject(viewOf(old)):
		// the finding about the root covers it
	case errNew != nil:
		sent.Message = fmt.Sprintf("The schema cannot be read: %v.", errNew)
		r.reportAs(invalidSchemas, sent)
	case errOld != nil:
		sent.Message = "The old schema could not be read; the new one can."
		r.reportAs(sides{"input-schema-changed", "output-schema-changed"}, sent)
	default:
		r.Revision = schema.Compare(r.ctx, before, after, r.budget)
		r.compare()
	}
}

// compare judges the revision and reports it: first what has no meaning, then each change, then what no
// change explains. The order matters, since later parts leave out what is reported already.
func (r *revision) compare() {
	reportProblems(r)
	side := schema.Input
	if r.direction == finding.Output {
		side = schema.Output
	}
	judged := r.Judge(r.ctx, side, r.budget)
	r.whole = judged.Whole
	reportCombinators(r)
	for _, ch := range r.undecided(r.changes(judged.Changes)) {
		r.evidence = r.evidenceOf(ch)
		r.change(ch)
	}
	if r.evidence = (Evidence{}); r.direction == finding.Input {
		r.evidence = Evidence{Before: r.Before, After: []*schema.Schema{r.After}}
	}
	for _, ch := range judged.Rest {
		r.residual(ch)
	}
	r.remainder()
	r.evidence = Evidence{}
}

// reportProblems reports what has no meaning in the new schema and was not in the old one.
func reportProblems(r *revision) {
	text := func(p schema.Problem) string { return p.Message + p.Path }
	known := kit.Set(kit.Map(r.Before.Problems(), text))
	problems := kit.Filter(r.After.Problems(), func(p schema.Problem) bool {
		return !known[text(p)] && !strings.HasSuffix(p.Path, "/$schema")
	})
	r.invalid = len(problems) > 0
	for _, p := range problems[:min(len(problems), maxListed)] {
		rule := invalidSchemas
		if strings.HasSuffix(p.Path, "Ref") || strings.HasSuffix(p.Path, "$ref") {
			rule, r.unresolved = sides{"input-schema-ref-unresolved", "output-schema-ref-unresolved"}, true
		}
		r.reportAs(rule, finding.Finding{Path: p.Path, New: r.After.At(p.Path),
			Message: fmt.Sprintf("At %s: %s.", p.Path, p.Message)})
	}
	if more := len(problems) - maxListed; more > 0 {
		r.reportAs(invalidSchemas, finding.Finding{New: r.sent.New,
			Message: fmt.Sprintf("%d more parts of the schema are invalid.", more)})
	}
}

// reportAs reports the rule of the revision's direction.
func (r *revision) reportAs(rule sides, f finding.Finding, words ...string) {
	r.reportInside(byRule, rule.of(r.direction), f, words...)
}

// reportInside reports a finding whose path is that inside the schema.
func (r *revision) reportInside(on ground, id string, f finding.Finding, words ...string) {
	f.Item, f.Path = r.item, r.path+f.Path
	f.Old, f.New = onOneLine(f.Old), onOneLine(f.New)
	r.reportOn(on, id, f, append([]string{"name", r.subject("")}, words...)...)
}

// onOneLine returns a value without white space, which differs with the depth of a value.
func onOneLine(raw json.RawMessage) json.RawMessage { return either(raw == nil, nil, asJSON(raw)) }

// remainder reports what the verdict on the whole says and no change explains.
func (r *revision) remainder() {
	f := r.sent
	switch {
	case equal(r.whole): // all edits together say the same in other words
		r.reportAs(sides{"input-schema-rewritten", "output-schema-rewritten"}, f)
	case !r.reported && !r.invalid:
		r.reportInside(harmless, r.valueRule(schema.FamilySchema, effectOf(r.whole, r.direction)), f)
	}
}

// unproven reports a change whose effect is not decided, as a warning. An unknown effect must never pass as a
// harmless one.
func (r *revision) unproven(f finding.Finding, subject string, result schema.Result) {
	f.Verdict = finding.Unproven
	reason := cmp.Or(result.Reason, "unsupported construct")
	if result.Path != "" {
		reason += " at " + result.Path
	}
	f.Message = fmt.Sprintf("The change of %s could not be decided: %s.", subject, reason)
	r.reported = true
	r.reportAs(sides{"input-schema-unproven", "output-schema-unproven"}, f)
}

func equal(ch schema.Change) bool {
	return ch.Kept.Verdict == schema.Compatible && ch.Inside.Verdict == schema.Compatible
}

// effectOf names what a change does to the set of values. Where a direction is not decided, the one that is
// names it.
func effectOf(ch schema.Change, direction finding.Direction) effect {
	kept, inside := ch.Kept.Verdict, ch.Inside.Verdict
	harmless := either(direction == finding.Input, kept, inside) == schema.Compatible
	switch {
	case harmless && ch.Breaks.Verdict == schema.Incompatible: // only together with another change
		return moves
	case kept == schema.Compatible:
		return widens
	case inside == schema.Compatible:
		return narrows
	case kept == schema.Incompatible && inside == schema.Incompatible:
		if ch.Breaks.Verdict == schema.Compatible { // such as one of two alternatives that overlap
			return either(direction == finding.Input, widens, narrows)
		}
		return moves
	case kept == schema.Incompatible:
		return narrows
	case inside == schema.Incompatible || direction == finding.Output:
		return widens
	}
	return narrows
}

// ground returns what the level of a change rests on: whether it breaks, and whether its object was closed.
func (r *revision) ground(ch *change) ground {
	refused := func(keyword string) bool { return schema.RefusesAll(r.Before.At(ch.OldPath + "/" + keyword)) }
	switch {
	case !ch.breaks():
		return harmless
	case ch.Family == schema.FamilyProperty &&
		(refused("additionalProperties") || refused("unevaluatedProperties")):
		return breaks | wasClosed
	}
	return breaks
}

// compareInput compares what the tool accepts. A tool without a schema, which the specification forbids,
// takes no arguments.
func compareInput(c *comparison, s subject) {
	f := s.member("inputSchema")
	switch before, after := isObject(viewOf(f.Old)), isObject(viewOf(f.New)); {
	case before && !after:
		f.Message = `The input schema no longer has "type": "object" at its root.`
		c.report("input-schema-invalid", f)
	case !before && after:
		f.Message = `The input schema now has "type": "object" at its root, as required.`
		f.Cause = `The input schema now has "type": "object" at its root`
		c.reportOn(mended, "input-schema-changed", f)
	}
	compareSchemas(c, s, finding.Input)
}

// reportCombinators reports those that are new at the root of an input schema without any, also where they
// are other words for the same: an API that wants a plain object there reads no meaning.
func reportCombinators(r *revision) {
	if r.direction != finding.Input {
		return
	}
	before, after := viewOf(r.sent.Old), viewOf(r.sent.New)
	if slices.ContainsFunc(combinators(), func(keyword string) bool { return before[keyword] != nil }) {
		return
	}
	for _, keyword := range combinators() {
		if after[keyword] != nil {
			r.reportInside(byRule, "input-root-combinator-added",
				finding.Finding{Member: keyword, New: after[keyword]})
		}
	}
}

func isObject(root view) bool { return root.text("type") == "object" }

func combinators() []string { return []string{"anyOf", "oneOf", "allOf", "not"} }

// arguments returns an input schema as the protocol reads it: an object is sent, and a root that names no
// property takes none.
func arguments(schema json.RawMessage) json.RawMessage {
	if schema == nil {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	root := viewOf(schema)
	says := func(keyword string) bool { return root[keyword] != nil }
	if len(root) == 0 && string(schema) != "{}" ||
		slices.ContainsFunc(append(combinators(), "$ref", "$dynamicRef", "if"), says) {
		return schema
	}
	if says("type") && (says("properties") || !isObject(root)) {
		return schema
	}
	if !says("type") {
		root["type"] = json.RawMessage(`"object"`)
	}
	if !slices.ContainsFunc([]string{"properties", "additionalProperties", "patternProperties",
		"unevaluatedProperties"}, says) {
		root["properties"] = json.RawMessage(`{}`)
	}
	return root.json()
}
