package diff

import (
	"cmp"
	"slices"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

// ground is what the level of a finding rests on beside its rule, as a set. The id of a rule on schemas says
// who is affected: by input-… the caller, by output-… the reader.
type ground int

const (
	harmless     ground = 1 << iota // proved: no value was right and is wrong now
	breaks                          // such a value exists
	wasClosed                       // the object refused all other members before
	appeared                        // there was nothing before
	vanished                        // there is nothing now
	parameters                      // the media types differ in their parameters only
	inQuery                         // of a variable that a caller may leave out
	moved                           // a default went from the schema into the description
	mended                          // what was against the specification follows it now
	announced                       // the date that an item named for its end has come
	comesAndGoes                    // the server says that its list changes
	sooner                          // an end was brought forward
	unexcused                       // an order to the model without an innocent reading

	byRule ground = 0 // the rule alone
)

// exceptions are all cases in which a finding has another level than its rule in rules.json; the first one
// that fits decides. Their sections are those of docs/compatibility.md. An undecided change is not here:
// it has a rule of its own, input-schema-unproven or output-schema-unproven.
var exceptions = []struct {
	on      ground
	rules   []string      // none = all
	by      finding.Level // only rules of this level; Off = of any
	lenient bool          // not with --semantics strict
	level   finding.Level
}{
	// sections 3 and 4: many servers fill in a default; a careful reader has a branch for unknown values
	{on: breaks, lenient: true, level: finding.Warning, rules: []string{
		"input-required-property-added-with-default", "input-property-became-required-with-default",
		"output-enum-value-added", "output-additional-properties-opened"}},
	// section 4: a map is not closed; it promises members of a type
	{on: breaks | wasClosed, lenient: true, level: finding.Warning, rules: []string{
		"output-optional-property-added", "output-required-property-added"}},
	{on: breaks, level: finding.Breaking},
	// section 5: what is sent or expected goes unheard, or is closed as by additional-properties-closed
	{on: harmless, level: finding.Warning, rules: []string{
		"input-property-removed", "input-property-renamed", "output-property-removed",
		"output-property-renamed", "input-additional-properties-narrowed"}},
	{on: harmless, by: finding.Breaking, level: finding.Info},
	// section 8
	{on: appeared, level: finding.Info, rules: []string{
		"item-description-changed", "prompt-argument-description-changed"}},
	{on: unexcused, level: finding.Breaking, rules: []string{"text-instruction-cue-added"}},
	{on: moved, level: finding.Info, rules: []string{"input-default-removed"}},
	// section 2: a reader of another type of content can be wrong
	{on: appeared, level: finding.Info, rules: []string{"template-mime-type-changed"}},
	{on: vanished, level: finding.Warning, rules: []string{"template-mime-type-changed"}},
	{on: parameters, level: finding.Warning, rules: []string{
		"resource-mime-type-changed", "template-mime-type-changed"}},
	// section 10
	{on: inQuery, level: finding.Info, rules: []string{"template-variable-added"}},
	{on: announced, level: finding.Warning},
	{on: comesAndGoes, level: finding.Warning, rules: []string{"resource-removed"}},
	{on: sooner, level: finding.Warning, rules: []string{"item-sunset-changed"}},
	{on: mended, level: finding.Info, rules: []string{"input-schema-changed"}},
}

// level decides the level of every finding of a comparison. Off is not reported.
func (c *comparison) level(id string, on ground) finding.Level {
	for _, e := range exceptions {
		if on&e.on == e.on && (e.rules == nil || slices.Contains(e.rules, id)) &&
			(e.by == finding.Off || e.by == c.rules[id].Level) && !(e.lenient && c.Strict) {
			return e.level
		}
	}
	if byDefault := c.rules[id].Level; byDefault != finding.Off || !slices.Contains(c.Enable, id) {
		return byDefault
	}
	return finding.Info
}

// report reports a finding whose level is that of its rule.
func (c *comparison) report(id string, f finding.Finding, values ...string) {
	c.reportOn(byRule, id, f, values...)
}

// reportOn completes a finding with its level and what its rule says about it, and keeps it. A message that
// is set already stays. values are names in the rule's sentence, each followed by what it stands for here.
func (c *comparison) reportOn(on ground, id string, f finding.Finding, values ...string) {
	rule := c.rules[id]
	f.Rule, f.Server, f.Level = id, c.Server, c.level(id, on)
	if f.Level == finding.Off {
		return
	}
	f.Verdict = cmp.Or(f.Verdict, finding.ByRule)
	f.Message = cmp.Or(f.Message, rule.message(f, values))
	f.Cause = cmp.Or(f.Cause, rule.cause(f, values))
	f.Calls = c.countCalls(f)
	c.findings = append(c.findings, f)
}
