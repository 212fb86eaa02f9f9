package check

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// qualityRules are about how well a model and a host can work with what is offered.
var qualityRules = map[string]look{
	"tool-description-missing":   undescribed(snapshot.Tools),
	"prompt-description-missing": undescribed(snapshot.Prompts),
	"tool-description-repeats-name": ofTools(func(t tool, at spot) {
		if d := t.description(); d.letters != "" && d.letters == lettersOf(t.Key) {
			at.in("description").say("", rawjson.Quote(d.text), "")
		}
	}),
	"tool-description-placeholder": ofTools(func(t tool, at spot) {
		if d := t.description(); d.placeholder {
			at.in("description").say("", rawjson.Quote(d.text), "The description is %q.", clip(d.text))
		}
	}),
	"tool-description-duplicate":   sameDescriptions,
	"argument-description-missing": undescribedArguments,
	"tool-annotations-missing":     unannotated,
	"tool-annotations-contradict": ofTools(func(t tool, at spot) {
		if hints := t.hints(); hints["readOnlyHint"] == true && hints["destructiveHint"] == true {
			at.in("annotations").say("", encoded(hints), "")
		}
	}),
	"tool-annotation-not-boolean":   ofTools(hintsNotBoolean),
	"tool-annotations-against-name": ofTools(hintsAgainstName),
	"output-schema-missing": ofTools(func(t tool, at spot) {
		if text := t.text("description"); t.output == nil && structured().MatchString(text) {
			at.in("outputSchema").say("", nil, "")
		}
	}),
}

func undescribed(kind snapshot.Kind) look {
	return func(s *server, report tell) {
		for _, i := range s.of(kind) {
			if i.fields != nil && strings.TrimSpace(i.text("description")) == "" {
				report(finding.Finding{Item: i.id, Path: "/description"})
			}
		}
	}
}

// phrase is what rules on descriptions compare.
type phrase struct {
	text, letters string
	placeholder   bool
}

func phraseOf(text string) phrase {
	words := wordsOf(text)
	p := phrase{text: text, letters: strings.Join(words, ""), placeholder: strings.TrimSpace(text) != "" &&
		placeholderText().MatchString(text)}
	return p
}

func (t tool) description() phrase {
	if p := t.parts["description"]; p != nil {
		return p.phrase()
	}
	return phrase{}
}

func lettersOf(text string) string { return strings.Join(wordsOf(text), "") }

// placeholderText is a description that somebody meant to write. It stands behind one ^, or it would be tried
// at every character.
var placeholderText = kit.Pattern(
	`^(?:(?i:\W*(?:todo|fixme|tbd|tba|xxx+|n/?a|none|null|undefined|placeholder|test|lorem ipsum.*|(?:no|add|insert|your|the|enter|tool|missing)?\s*(?:tool\s+)?description(?:\s+(?:here|goes here|missing|of the tool|tbd|todo|to be added))?)\W*$)|\W*(?:TODO|FIXME|TBD)\b)`)

// sameDescriptions tells every tool but the first that has a description by the one before it.
func sameDescriptions(s *server, report tell) {
	first := map[string]string{}
	ofTools(func(t tool, at spot) {
		d := t.description()
		if d.letters == "" || d.placeholder {
			return
		}
		if other, seen := first[d.letters]; seen && other != t.Key {
			at.in("description").say("", rawjson.Quote(d.text), "The description is that of %s, too.", other)
		} else {
			first[d.letters] = t.Key
		}
	})(s, report)
}

func undescribedArguments(s *server, report tell) {
	undescribedProperties(s, report)
	for _, i := range s.of(snapshot.Prompts) {
		described := i.described()
		tellUndescribed(spot{i.id, nil, report}.in("arguments"),
			slices.DeleteFunc(i.argumentNames(), func(name string) bool { return described[name] }))
	}
}

func tellUndescribed(at spot, missing []string) {
	if len(missing) > 0 {
		at.say("", encoded(missing), "Without a description: %s.", kit.Some(missing))
	}
}

var undescribedProperties = ofTools(func(t tool, at spot) {
	schema, _ := t.fields["inputSchema"].(map[string]any)
	properties, _ := schema["properties"].(map[string]any)
	var missing []string
	for _, name := range kit.SortedKeys(properties) {
		if p, ok := properties[name].(map[string]any); ok && !has(p, "description", "$ref", "title") {
			missing = append(missing, name)
		}
	}
	tellUndescribed(at.in("inputSchema", "properties"), missing)
})

// unannotated tells all tools without a hint in one finding, and all that lack the second hint in another
// one.
func unannotated(s *server, report tell) {
	var none, half []string
	for _, t := range s.tools {
		hints := t.hints()
		switch {
		case t.fields == nil || hints["readOnlyHint"] == true:
		case hints["readOnlyHint"] == nil && hints["destructiveHint"] == nil:
			none = append(none, t.Key)
		case hints["destructiveHint"] == nil:
			half = append(half, t.Key)
		}
	}
	if len(none) > 0 {
		report(finding.Finding{Path: "/tools", New: encoded(none),
			Message: fmt.Sprintf("Tools that do not say whether they write (%d of %d): %s.", len(none),
				len(s.tools), kit.Some(none))})
	}
	switch len(half) {
	case 0:
	case 1:
		report(finding.Finding{Item: snapshot.Tools.ID(half[0]), Path: "/annotations",
			Member: "destructiveHint", Message: "The tool writes and does not say whether it destroys, so " +
				"it is taken to."})
	default:
		report(finding.Finding{Path: "/tools", Member: "destructiveHint", New: encoded(half),
			Message: fmt.Sprintf("Tools that write and do not say whether they destroy, so that they are "+
				"taken to (%d of %d): %s.", len(half), len(s.tools), kit.Some(half))})
	}
}

func hintsNotBoolean(t tool, at spot) {
	for _, name := range []string{"destructiveHint", "idempotentHint", "openWorldHint", "readOnlyHint"} {
		value, there := t.hints()[name]
		if _, boolean := value.(bool); there && !boolean {
			at.in("annotations", name).say("", encoded(value), "")
		}
	}
}

// Verbs of names that say what a tool does to what is there; ambiguous ones, such as "set", "run" and
// "clear", are left out.
var (
	destroying = []string{"delete", "remove", "drop", "destroy", "purge", "wipe", "truncate", "erase",
		"uninstall", "revoke"}
	writing = []string{"create", "update", "write", "insert", "upload", "rename", "publish", "deploy",
		"edit", "overwrite", "merge"}
)

// deleting is how a text begins that tells of a deletion.
var deleting = kit.Pattern(
	`(?i)^\W*(?:permanently\s+|irreversibly\s+)?(?:deletes?|removes?|drops?|destroys?|purges?|wipes?|erases?|uninstalls?|revokes?)\b`)

// hintsAgainstName tells hints that say less than the verb at either end of the name, or the first word of
// the text.
func hintsAgainstName(t tool, at spot) {
	words := wordsOf(t.Key)
	if len(words) == 0 {
		return
	}
	at = at.in("annotations")
	verb, hints := words[0], t.hints()
	if !slices.Contains(destroying, verb) && !slices.Contains(writing, verb) &&
		!slices.Contains(reading, verb) {
		verb = words[len(words)-1]
	}
	destroys := slices.Contains(destroying, verb)
	switch {
	case (destroys || slices.Contains(writing, verb)) && hints["readOnlyHint"] == true:
		at.say("", encoded(hints), "The name says %q, and the annotations say that it only reads.", verb)
	case destroys && hints["destructiveHint"] == false:
		at.say("", encoded(hints),
			"The name says %q, and the annotations say that it destroys nothing.", verb)
	case hints["readOnlyHint"] == true && deleting().MatchString(t.text("description")):
		at.say("", encoded(hints), "The text says %q, and the annotations say that it only reads.",
			strings.TrimSpace(deleting().FindString(t.text("description"))))
	}
}

// reading are verbs after which a word such as "delete" at the end of a name is no verb.
var reading = []string{"get", "list", "read", "search", "find", "show", "describe", "check", "validate",
	"preview", "plan", "can", "is", "fetch", "explain"}

// wordsOf are the words of a name, in small letters: deleteBranch and delete_branch are two each.
func wordsOf(name string) []string {
	var spaced strings.Builder
	before := ' '
	for _, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(before) {
			spaced.WriteByte(' ')
		}
		spaced.WriteRune(unicode.ToLower(r))
		before = r
	}
	return strings.FieldsFunc(spaced.String(),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

var structured = kit.Pattern(`(?i)\bstructured ?content\b`)

func clip(text string) string {
	if runes := []rune(text); len(runes) > 80 {
		return string(runes[:80]) + "…"
	}
	return text
}
