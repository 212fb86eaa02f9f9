package diff

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/schema"
)

// revision is two schemas of one tool, and what is told of them.
type revision struct {
	*comparison
	item          string // Finding.Item
	path          string // JSON pointer of the schemas inside the item
	direction     finding.Direction
	before, after *schema.Schema
	overall       judgement
	work          int  // done so far, in units of maxWork
	invalid       bool // the new schema has parts without a meaning
	unresolved    bool // one of them is a reference
	alone         bool // only one edit has to do with the values
	told          bool // something was told that the values say, not only the remarks
	guilty        bool // a change was told that explains why the whole is not known to be compatible
}

// compareSchemas compares what a tool accepts or promises. The level of each change rests on the verdict of that change alone;
// the verdict on the whole decides whether changes make up for one another, and whether one of them was overlooked.
func compareSchemas(c *comparison, s subject, direction finding.Direction, path string, old, new json.RawMessage) {
	if rawjson.Equal(old, new) {
		return
	}
	r := &revision{comparison: c, item: s.id, path: path, direction: direction}
	var errOld, errNew error
	r.before, errOld = schema.Parse(old)
	r.after, errNew = schema.Parse(new)
	switch {
	case errNew != nil && direction == finding.Input && isObject(viewOf(old)):
		// the root is told of already
	case errNew != nil:
		r.tell("schema-invalid", finding.Finding{Old: old, New: new, Message: fmt.Sprintf("The schema cannot be read: %v.", errNew)})
	case errOld != nil:
		r.tell("schema-changed", finding.Finding{Old: old, New: new, Message: "The old schema could not be read, the new one can."})
	default:
		r.compare()
	}
}

func (r *revision) compare() {
	r.problems()
	r.overall = r.judge(r.after)
	r.combinators()
	edits := schema.Edits(r.before, r.after)
	for _, change := range r.gather(edits) {
		r.change(change)
	}
	r.remainder()
}

// problems reports what has no meaning in the new schema and was not in the old one.
func (r *revision) problems() {
	known := map[string]bool{}
	for _, p := range r.before.Problems() {
		known[p.Message+p.Path] = true
	}
	for _, p := range r.after.Problems() {
		if known[p.Message+p.Path] || strings.HasSuffix(p.Path, "/$schema") {
			continue
		}
		id := "schema-invalid"
		if strings.HasSuffix(p.Path, "Ref") || strings.HasSuffix(p.Path, "$ref") {
			id, r.unresolved = "schema-ref-unresolved", true
		}
		r.invalid = true
		r.tell(id, finding.Finding{Path: p.Path, New: rawjson.Find(r.after.Raw(), p.Path), Message: fmt.Sprintf("At %s: %s.", p.Path, p.Message)})
	}
}

// tell reports a rule of the revision's direction. Paths of f are those inside the schema.
func (r *revision) tell(suffix string, f finding.Finding, words ...string) {
	f.Item, f.Path = r.item, r.path+f.Path
	r.report(string(r.direction)+"-"+suffix, f, append([]string{"name", r.subject("")}, words...)...)
}

// remainder tells what the verdict on the whole says and no change explained.
func (r *revision) remainder() {
	o := r.overall
	f := finding.Finding{Old: r.before.Raw(), New: r.after.Raw()}
	switch {
	case o.equal:
		r.tell("schema-rewritten", f)
	case o.breaking.Verdict == schema.Incompatible && !r.guilty:
		f.Level, f.Witness, f.Verdict = finding.Breaking, o.breaking.Witness, proof(o.breaking.Witness)
		f.Message = fmt.Sprintf("Several changes break %s only together: %s.", r.subject(""), o.breaking.Reason)
		r.tell(o.catchAll(), f)
	case o.breaking.Verdict == schema.Unknown && !r.guilty && !r.invalid:
		r.unproven(f, r.subject(""), o.breaking)
	case !r.told && !r.invalid:
		f.Level = finding.Info
		r.tell(o.catchAll(), f)
	}
}

// unproven tells that nothing is known, and why.
func (r *revision) unproven(f finding.Finding, subject string, result schema.Result) {
	f.Level, f.Verdict = finding.Warning, finding.Unproven
	f.Message = fmt.Sprintf("Whether the change of %s is safe could not be decided: %s.", subject, reason(result))
	r.guilty, r.told = true, true
	r.tell("schema-unproven", f)
}

func reason(result schema.Result) string {
	text := result.Reason
	if text == "" {
		text = "the construct is not understood"
	}
	if result.Path != "" {
		text += " at " + result.Path
	}
	return text
}

func proof(witness json.RawMessage) finding.Verdict {
	if witness == nil {
		return finding.ByRule
	}
	return finding.Proved
}

// judgement is what is known of a new schema, or of the old one with a single change in it.
type judgement struct {
	kept     bool          // proved: all values that were right still are
	inside   bool          // proved: all values that are right were so before
	equal    bool          // proved in both directions
	effect   effect        // narrows, widens or moves; meaningless while equal
	breaking schema.Result // is the direction safe that the other side of the call depends on?
}

// judge compares the old schema with another one. The effect is that on all values; whether it breaks follows the
// chosen semantics.
func (r *revision) judge(other *schema.Schema) judgement {
	kept := r.contains(other, r.before, schema.Strict)   // all that was right still is
	inside := r.contains(r.before, other, schema.Strict) // all that is right was so before
	j := judgement{
		kept: kept.Verdict == schema.Compatible, inside: inside.Verdict == schema.Compatible,
		effect: effectOf(kept, inside, r.direction), breaking: kept,
	}
	j.equal = j.kept && j.inside
	if r.direction == finding.Output {
		j.breaking = inside
	}
	if j.breaking.Verdict == schema.Compatible || r.Strict {
		return j
	}
	if r.direction == finding.Output {
		j.breaking = r.contains(r.before, other, schema.Declared)
	} else {
		j.breaking = r.contains(other, r.before, schema.Declared)
	}
	return j
}

// effectOf names a change. Where a direction is not decided, the one that is names it.
func effectOf(kept, inside schema.Result, direction finding.Direction) effect {
	switch {
	case kept.Verdict == schema.Compatible:
		return widens
	case inside.Verdict == schema.Compatible:
		return narrows
	case kept.Verdict == schema.Incompatible && inside.Verdict == schema.Incompatible:
		return moves
	case kept.Verdict == schema.Incompatible:
		return narrows
	case inside.Verdict == schema.Incompatible || direction == finding.Output:
		return widens
	}
	return narrows
}

// catchAll is the rule for a change that no other rule explains.
func (j judgement) catchAll() string {
	switch j.effect {
	case narrows:
		return "schema-narrowed"
	case widens:
		return "schema-widened"
	}
	return "schema-incomparable"
}

// worse is the judgement of two changes that are told as one.
func worse(a, b judgement) judgement {
	rank := func(j judgement) int {
		switch j.breaking.Verdict {
		case schema.Incompatible:
			return 2
		case schema.Unknown:
			return 1
		}
		return 0
	}
	if rank(b) > rank(a) {
		a.breaking = b.breaking
	}
	a.equal = a.equal && b.equal
	return a
}

// level is how much a change matters: what its verdict says, softened or sharpened where the rule says so.
func (r *revision) level(id string, j judgement) finding.Level {
	byDefault := r.rules[id].Level
	switch {
	case j.breaking.Verdict == schema.Incompatible && r.softened(id):
		return finding.Warning
	case j.breaking.Verdict == schema.Incompatible:
		return finding.Breaking
	case byDefault == finding.Breaking:
		return r.harmless(id)
	}
	return byDefault
}

// softened tells the rules by which somebody is warned only, unless plain sets are asked for: choices of results grow all the
// time, clients read the schema of a closed result anew, and servers fill in what they declare a default for.
func (r *revision) softened(id string) bool {
	switch id {
	case "output-enum-value-added", "output-optional-property-added", "output-required-property-added",
		"output-additional-properties-opened", "input-required-property-added-with-default",
		"input-property-became-required-with-default":
		return !r.Strict
	}
	return false
}

// harmless is the level of a rule that mostly breaks where it is proved that it does not.
func (r *revision) harmless(id string) finding.Level {
	switch id {
	case "input-property-removed", "input-property-renamed", "output-property-removed", "output-property-renamed":
		return finding.Warning // what is sent or expected goes unheard
	}
	return finding.Info
}

// witness is a value that shows the change to break, if it shows it for the new schema as a whole too.
func (r *revision) witness(j judgement) json.RawMessage {
	if j.breaking.Verdict != schema.Incompatible || j.breaking.Witness == nil {
		return nil
	}
	if r.alone {
		return j.breaking.Witness
	}
	value, err := schema.Parse(rawjson.Build(rawjson.Member{Key: "const", Value: j.breaking.Witness}))
	if err != nil {
		return nil
	}
	want := schema.Incompatible // the new schema refuses what the old one accepted
	if r.direction == finding.Output {
		want = schema.Compatible // the new schema allows what the old one did not
	}
	if r.contains(r.after, value, schema.Strict).Verdict != want {
		return nil
	}
	return j.breaking.Witness
}

// compareInput compares what the tool accepts. A tool without a schema, which the specification forbids, takes no arguments.
func compareInput(c *comparison, s subject) {
	old, new := s.old["inputSchema"], s.new["inputSchema"]
	if rawjson.Equal(old, new) {
		return
	}
	compareInputRoot(c, s, old, new)
	compareSchemas(c, s, finding.Input, "/inputSchema", arguments(old), arguments(new))
}

// compareInputRoot looks at what only matters at the root of an input schema.
func compareInputRoot(c *comparison, s subject, old, new json.RawMessage) {
	before, after := viewOf(old), viewOf(new)
	f := finding.Finding{Item: s.id, Path: "/inputSchema", Old: old, New: new}
	switch {
	case isObject(before) && !isObject(after):
		f.Message = `The input schema no longer has "type": "object" at its root.`
		c.report("input-schema-invalid", f)
	case !isObject(before) && isObject(after):
		f.Level, f.Message = finding.Info, `The input schema now has "type": "object" at its root, as it must.`
		c.report("input-schema-changed", f)
	}
}

// combinators reports those that are new at the root of an input schema, if they are more than other words for the same.
func (r *revision) combinators() {
	if r.direction != finding.Input || r.overall.equal {
		return
	}
	before, after := viewOf(r.before.Raw()), viewOf(r.after.Raw())
	for _, keyword := range combinators() {
		if before[keyword] == nil && after[keyword] != nil {
			r.tell("root-combinator-added", finding.Finding{Member: keyword, New: after[keyword]})
		}
	}
}

func isObject(root view) bool { return root.text("type") == "object" }

func combinators() []string { return []string{"anyOf", "oneOf", "allOf", "not"} }

// arguments is an input schema as the protocol reads it: what is sent is an object, whether the root says so or not, and
// a root that says nothing of any property takes none.
func arguments(schema json.RawMessage) json.RawMessage {
	if schema == nil {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	root := viewOf(schema)
	says := func(keyword string) bool { return root[keyword] != nil }
	if len(root) == 0 && string(schema) != "{}" || slices.ContainsFunc(append(combinators(), "$ref", "$dynamicRef", "if"), says) {
		return schema
	}
	if says("type") && (says("properties") || !isObject(root)) {
		return schema
	}
	if !says("type") {
		root["type"] = json.RawMessage(`"object"`)
	}
	if !slices.ContainsFunc([]string{"properties", "additionalProperties", "patternProperties", "unevaluatedProperties"}, says) {
		root["properties"] = json.RawMessage(`{}`)
	}
	return root.json()
}

// The work on one pair of schemas is bounded by a count that is the same on every machine, in units of about a
// microsecond: a server cannot make a comparison last by many changes of an intricate schema. What is left undecided is
// told as unproven.
const (
	maxWork      = 1_000_000
	workPerStep  = 2  // of the schema engine
	bytesPerWork = 16 // of both schemas, which are read for each question
)

// contains asks the schema engine, and counts the work.
func (r *revision) contains(wide, narrow *schema.Schema, semantics schema.Semantics) schema.Result {
	left := (maxWork - r.work) / workPerStep
	if left <= 0 {
		return spent()
	}
	result := schema.Contains(context.Background(), wide, narrow, schema.Budget{
		Steps: min(schema.DefaultSteps, left), Semantics: semantics, AssertFormats: r.AssertFormats,
	})
	r.work += result.Steps*workPerStep + (len(wide.Raw())+len(narrow.Raw()))/bytesPerWork
	return result
}

func spent() schema.Result {
	return schema.Result{Reason: "the budget for the schemas of one tool is spent"}
}
