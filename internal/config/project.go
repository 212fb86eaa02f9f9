package config

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/syntax"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// Project is what mcpctl.yaml says beside servers. Without such a file only Snapshots is set.
type Project struct {
	finding.Policy // levels, thresholds and waivers; an empty FailOn = each command's default

	File      string // the mcpctl.yaml it comes from; empty = none
	Found     Found  // how File came to be read
	Discover  bool   // look at the files of applications too
	Snapshots string // absolute folder of saved snapshots
	// where Snapshots leads to when nobody named it and that is outside of the project; empty = fine
	Stray    string
	Tolerate []finding.Tolerance // servers that may fail for a while
	Budgets  Budgets             // limits on what servers offer
	Allow    Allow               // who may be contacted

	snapshotsLine int // of the key; 0 = there is none
}

// Allow is the list of names that may be contacted. The zero value allows all.
type Allow struct {
	Names []string // exactly these, when Line is set
	Line  int      // of the list in mcpctl.yaml; 0 = there is no list
	File  string   // the mcpctl.yaml
}

// Refusal says why a server with these names must not be contacted; nil = it may be. It holds for ad-hoc
// servers too.
func (a Allow) Refusal(names ...string) *Problem {
	listed := func(name string) bool { return slices.Contains(a.Names, name) }
	if a.Line == 0 || slices.ContainsFunc(names, listed) {
		return nil
	}
	return &Problem{
		File: a.File, Line: a.Line, Server: names[0], Message: "not in the allow list",
		Hint: "add it to allow there if it may be contacted",
	}
}

// defaultSnapshots is the folder of snapshots beside the configuration.
const defaultSnapshots = "mcp-snapshots"

type projectReader struct {
	fieldReader
	scope
	rules   func() []string   // known rule ids; nil = not checked
	include []included        // files of servers
	entries []Entry           // servers written in the file
	granted map[string]Grants // by the names of servers
	alone   bool              // include or servers is there: no other file is looked for
}

// project reads the whole file; the problems are those of the reader.
func (p *projectReader) project(root syntax.Value) Project {
	out := Project{File: p.fieldReader.file, Found: p.found,
		Snapshots: filepath.Join(p.folder, defaultSnapshots)}
	if !p.is(root, syntax.Object, "the file") {
		return out
	}
	means := p.means(&out)
	p.keys(root, "", kit.SortedKeys(means))
	for _, f := range root.Fields {
		// an empty allow must not allow all
		if read := means[f.Key]; read != nil && (f.Value.Kind != syntax.Null || f.Key == "allow") {
			read(f)
		}
	}
	return out
}

// means are the members that the file may have, each with what it does to the project.
func (p *projectReader) means(out *Project) map[string]func(syntax.Field) {
	return map[string]func(syntax.Field){
		"include":  func(f syntax.Field) { p.alone, p.include = true, p.included(f) },
		"servers":  func(f syntax.Field) { p.alone, p.entries = true, append(p.entries, p.inline(f)...) },
		"discover": func(f syntax.Field) { out.Discover = p.discover(f) },
		"snapshots": func(f syntax.Field) {
			out.Snapshots, out.snapshotsLine = resolve(p.folder, cmp.Or(p.path(f), defaultSnapshots)), f.Line
		},
		"fail-on":       func(f syntax.Field) { out.FailOn = p.failOn(f) },
		"check-fail-on": func(f syntax.Field) { out.CheckFailOn = p.failOn(f) },
		"rules":         func(f syntax.Field) { out.Rules = p.levels(f) },
		"overrides":     func(f syntax.Field) { out.Overrides = p.overrides(f) },
		"tolerate":      func(f syntax.Field) { out.Tolerate = whole(p, f, toleranceKeys, p.tolerance) },
		"waivers":       func(f syntax.Field) { out.Waivers = whole(p, f, waiverKeys, p.waiver) },
		"budgets":       func(f syntax.Field) { out.Budgets = p.budgets(f) },
		"allow":         func(f syntax.Field) { out.Allow = p.allow(f) },
	}
}

// discover reads whether applications are looked at too, which is for the user to say: a repository must not
// have the servers of a user's applications started.
func (p *projectReader) discover(f syntax.Field) bool {
	if p.scope.found != Named {
		p.complain(f.Line, "use --discover, or name the file with --config",
			`"discover" has no effect in a file that was only found`)
		return false
	}
	return p.flag(f, false)
}

// inline are the servers that are written in the file itself.
func (p *projectReader) inline(f syntax.Field) []Entry {
	if !p.want(f, syntax.Object) || !p.fewEnough(f) {
		return nil
	}
	return p.servers(f.Value)
}

func (p *projectReader) path(f syntax.Field) string {
	if !p.want(f, syntax.Text) {
		return ""
	}
	out, missing := p.scope.expand(f.Value.Text)
	for _, m := range missing {
		p.complain(f.Value.Line, m.hint, "%s, needed in %q", m.message, f.Key)
	}
	_, secrets := p.given(f.Value.Text)
	switch {
	case len(missing) == 0 && out.value == "":
		p.complain(f.Value.Line, "write a path", "%q is empty", f.Key)
	case len(secrets) > 0:
		p.complain(f.Value.Line, "write the path without it",
			"%q holds a variable that looks secret, and paths are shown", f.Key)
		return ""
	}
	return out.value
}

// included is a file of servers that mcpctl.yaml names.
type included struct {
	path, prefix string // and what goes before the names of its servers
	line         int
}

// maxIncluded is how many files may be included.
const maxIncluded = 1000

// included are the files to include: paths, or objects that give the names a prefix.
func (p *projectReader) included(f syntax.Field) (all []included) {
	for i, item := range p.items(f) {
		if i == maxIncluded {
			p.complain(item.Line, "include fewer", "more than %d files are included", maxIncluded)
			break
		}
		one, file := included{line: item.Line}, item
		if item.Value.Kind == syntax.Object {
			p.members(item, true, map[string]func(syntax.Field){
				"file":   func(m syntax.Field) { file = m },
				"prefix": func(m syntax.Field) { one.prefix = p.text(m) },
			})
		}
		if one.path = p.path(file); one.path != "" {
			all = append(all, one)
		}
	}
	return all
}

func (p *projectReader) failOn(f syntax.Field) finding.Threshold {
	if !p.want(f, syntax.Text) {
		return ""
	}
	threshold, err := finding.ParseThreshold(f.Value.Text)
	if err != nil {
		p.complain(f.Value.Line, kit.Suggest(f.Value.Text,
			[]string{"breaking", "used-breaking", "warning", "info", "any", "never"}), "%q: %v", f.Key, err)
		return ""
	}
	return threshold
}

func (p *projectReader) levels(f syntax.Field) map[string]finding.Level {
	levels := map[string]finding.Level{}
	for _, m := range p.texts(f) {
		p.rule(m.Key, m.Line)
		level, err := finding.ParseLevel(m.Value.Text)
		if err != nil {
			p.complain(m.Value.Line, kit.Suggest(m.Value.Text,
				[]string{"breaking", "warning", "info", "off"}), "rule %q: %v", m.Key, err)
			continue
		}
		levels[m.Key] = level
	}
	return levels
}

const rulesHint = "mcpctl rules shows all rules"

// rule keeps a problem for an id that is not in the catalogue.
func (p *projectReader) rule(id string, line int) {
	if p.rules != nil && !slices.Contains(p.rules(), id) {
		p.complain(line, cmp.Or(p.suggest(id, p.rules()), rulesHint), "unknown rule %q", id)
	}
}

func (p *projectReader) overrides(f syntax.Field) map[string]finding.Override {
	all := map[string]finding.Override{}
	p.granted = map[string]Grants{}
	for _, m := range p.object(f, nil) {
		var o finding.Override
		p.members(m.In(f.Key), true, map[string]func(syntax.Field){
			"fail-on":       func(f syntax.Field) { o.FailOn = p.failOn(f) },
			"check-fail-on": func(f syntax.Field) { o.CheckFailOn = p.failOn(f) },
			"rules":         func(f syntax.Field) { o.Rules = p.levels(f) },
			"sandbox":       func(f syntax.Field) { p.granted[m.Key] = p.grants(f, p.folder) },
		})
		all[m.Key] = o
	}
	return all
}

func (p *projectReader) budgets(f syntax.Field) Budgets {
	var b Budgets
	limits := map[string]*int{
		"tokens": &b.Tokens, "tools": &b.Tools, "server-tokens": &b.ServerTokens,
		"server-tools": &b.ServerTools,
		"tool-tokens":  &b.ToolTokens, "item-bytes": &b.ItemBytes, "text-characters": &b.TextCharacters,
	}
	for _, m := range p.object(f, kit.SortedKeys(limits)) {
		n, err := strconv.Atoi(m.Value.Text)
		switch {
		case m.Value.Kind != syntax.Number || err != nil || n < 1:
			p.complain(m.Value.Line, "leave it out for no limit",
				`"budgets.%s" must be a whole number above 0`, m.Key)
		case limits[m.Key] != nil:
			*limits[m.Key] = n
		}
	}
	return b
}

// allow is the list of names; one that is not a list allows nothing.
func (p *projectReader) allow(f syntax.Field) Allow {
	a := Allow{File: p.fieldReader.file, Line: f.Line}
	for _, item := range p.scalars(f) {
		a.Names = append(a.Names, item.Value.Text)
	}
	return a
}

var (
	waiverKeys    = []string{"rule", "server", "item", "path", "fingerprint", "reason", "owner", "expires"}
	toleranceKeys = []string{"server", "reason", "expires"}
)

// whole are the entries of a list of objects, such as accepted findings, that were read without a problem.
func whole[T any](p *projectReader, f syntax.Field, keys []string, read func(syntax.Field) T) []T {
	var out []T
	for _, item := range p.items(f) {
		before := len(p.problems)
		p.object(item, keys)
		if item.Value.Kind != syntax.Object {
			continue
		}
		if one := read(item); len(p.problems) == before {
			out = append(out, one)
		}
	}
	return out
}

func (p *projectReader) waiver(f syntax.Field) finding.Waiver {
	w := finding.Waiver{
		Reason: p.needed(f, "reason", "say why the finding is accepted"), Owner: p.word(f, "owner"),
		Expires: p.expires(f),
		Rule:    p.needed(f, "rule", "name the rule of the finding"), Server: p.word(f, "server"),
		Item: p.word(f, "item"), Path: p.word(f, "path"),
		Fingerprint: p.word(f, "fingerprint"),
		Source:      finding.Location{File: p.fieldReader.file, Line: f.Line},
	}
	if w.Rule != "" {
		p.pattern(f, w.Rule)
	}
	return w
}

func (p *projectReader) tolerance(f syntax.Field) finding.Tolerance {
	return finding.Tolerance{
		Reason: p.needed(f, "reason", "say why the server may fail"), Expires: p.expires(f),
		Server: p.needed(f, "server", "name the server that may fail"),
		Source: finding.Location{File: p.fieldReader.file, Line: f.Line},
	}
}

// pattern keeps a problem for a pattern of rules that matches none.
func (p *projectReader) pattern(f syntax.Field, rule string) {
	named, _ := f.Value.Get("rule")
	switch {
	case p.rules == nil:
	case !kit.IsGlob(rule):
		p.rule(rule, named.Line)
	case !slices.ContainsFunc(p.rules(), func(id string) bool { return kit.Glob(rule, id) }):
		p.complain(named.Line, rulesHint, "no rule matches %q", rule)
	}
}

func (p *projectReader) needed(of syntax.Field, key, hint string) string {
	text := p.word(of, key)
	if text == "" {
		p.complain(of.Line, hint, "%q has no %q", of.Key, key)
	}
	return text
}

// word is a string of an object; "" when it is not there.
func (p *projectReader) word(of syntax.Field, key string) string {
	f, ok := of.Value.Get(key)
	if !ok || f.Value.Kind == syntax.Null {
		return ""
	}
	return p.text(f.In(of.Key))
}

func (p *projectReader) expires(of syntax.Field) finding.Day {
	text := p.word(of, "expires")
	if text == "" {
		return ""
	}
	day, err := finding.ParseDay(text)
	if err != nil {
		f, _ := of.Value.Get("expires")
		p.complain(f.Value.Line, "write a day such as 2026-12-31", `"%s.expires" is not a day`, of.Key)
	}
	return day
}
