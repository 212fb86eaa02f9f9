// Package diff compares what a server offered with what it offers now.
//
//	breaks, err := diff.Breaking(ctx, old, new, diff.Options{Server: "github"})
//
// Breaking answers whether it breaks clients; Compare returns all that changed. Each difference becomes one
// finding of one rule, at the deepest place that holds it, with the value before and after.
// docs/compatibility.md says what counts as breaking and why; Rules lists all that can be found.
//
// Stability: the ids of rules stay for good; a rule's level and what it covers change only with a line in
// CHANGELOG.md. The Go API follows semantic versioning; before 1.0.0 a minor version may change it.
package diff

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/schema"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Options tune a comparison. The zero value is the default one.
type Options struct {
	Server string // name of the server in each finding
	Strict bool   // schemas are compared as plain sets of values (--semantics strict)
	// ids of rules that shall speak where they are silent by default; those that are off, as info
	Enable     []string
	ItemBudget int       // bytes that one item may take before text-size-grew speaks; 0 = no budget
	Now        time.Time // by which an announced date has come; zero = none has
	Steps      int       // work on the schemas of all tools; 0 = ServerSteps

	recorded func(Evidence) *finding.Calls // see Counting
}

// Counting returns options with a function that counts the recorded calls which a breaking or warning finding
// affects.
func (o Options) Counting(count func(Evidence) *finding.Calls) Options {
	o.recorded = count
	return o
}

// Evidence is what decides whether a recorded call of a tool is affected by a finding about it. Where nothing
// but Tool is set, no call can decide that.
type Evidence struct {
	Tool    string // its name on the old side; empty = the whole server
	Removed bool   // every call fails
	// a call fails if Before accepts its arguments and each of After rejects them
	Before *schema.Schema
	After  []*schema.Schema
	// only calls that send something at one of these JSON pointers may be affected; "[]" stands for every
	// item, "*" for every property
	Sent []string
}

// Compare returns what changed from old to new, sorted as finding.Sort does; a nil side does not have the
// server. A server that could not be asked must not be compared. It does not panic, for any input; a nil ctx
// never ends. When ctx ends, or for a change that is too large (TooLargeError), there is an error and no
// finding.
func Compare(ctx context.Context, old, new *snapshot.Snapshot, options Options) ([]finding.Finding, error) {
	ctx = cmp.Or(ctx, context.Background())
	c := &comparison{ctx: ctx, Options: options, rules: catalogue()}
	if old == nil || new == nil {
		if old != nil || new != nil {
			c.report(either(new == nil, "server-removed", "server-added"), finding.Finding{})
		}
		if old == nil && new != nil {
			findInServer(c, new)
		}
		return c.findings, ctx.Err()
	}
	if old.Size()+new.Size() > MostBytes {
		if changed := changedBytes(old, new); changed > MostBytes {
			return nil, &TooLargeError{changed}
		}
	}
	compareScope(c, old, new)
	compareServer(c, old, new)
	for _, kind := range snapshot.Kinds() {
		compareList(c, kind, old, new)
	}
	shareRenames(c.findings)
	compareVersionStep(c, old, new)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return finding.Limit(c.findings, finding.Room(old.Size()+new.Size())), nil
}

// Breaking returns the findings of Compare that break clients of old, each with an example in Witness unless
// the change itself is the proof. None and no error means that a client of old works with new, as
// docs/compatibility.md defines it. What could not be decided is an *UnknownError, found with errors.As: the
// findings beside it are certain, there may be more, and a guard takes it as a break.
func Breaking(ctx context.Context, old, new *snapshot.Snapshot, options Options) ([]finding.Finding, error) {
	all, err := Compare(ctx, old, new, options)
	if err != nil {
		return nil, err
	}
	var breaks []finding.Finding
	unknown := &UnknownError{}
	for _, f := range all {
		switch {
		case f.Level == finding.Breaking:
			breaks = append(breaks, f)
		case f.Rule == IncompleteRule || f.Verdict == finding.Unproven:
			unknown.Findings = append(unknown.Findings, f)
		}
	}
	for _, side := range []*snapshot.Snapshot{old, new} {
		if side != nil {
			unknown.Lists = append(unknown.Lists, side.Incomplete()...)
		}
	}
	if len(unknown.Findings)+len(unknown.Lists) == 0 {
		return breaks, nil
	}
	return breaks, unknown
}

// UnknownError says what was not decided.
type UnknownError struct {
	Findings []finding.Finding // of schemas: rare keywords, or too much work
	Lists    []snapshot.List   // of either side that are not whole
}

// Error says it in one line.
func (e *UnknownError) Error() string {
	unknown := kit.Map(e.Findings, func(f finding.Finding) string { return f.Item + ": " + f.Message })
	return "not decided: " + kit.Some(append(unknown, kit.Map(e.Lists, func(l snapshot.List) string {
		return "the list of " + l.Kind.Plural() + ": " + l.Problem
	})...))
}

// MostBytes is how much may differ, in bytes of both sides, to be compared: more could take gigabytes of
// memory.
const MostBytes = 8 << 20

// TooLargeError says that more changed than is compared. Nothing is known of it.
type TooLargeError struct{ Bytes int }

// Error names both sizes.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%.1f MiB changed on both sides; at most %d MiB are compared",
		float64(e.Bytes)/(1<<20), MostBytes>>20)
}

// changedBytes returns how many bytes of either side the other one does not have.
func changedBytes(old, new *snapshot.Snapshot) (total int) {
	seed := maphash.MakeSeed()
	before, after := sizes(seed, old), sizes(seed, new)
	for digest, size := range before {
		if _, both := after[digest]; !both {
			total += size
		}
	}
	for digest, size := range after {
		if _, both := before[digest]; !both {
			total += size
		}
	}
	return total
}

// sizes returns the sizes of the parts of a snapshot in bytes, by their digests.
func sizes(seed maphash.Seed, s *snapshot.Snapshot) map[uint64]int {
	parts := append(slices.Collect(maps.Values(s.Extra)), s.Server, s.Capabilities,
		rawjson.Quote(s.Instructions), asJSON(s.Supported))
	for _, kind := range snapshot.Kinds() {
		for _, item := range s.List(kind).Items() {
			parts = append(parts, item.Raw)
		}
	}
	sizes := map[uint64]int{}
	for _, part := range parts {
		sizes[rawjson.Digest(seed, part)] += len(part)
	}
	return sizes
}

type comparison struct {
	ctx context.Context // of the one call that this is for
	Options
	rules    map[string]rule
	findings []finding.Finding

	modern  bool            // the new side speaks 2026-07-28 or later
	eras    bool            // the sides are of different eras
	dynamic bool            // the new side says that its list of resources comes and goes
	names   map[string]bool // of all tools of the new side
	pool    *schema.Pool    // for the schemas of one item; nil where the work of the server is done
	skipped bool            // the schemas of the item differ and were not compared

	evidence Evidence // of the finding that is reported next
}

// countCalls asks the function of Options.Counting about a finding that matters and is about a tool or the
// whole server.
func (c *comparison) countCalls(f finding.Finding) *finding.Calls {
	tool, isTool := strings.CutPrefix(f.Item, "tool/")
	wholeServer := f.Rule == "server-removed"
	if c.recorded == nil || f.Level < finding.Warning || !isTool && !wholeServer {
		return nil
	}
	evidence := c.evidence
	evidence.Tool = tool
	evidence.Removed = wholeServer || f.Rule == "tool-removed" || f.Rule == "tool-renamed"
	return c.recorded(evidence)
}

// subject is one item on both sides, or a part of one.
type subject struct {
	kind     snapshot.Kind
	id       string // Finding.Item
	path     string // JSON pointer of the views inside the item
	old, new view
}

// fate is the rules for what came, what went and what changed.
type fate struct{ added, removed, changed string }

// always is one rule for all three.
func always(rule string) fate { return fate{rule, rule, rule} }

func (f fate) of(isNew, isGone bool) string {
	switch {
	case isNew:
		return f.added
	case isGone:
		return f.removed
	}
	return f.changed
}

// ofText returns the rule for a text; empty if no visible character changed.
func (f fate) ofText(old, new string) string {
	if old, new = normal(old), normal(new); old == new {
		return ""
	}
	return f.of(old == "", new == "")
}

// ofMembers returns the rule for each member of a subject.
func (f fate) ofMembers(s subject) func(key string) string {
	return func(key string) string { return f.of(s.old[key] == nil, s.new[key] == nil) }
}

// part returns the subject of an object inside this one.
func (s subject) part(key string) subject {
	return subject{kind: s.kind, id: s.id, path: rawjson.Join(s.path, key), old: viewOf(s.old[key]),
		new: viewOf(s.new[key])}
}

// member returns a finding about one member.
func (s subject) member(key string) finding.Finding {
	return finding.Finding{Item: s.id, Path: rawjson.Join(s.path, key), Old: s.old[key], New: s.new[key]}
}

// keyword returns a finding about the object that says which of its members differs.
func (s subject) keyword(key string) finding.Finding {
	return finding.Finding{Item: s.id, Path: s.path, Member: key, Old: s.old[key], New: s.new[key]}
}

// compareMember reports a member by a rule if it changed.
func compareMember(c *comparison, s subject, rule, key string) {
	if !same(s.old[key], s.new[key]) {
		c.report(rule, s.member(key))
	}
}

// compareDescription reports what became of a description. The rules on texts look at a new one beside this.
func compareDescription(c *comparison, s subject, rules fate) {
	old, new := s.old.text("description"), s.new.text("description")
	rule, f, on := rules.ofText(old, new), s.member("description"), byRule
	if rules.added == rules.changed && normal(old) == "" { // one rule for all
		on, f.Message, f.Cause = appeared, "A description was added.", "Descriptions added"
	}
	if rule != "" {
		c.reportOn(on, rule, f)
	}
}

// compareTitle compares the name that people see. The rules about names report a change of the name alone.
func compareTitle(c *comparison, s subject, rule string) {
	if old, new := displayed(s.old), displayed(s.new); old != new &&
		!(s.old.text("name") == old && s.new.text("name") == new) {
		c.report(rule, finding.Finding{Item: s.id, Path: s.path + "/title", Old: rawjson.Quote(old),
			New: rawjson.Quote(new)})
	}
}

// displayed returns title, else annotations.title, else name.
func displayed(v view) string {
	return cmp.Or(v.text("title"), viewOf(v["annotations"]).text("title"), v.text("name"))
}

// compareOpaque compares a member whose meaning is not known here, and reports the places where it differs.
// Volatile members, such as "ui/resourceUri", are left out.
func compareOpaque(c *comparison, s subject, rule, key string, volatile ...string) {
	old, new := treeOf(s.old[key]), treeOf(s.new[key])
	for _, path := range volatile {
		remove(old, strings.Split(path, "/"))
		remove(new, strings.Split(path, "/"))
	}
	if empty(old) && empty(new) {
		return
	}
	if found, more := rawjson.Differences(old, new, maxListed); len(found) > 0 {
		f := s.member(key)
		f.Message = cmp.Or(c.rules[rule].Says, c.rules[rule].Title) + " " + whereabouts(found, more) + "."
		c.report(rule, f)
	}
}

// remove deletes a member of a decoded value, and each object that it leaves empty.
func remove(tree any, path []string) {
	object, _ := tree.(map[string]any)
	if len(path) > 1 {
		remove(object[path[0]], path[1:])
	}
	if len(path) == 1 || empty(object[path[0]]) {
		delete(object, path[0])
	}
}

// empty reports whether a member is absent, or an object or array without content.
func empty(tree any) bool {
	switch t := tree.(type) {
	case map[string]any:
		return len(t) == 0
	case []any:
		return len(t) == 0
	}
	return tree == nil
}

// reportMembers reports each member that changed and is not known by the rule for it.
func reportMembers(c *comparison, s subject, rule func(key string) string, known ...string) {
	reportChanged(c, s, keys(s.old, s.new, known...), rule,
		func(rule, key string) { c.report(rule, s.member(key)) })
}

// reportUnknown reports each member that changed and that no rule knows.
func reportUnknown(c *comparison, s subject, known ...string) {
	reportMembers(c, s, func(string) string { return changedRule(s.kind) }, known...)
}

// changedRule returns the rule for what no other rule knows. A skill is advised on its frontmatter.
func changedRule(kind snapshot.Kind) string {
	return either(kind == snapshot.Skills, "skill-changed", "item-changed")
}

// reportChanged reports each member that changed by the rule for it. Very many of one rule are one finding,
// since each costs far more than its bytes.
func reportChanged(c *comparison, s subject, members []string, rule func(key string) string,
	report func(rule, key string)) {
	by := map[string][]string{}
	for _, key := range members {
		if !same(s.old[key], s.new[key]) {
			by[rule(key)] = append(by[rule(key)], key)
		}
	}
	for _, id := range kit.SortedKeys(by) {
		if changed := by[id]; len(changed) > maxListed {
			cause := c.rules[id].Title + ": " + kit.Some(kit.Map(changed, code))
			c.report(id, finding.Finding{Item: s.id, Path: s.path, Old: s.old.only(changed),
				New: s.new.only(changed), Cause: cause, Message: cause + "."})
			continue
		}
		for _, key := range by[id] {
			report(id, key)
		}
	}
}

// maxListed is how many places of one kind in an item have findings of their own.
const maxListed = 100
