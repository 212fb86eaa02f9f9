package diff

import (
	"encoding/json"

	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/schema"
)

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

// softened tells the rules by which a reader is warned only, unless plain sets are asked for.
func (r *revision) softened(id string) bool {
	return !r.Strict && (id == "output-enum-value-added" || id == "output-optional-property-added")
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
	value, err := schema.Parse(object{"const": rawLeaf(j.breaking.Witness)}.raw())
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

func rawLeaf(raw json.RawMessage) leaf { return leaf{string(raw), string(raw)} }

func (o object) raw() json.RawMessage { return encode(nil, o) }
