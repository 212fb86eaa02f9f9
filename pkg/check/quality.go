package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// qualityRules are about how well a model and a host can work with what is offered.
var qualityRules = map[string]func(*server, tell){
	"tool-description-missing":      undescribed(snapshot.Tools),
	"prompt-description-missing":    undescribed(snapshot.Prompts),
	"tool-description-repeats-name": repeatsName,
	"tool-description-placeholder":  placeholders,
	"tool-description-duplicate":    sameDescriptions,
	"argument-description-missing":  undescribedArguments,
	"tool-annotations-missing":      unannotated,
	"tool-annotations-contradict":   contradictingHints,
	"tool-annotation-not-boolean":   hintsNotBoolean,
	"tool-annotations-against-name": hintsAgainstName,
	"output-schema-missing":         outputUndescribed,
}

func undescribed(kind snapshot.Kind) func(*server, tell) {
	return func(s *server, report tell) {
		for _, i := range s.of(kind) {
			if i.fields != nil && strings.TrimSpace(i.text("description")) == "" {
				report(finding.Finding{Item: i.id, Path: "/description"})
			}
		}
	}
}

func repeatsName(s *server, report tell) {
	for _, t := range s.tools {
		if d := t.text("description"); lettersOf(d) != "" && lettersOf(d) == lettersOf(t.Key) {
			report(finding.Finding{Item: t.id, Path: "/description", New: rawjson.Quote(d)})
		}
	}
}

// lettersOf is a text without case, spaces and punctuation.
func lettersOf(text string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text))
}

// placeholderText is a description that somebody meant to write.
var placeholderText = match.Pattern(`(?i)^\W*(?:todo|fixme|tbd|tba|xxx+|n/?a|none|null|undefined|placeholder|test|lorem ipsum.*|(?:no|add|insert|your|the|enter|tool|missing)?\s*(?:tool\s+)?description(?:\s+(?:here|goes here|missing|of the tool|tbd|todo|to be added))?)\W*$|(?-i:^\W*(?:TODO|FIXME|TBD)\b)`)

func placeholders(s *server, report tell) {
	for _, t := range s.tools {
		if d := t.text("description"); strings.TrimSpace(d) != "" && placeholderText().MatchString(d) {
			report(finding.Finding{Item: t.id, Path: "/description", New: rawjson.Quote(d), Message: fmt.Sprintf("The description is %q.", clip(d))})
		}
	}
}

// sameDescriptions tells every tool but the first that has a description by the one before it.
func sameDescriptions(s *server, report tell) {
	first := map[string]string{}
	for _, t := range s.tools {
		d := lettersOf(t.text("description"))
		if d == "" || placeholderText().MatchString(t.text("description")) {
			continue
		}
		if other, seen := first[d]; seen && other != t.Key {
			report(finding.Finding{Item: t.id, Path: "/description", New: rawjson.Quote(t.text("description")), Message: fmt.Sprintf("The description is that of %s, too.", other)})
		} else {
			first[d] = t.Key
		}
	}
}

func undescribedArguments(s *server, report tell) {
	for _, t := range s.tools {
		schema, _ := t.fields["inputSchema"].(map[string]any)
		properties, _ := schema["properties"].(map[string]any)
		var missing []string
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if p, ok := properties[name].(map[string]any); ok && !has(p, "description", "$ref", "title") {
				missing = append(missing, name)
			}
		}
		undescribedNames(t.item, "/inputSchema/properties", missing, report)
	}
	for _, i := range s.of(snapshot.Prompts) {
		arguments, _ := i.fields["arguments"].([]any)
		var missing []string
		for _, value := range arguments {
			a, _ := value.(map[string]any)
			if name, ok := a["name"].(string); ok && a["description"] == nil {
				missing = append(missing, name)
			}
		}
		undescribedNames(i, "/arguments", missing, report)
	}
}

func undescribedNames(i item, path string, missing []string, report tell) {
	if len(missing) > 0 {
		report(finding.Finding{Item: i.id, Path: path, New: encoded(missing), Message: fmt.Sprintf("Without a description: %s.", some(missing))})
	}
}

// unannotated tells all tools without a hint in one finding, since a server mostly has hints or has none, and in another
// one all that lack the second hint.
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
		report(finding.Finding{Path: "/tools", New: encoded(none), Message: fmt.Sprintf("Tools that do not say whether they write (%d of %d): %s.", len(none), len(s.tools), some(none))})
	}
	switch len(half) {
	case 0:
	case 1:
		report(finding.Finding{Item: snapshot.Tools.ID(half[0]), Path: "/annotations", Member: "destructiveHint", Message: "The tool writes and does not say whether it destroys, so it is taken to."})
	default:
		report(finding.Finding{Path: "/tools", Member: "destructiveHint", New: encoded(half), Message: fmt.Sprintf("Tools that write and do not say whether they destroy, so that they are taken to (%d of %d): %s.", len(half), len(s.tools), some(half))})
	}
}

func contradictingHints(s *server, report tell) {
	for _, t := range s.tools {
		if hints := t.hints(); hints["readOnlyHint"] == true && hints["destructiveHint"] == true {
			report(finding.Finding{Item: t.id, Path: "/annotations", New: encoded(hints)})
		}
	}
}

func hintsNotBoolean(s *server, report tell) {
	for _, t := range s.tools {
		for _, name := range []string{"destructiveHint", "idempotentHint", "openWorldHint", "readOnlyHint"} {
			value, there := t.hints()[name]
			if _, boolean := value.(bool); there && !boolean {
				report(finding.Finding{Item: t.id, Path: "/annotations/" + name, New: encoded(value)})
			}
		}
	}
}

// Verbs of names that say what a tool does to what is there. Those that mean other things as often, such as "set", "run"
// and "clear", are left out.
var (
	destroying = []string{"delete", "remove", "drop", "destroy", "purge", "wipe", "truncate", "erase", "uninstall", "revoke"}
	writing    = []string{"create", "update", "write", "insert", "upload", "rename", "publish", "deploy", "edit", "overwrite", "merge"}
)

// hintsAgainstName tells hints that say less than the verb at the start of the name, or at its end: issue_delete.
func hintsAgainstName(s *server, report tell) {
	for _, t := range s.tools {
		words := wordsOf(t.Key)
		if len(words) == 0 {
			continue
		}
		verb, hints := words[0], t.hints()
		if !slices.Contains(destroying, verb) && !slices.Contains(writing, verb) && len(words) > 1 && !slices.Contains(reading, verb) {
			verb = words[len(words)-1]
		}
		says := ""
		switch destroys := slices.Contains(destroying, verb); {
		case (destroys || slices.Contains(writing, verb)) && hints["readOnlyHint"] == true:
			says = "it only reads"
		case destroys && hints["destructiveHint"] == false:
			says = "it destroys nothing"
		default:
			continue
		}
		report(finding.Finding{Item: t.id, Path: "/annotations", New: encoded(hints), Message: fmt.Sprintf("The name says %q, and the annotations say that %s.", verb, says)})
	}
}

// reading are verbs after which a word such as "delete" at the end of a name is no verb.
var reading = []string{"get", "list", "read", "search", "find", "show", "describe", "check", "validate", "preview", "plan", "can", "is", "fetch", "explain"}

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
	return strings.FieldsFunc(spaced.String(), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

var structured = match.Pattern(`(?i)\bstructured ?content\b`)

func outputUndescribed(s *server, report tell) {
	for _, t := range s.tools {
		if t.output == nil && structured().MatchString(t.text("description")) {
			report(finding.Finding{Item: t.id, Path: "/outputSchema"})
		}
	}
}

// clip is a text for a message, cut when it is long.
func clip(text string) string {
	if runes := []rune(text); len(runes) > 80 {
		return string(runes[:80]) + "…"
	}
	return text
}
