// Package check tells what is wrong with what servers offer, without an older surface to compare it with.
//
// Each problem is one finding of one rule at the place that has it. Rules lists all that can be found: how
// servers speak the protocol, their schemas, how well a model can work with them, what they cost, whether
// they can be trusted, and how they go together. No rule calls a tool or contacts anything.
//
//	found, err := check.Run(ctx, []check.Subject{{Name: "github", Snapshot: s}}, check.Options{})
//
// What a finding means is stable: the ids of rules are permanent, and a rule that becomes stricter says so in
// the change log. Rules may be added at any time, so a program that acts on findings should do so by id or by
// level.
package check

import (
	"cmp"
	"context"
	_ "embed" // the texts of the rules
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Subject is one server to look at. Rules of the fleet look at all of them together.
type Subject struct {
	Name     string             // configured name
	Snapshot *snapshot.Snapshot // what it offers; nil = not known, and nothing is said of it
	Saved    *snapshot.Snapshot // what was saved of it before; nil = nothing was
	Observed Observed           // what was seen on the way
	Declared []Declared         // what files say of it
	Called   *Called            // its recorded calls; nil = nobody asked
}

// Observed is what a probe saw of a server beside its surface. The zero value is that of a saved snapshot:
// nothing.
type Observed struct {
	Transport string          // "stdio", "streamable-http" or "sse"
	Noise     []string        // pieces of stdout that are not the protocol
	Notices   []Notice        // oddities that lost nothing
	Again     []snapshot.List // the lists once more, in the order as sent; nil = not asked again

	Package *DeclaredPackage // that the server was started from; nil = none, or it is not known
	// the environment variables that the server was started with by name, beside those that every one gets;
	// nil = not known
	Given []string
}

// Notice is an oddity that a probe met, by one of the codes of the package probe.
type Notice struct{ Code, Message string }

// Options tune a check. The zero value has no budget.
type Options struct {
	Budgets Budgets
	// work on the schemas of each server; 0 = DefaultSteps. What is not decided with them is told by
	// schema-undecided
	Steps   int
	Timeout time.Duration // for each server; 0 = none
}

// UnfinishedError names the servers that took longer than they may. Nothing is told of them.
type UnfinishedError struct{ Servers []string }

// Error names the servers.
func (e *UnfinishedError) Error() string {
	return "not checked to the end: " + strings.Join(e.Servers, ", ")
}

// Budgets are limits on what servers may offer; 0 = none.
type Budgets struct {
	Tokens, Tools             int // of all servers together
	ServerTokens, ServerTools int // of each server
	ToolTokens                int // of each tool
	ItemBytes                 int // of each tool, prompt, resource and template, as JSON without blanks
	TextCharacters            int // of each text that a server wrote for a reader
}

// Run tells what the rules say, sorted as finding.Sort does. It never panics, whatever a server sent. When
// ctx ends early, the error is its cause and the findings are not all; servers that Options.Timeout cuts off
// are an UnfinishedError.
func Run(ctx context.Context, subjects []Subject, options Options) ([]finding.Finding, error) {
	found, members, err := Each(ctx, subjects, options)
	if ctx.Err() != nil {
		return found, err
	}
	found = append(found, Together(members, options.Budgets)...)
	finding.Sort(found)
	return found, err
}

// Together tells what the rules say of servers as one client has them: budgets of all of them, and names that
// go badly together. The findings are not sorted.
func Together(members []Member, budgets Budgets) []finding.Finding {
	var found []finding.Finding
	all := fleet{members, ownersOf(members), budgets}
	for _, r := range rules() {
		if r.together != nil {
			told, _ := finding.Limit(r.over(all))
			found = append(found, told...)
		}
	}
	return found
}

// TogetherRules are the ids of the rules that Together looks at.
func TogetherRules() []string { return kit.SortedKeys(fleetRules) }

// Each is the part of Run that looks at each server alone. With what it says comes what Together wants to
// know of each server, in their order; of one without a snapshot there is nothing.
func Each(ctx context.Context, subjects []Subject, options Options) ([]finding.Finding, []Member, error) {
	looked := make([]seen, len(subjects))
	kit.Parallel(ctx, len(subjects), func(i int) { looked[i] = lookAt(ctx, subjects[i], options) })
	var found []finding.Finding
	var members []Member
	var cut UnfinishedError
	for i, l := range looked {
		switch {
		case l.cut:
			cut.Servers = append(cut.Servers, subjects[i].Name)
		case subjects[i].Snapshot != nil:
			found, members = append(found, l.found...), append(members, l.member)
		}
	}
	finding.Sort(found)
	if ctx.Err() == nil && len(cut.Servers) > 0 {
		return found, members, &cut
	}
	return found, members, context.Cause(ctx)
}

type seen struct {
	found  []finding.Finding
	member Member
	cut    bool // it took longer than it may
}

func lookAt(ctx context.Context, subject Subject, options Options) seen {
	if subject.Snapshot == nil {
		return seen{}
	}
	l, err := host.Within(ctx, options.Timeout, func(ctx context.Context) (seen, error) {
		return lookIn(newServer(ctx, subject, options)), nil
	})
	l.cut = err != nil
	return l
}

func lookIn(s *server) (l seen) {
	for _, r := range rules() {
		if r.alone != nil && s.ctx.Err() == nil {
			told, _ := finding.Limit(r.about(s))
			l.found = append(l.found, told...)
		}
	}
	l.member = memberOf(s)
	return l
}

// spot is a place at which a rule may speak.
type spot struct {
	item   string
	way    *trail
	report tell
}

// in is a place inside the spot.
func (s spot) in(keys ...string) spot { return s.below(rawjson.Join("", keys...)) }

// below is the place at a JSON pointer from the spot.
func (s spot) below(pointer string) spot {
	s.way = s.way.below(pointer)
	return s
}

// say reports what is wrong at a member of the spot, which may be the spot itself; without words it is the
// rule's title.
func (s spot) say(member string, value json.RawMessage, format string, args ...any) {
	s.report(finding.Finding{Item: s.item, Path: s.way.place(), Member: member, New: value,
		Message: fmt.Sprintf(format, args...)})
}

// tell reports what a rule found. What the rule says of itself is filled in.
type tell func(finding.Finding)

// look finds what one rule is about in one server.
type look = func(*server, tell)

// rule is a row of rules.json with the function that looks for it: in one server, or in all of them together.
type rule struct {
	finding.Rule
	Once   bool // a server has it in many places or in none, so that all places are one finding
	Change bool // a finding that the saved snapshot has too was accepted with it, and is info

	alone    look
	together func(fleet, tell)
}

//go:embed rules.json
var rulesJSON []byte

// rules are all rules with their functions; nobody may change them.
var rules = sync.OnceValue(func() []*rule {
	var file struct{ Rules []*rule }
	if err := json.Unmarshal(rulesJSON, &file); err != nil {
		panic(fmt.Sprintf("check: rules.json: %v", err)) // a test reads it first
	}
	alone, together := functions()
	for _, r := range file.Rules {
		r.alone, r.together = alone[r.ID], together[r.ID]
	}
	return file.Rules
})

// functions are what looks for each rule, by its id.
func functions() (alone map[string]look, together map[string]func(fleet, tell)) {
	alone = map[string]look{}
	for _, family := range []map[string]look{protocolRules, schemaRules, providerRules, qualityRules,
		wordingRules, costRules, securityRules, declaredRules} {
		for id, f := range family {
			alone[id] = f
		}
	}
	return alone, fleetRules
}

// Rules are all rules of a check, sorted by id.
func Rules() []finding.Rule {
	all := kit.Map(rules(), func(r *rule) finding.Rule { return r.Rule })
	slices.SortFunc(all, func(a, b finding.Rule) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// about is what the rule says of one server. What the saved snapshot has as well was accepted: it is told as
// info.
func (r *rule) about(s *server) []finding.Finding {
	found := r.in(s)
	if !r.Change || s.Saved == nil || len(found) == 0 {
		return found
	}
	known := map[string]bool{}
	for _, f := range r.in(newServer(s.ctx, Subject{Name: s.Name, Snapshot: s.Saved}, s.options)) {
		known[f.Fingerprint()] = true
	}
	for i, f := range found {
		if known[f.Fingerprint()] {
			found[i].Level = finding.Info
			found[i].Message += " It was there when the snapshot was saved."
		}
	}
	return found
}

func (r *rule) in(s *server) []finding.Finding {
	var found []finding.Finding
	r.alone(s, func(f finding.Finding) {
		f.Server, f.New = s.Name, s.asSent(f)
		found = append(found, r.complete(f))
	})
	if r.Once && len(found) > 1 {
		return []finding.Finding{r.joined(found)}
	}
	return found
}

// over is what the rule says of all servers together, of one after the other; what it says once, it says once
// of each.
func (r *rule) over(all fleet) []finding.Finding {
	var found, same []finding.Finding
	end := func() {
		if finding.Sort(same); len(same) > 1 {
			same = []finding.Finding{r.joined(same)}
		}
		found, same = append(found, same...), nil
	}
	r.together(all, func(one finding.Finding) {
		if r.Once && len(same) > 0 && same[0].Server != one.Server {
			end()
		}
		if one = r.complete(one); r.Once {
			same = append(same, one)
		} else {
			found = append(found, one)
		}
	})
	end()
	return found
}

func (r *rule) complete(f finding.Finding) finding.Finding {
	f.Rule = r.ID
	f.Level = cmp.Or(f.Level, r.Level)
	f.Verdict = cmp.Or(f.Verdict, finding.ByRule)
	f.Message = cmp.Or(f.Message, r.Title+".")
	f.Hint = cmp.Or(f.Hint, r.Instead)
	return f
}

// joined is one finding that lists the places of several.
func (r *rule) joined(found []finding.Finding) finding.Finding {
	one := found[0]
	places := kit.Map(found, func(f finding.Finding) string {
		return strings.TrimSpace(f.Item + " " +
			f.Pointer())
	})
	items := kit.Distinct(kit.Map(found, func(f finding.Finding) string { return f.Item }))
	one.Path, one.Member, one.Old, one.New = "", "", nil, encoded(places)
	one.Cause, one.Places = r.Title, kit.Distinct(kit.Map(found, callOf))
	switch len(items) {
	case 1:
		one.Message = fmt.Sprintf("%s, in %d places of the tool.", r.Title, len(found))
	case len(found):
		one.Item, one.Path, one.Message = "", "/tools",
			fmt.Sprintf("%s, in %d tools: %s.", r.Title, len(items), kit.Some(items))
	default:
		one.Item, one.Path, one.Message = "", "/tools",
			fmt.Sprintf("%s, in %d places of %d tools: %s.", r.Title, len(found), len(items), kit.Some(items))
	}
	return one
}

// callOf is the place of a finding as a person names it: "search", or "search(query, limit)" for arguments.
func callOf(f finding.Finding) string {
	_, name, _ := strings.Cut(f.Item, "/")
	steps := rawjson.Split(f.Pointer())
	var names []string
	switch at := slices.Index(steps, "properties"); {
	case at >= 0 && at+1 < len(steps):
		names = steps[at+1 : at+2]
	case at >= 0 || slices.Contains(steps, "arguments"):
		names = rawjson.Texts(f.New)
	}
	if len(names) == 0 {
		return name
	}
	return name + "(" + strings.Join(names, ", ") + ")"
}

func encoded(value any) json.RawMessage {
	raw, _ := rawjson.Encode(value) // what was decoded encodes
	return raw
}
