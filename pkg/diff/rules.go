package diff

import (
	"bytes"
	"cmp"
	_ "embed" // the texts of the rules
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

//go:embed rules.json
var rulesJSON []byte

type rulesFile struct {
	Effects map[effect]map[finding.Direction]struct{ Doc, Instead string }
	Rules   []rule
	Schema  []schemaRow
}

// rule is a row of the catalogue with the sentence that its findings say. {name}, {old} and {new} in it stand
// for what a finding is about; a part in brackets is left out where a value in it is missing or long.
type rule struct {
	finding.Rule
	Says string // empty = the title
	// what its findings have in common; empty = their message
	Cause         string
	BreakingCause string // the same for places that break
}

// schemaRow makes two rules, one for what a caller may send and one for what a reader gets.
type schemaRow struct {
	rule
	Effect        effect
	Input, Output struct {
		ID          string
		Level       finding.Level
		Says, Cause string // instead of those of the row
	}
}

// effect is what a change does to the set of values that a schema accepts.
type effect string

const (
	narrows effect = "narrows" // fewer values
	widens  effect = "widens"  // more values
	moves   effect = "moves"   // some fewer, some more
)

// Rules returns all rules of a comparison, sorted by id. A rule whose level is Off reports only if
// Options.Enable names it.
func Rules() []finding.Rule {
	all := catalogue()
	return kit.Map(kit.SortedKeys(all), func(id string) finding.Rule { return all[id].Rule })
}

// catalogue returns every rule by id. It must not be changed.
var catalogue = sync.OnceValue(func() map[string]rule {
	var file rulesFile
	if err := json.Unmarshal(rulesJSON, &file); err != nil {
		panic(fmt.Sprintf("diff: rules.json: %v", err)) // a test reads it first
	}
	byID := map[string]rule{}
	for _, r := range file.Rules {
		byID[r.ID] = r
	}
	for _, row := range file.Schema {
		for _, direction := range []finding.Direction{finding.Input, finding.Output} {
			means, side, r := file.Effects[row.Effect][direction], row.Input, row.rule
			if direction == finding.Output {
				side = row.Output
			} else if row.Effect == widens {
				r.Cause = cmp.Or(r.Cause, acceptsMore)
			}
			r.ID, r.Level, r.Direction = side.ID, side.Level, direction
			r.Says, r.Cause = cmp.Or(side.Says, r.Says), cmp.Or(side.Cause, r.Cause)
			r.Doc, r.Instead = row.Doc+" "+means.Doc, means.Instead
			r.Title = sentence(r.Says, map[string]string{
				"name":    either(direction == finding.Input, "an argument", "a member of the result"),
				"removed": "some values", "added": "more values",
				"deprecated": "now deprecated, or no longer",
				"constraint": "a constraint", "limit": "length or count",
			})
			byID[r.ID] = r
		}
	}
	return byID
})

func (r rule) message(f finding.Finding, values []string) string {
	return sentence(cmp.Or(r.Says, r.Title), known(f, values)) + "."
}

// cause returns what the finding has in common with others; empty for its message.
func (r rule) cause(f finding.Finding, values []string) string {
	return sentence(either(f.Level == finding.Breaking && f.Path != "", r.BreakingCause, r.Cause),
		known(f, values))
}

// known fills in what values do not say from the finding: the name is that of the item, or the last part of
// the place.
func known(f finding.Finding, values []string) map[string]string {
	known := map[string]string{"name": nameOf(f), "old": brief(f.Old), "new": brief(f.New)}
	for i := 0; i < len(values); i += 2 {
		known[values[i]] = values[i+1]
	}
	return known
}

// nameOf returns what a finding is about for its message: the argument of a prompt, else the last step of its
// pointer, or the key of the item if the finding is about the whole item.
func nameOf(f finding.Finding) string {
	steps := rawjson.Split(f.Pointer())
	switch {
	case len(steps) == 0:
		return code(finding.Name(f.Item))
	case len(steps) > 1 && steps[0] == "arguments":
		return code(steps[1])
	}
	return code(steps[len(steps)-1])
}

// A sentence holds names and values up to these lengths in bytes; the finding has them whole.
const (
	longestName  = 200
	longestBrief = 60
)

// code marks a name as one that is written so.
func code(name string) string { return "`" + kit.Clip(name, longestName) + "`" }

// brief returns a value as a sentence can hold it, an array of scalars as a list; empty if it is long or
// structured.
func brief(raw json.RawMessage) string {
	if elements, err := rawjson.Elements(raw); err == nil {
		return briefly(elements)
	}
	if len(raw) > longestBrief || bytes.HasPrefix(raw, []byte("{")) {
		return ""
	}
	return string(raw)
}

func briefly(values []json.RawMessage) string {
	list := kit.Map(values, func(value json.RawMessage) string { return cmp.Or(brief(value), "…") })
	if text := strings.Join(list, ", "); len(text) <= longestBrief {
		return text
	}
	return fmt.Sprintf("%d values", len(values))
}

// sentence fills values into a template. A part in brackets is left out if one of its values is missing.
func sentence(template string, values map[string]string) string {
	text := optionalPart().ReplaceAllStringFunc(template, func(part string) string {
		for _, m := range placeholder().FindAllStringSubmatch(part, -1) {
			if values[m[1]] == "" {
				return ""
			}
		}
		return part[1 : len(part)-1]
	})
	text = placeholder().ReplaceAllStringFunc(text, func(p string) string { return values[p[1:len(p)-1]] })
	if text == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

var (
	optionalPart = kit.Pattern(`\[[^\]]*\]`)
	placeholder  = kit.Pattern(`\{([a-z]+)\}`)
)
