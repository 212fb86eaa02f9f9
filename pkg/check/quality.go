package check

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/wording"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// qualityRules are on how well models and hosts can use what a server offers.
var qualityRules = map[string]rule{
	"tool-description-missing":   descriptionMissing(snapshot.Tools),
	"prompt-description-missing": descriptionMissing(snapshot.Prompts),
	"tool-description-repeats-name": eachTool(func(t *item, at location) {
		if d := t.string("description"); letters(d) != "" && letters(d) == letters(t.Key) {
			at.at("description").add("", rawjson.Quote(d), "The description %q repeats the name.", quote(d))
		}
	}),
	"description-placeholder": combined(
		eachTool(func(t *item, at location) { placeholderDescription(t.string("description"), at) }),
		eachDescription(func(_ *subschema, text string, at location) { placeholderDescription(text, at) }),
	),
	"tool-description-duplicate": func(s *server, report reporter) {
		first := map[string]string{}
		eachTool(func(t *item, at location) {
			d := t.string("description")
			key := letters(d)
			if key == "" || isPlaceholder(d) {
				return
			}
			if other, seen := first[key]; seen && other != t.Key {
				at.at("description").add("", rawjson.Quote(d), "The description is the same as that of %s.",
					other)
			} else {
				first[key] = t.Key
			}
		})(s, report)
	},
	"argument-description-missing": combined(eachTool(argumentsWithoutDescription),
		eachPromptArgument(func(name string, argument map[string]any, at location) {
			if argument["description"] == nil {
				at.add("", rawjson.Quote(name), "The argument %q has no description.", name)
			}
		})),
	"tool-annotations-missing": eachTool(annotationsMissing),
	"tool-annotations-contradict": eachTool(func(t *item, at location) {
		if hints := t.hints(); hints["readOnlyHint"] == true && hints["destructiveHint"] == true {
			at.at("annotations").add("", encoded(hints), "")
		}
	}),
	"tool-annotations-against-name": eachTool(annotationsAgainstName),
	"output-schema-missing": eachTool(func(t *item, at location) {
		if t.output == nil && structuredContent().MatchString(t.string("description")) {
			at.at("outputSchema").add("", nil, "")
		}
	}),
}

func descriptionMissing(kind snapshot.Kind) rule {
	return eachItem(func(i *item, at location) {
		if i.kind == kind && i.fields != nil && strings.TrimSpace(i.string("description")) == "" {
			at.at("description").add("", nil, "")
		}
	})
}

// letters returns the letters and digits of a text in lower case.
func letters(text string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text))
}

func placeholderDescription(text string, at location) {
	if isPlaceholder(text) {
		at.add("description", rawjson.Quote(text), "The description is %q.", quote(text))
	}
}

// isPlaceholder reports whether a description was never written. What stands around its words may be long.
func isPlaceholder(text string) bool {
	return placeholder().MatchString(strings.TrimFunc(text, func(r rune) bool {
		return r != '_' && (r >= utf8.RuneSelf || !unicode.IsLetter(r) && !unicode.IsDigit(r))
	}))
}

// placeholder matches descriptions that were never written. It begins with one ^, which fails at once for
// almost all texts.
var placeholder = kit.Pattern(`^(?:(?i:\W*(?:todo|fixme|tbd|tba|xxx+|n/?a|none|null|undefined|placeholder|` +
	`test|lorem ipsum.*|(?:no|add|insert|your|the|enter|tool|missing)?\s*(?:tool\s+)?description` +
	`(?:\s+(?:here|goes here|missing|of the tool|tbd|todo|to be added))?)\W*$)|\W*(?:TODO|FIXME|TBD)\b)`)

// argumentsWithoutDescription looks for arguments of a tool that have neither a description nor a title, such
// as {"q": {"type": "string"}}. Arguments that are defined by reference are left out.
func argumentsWithoutDescription(t *item, at location) {
	if t.input == nil || len(t.input.subschemas) == 0 {
		return
	}
	properties := t.input.subschemas[0].properties()
	for _, name := range kit.SortedKeys(properties) {
		if p, ok := properties[name].(map[string]any); ok && !has(p, "description", "$ref", "title") {
			at.at("inputSchema", "properties", name).add("", nil, "The argument %q has no description.", name)
		}
	}
}

// annotationsMissing reports tools without any hint, and those that write and lack destructiveHint.
func annotationsMissing(t *item, at location) {
	missing := "destructiveHint (clients assume true)"
	switch hints := t.hints(); {
	case hints["readOnlyHint"] == true || hints["destructiveHint"] != nil:
		return
	case hints["readOnlyHint"] == nil:
		missing = "readOnlyHint (clients assume false)"
	}
	at.report(finding.Finding{Item: t.id, Path: "/annotations",
		Member: strings.Fields(missing)[0], Cause: "Tools lack " + missing,
		Message: fmt.Sprintf("The tool lacks %s.", missing)})
}

// Verbs in names of tools; ambiguous ones, such as "set", "run" and "clear", are left out.
var (
	destroying = []string{"delete", "remove", "drop", "destroy", "purge", "wipe", "truncate", "erase",
		"uninstall", "revoke"}
	writing = []string{"create", "update", "write", "insert", "upload", "rename", "publish", "deploy",
		"edit", "overwrite", "merge"}
	reading = []string{"get", "list", "read", "search", "find", "show", "describe", "check", "validate",
		"preview", "plan", "can", "is", "fetch", "explain"}
)

// deletes matches descriptions that begin with a deletion.
var deletes = kit.Pattern(`(?i)^\W*(?:permanently\s+|irreversibly\s+)?(?:deletes?|removes?|drops?|` +
	`destroys?|purges?|wipes?|erases?|uninstalls?|revokes?)\b`)

// annotationsAgainstName reports hints that contradict the verb at the start or end of the name, or at the
// start of the description.
func annotationsAgainstName(t *item, at location) {
	words := wording.Words(t.Key)
	if len(words) == 0 {
		return
	}
	at = at.at("annotations")
	verb, hints := words[0], t.hints()
	if !slices.Contains(slices.Concat(destroying, writing, reading), verb) {
		verb = words[len(words)-1]
	}
	destroys := slices.Contains(destroying, verb)
	text := strings.TrimSpace(deletes().FindString(t.string("description")))
	switch {
	case (destroys || slices.Contains(writing, verb)) && hints["readOnlyHint"] == true:
		at.add("", encoded(hints), "readOnlyHint is true, but the name contains %q.", verb)
	case destroys && hints["destructiveHint"] == false:
		at.add("", encoded(hints), "destructiveHint is false, but the name contains %q.", verb)
	case hints["readOnlyHint"] == true && text != "":
		at.add("", encoded(hints), "readOnlyHint is true, but the description begins with %q.", text)
	}
}

var structuredContent = kit.Pattern(`(?i)\bstructured ?content\b`)
