package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// qualityRows are about how well a model and a host can work with what is offered.
func qualityRows() []row { return slices.Concat(textRows(), hintRows()) }

func textRows() []row {
	return []row{
		{Rule: finding.Rule{
			ID: "tool-description-missing", Level: finding.Warning,
			Title:   "The tool has no description",
			Doc:     "The description tells a model when to call the tool. Without one it guesses from the name.",
			Example: `{"name":"sync"}`,
			Instead: "Say in a sentence what the tool does and when to use it.",
		}, alone: undescribed(snapshot.Tools)},
		{Rule: finding.Rule{
			ID: "prompt-description-missing", Level: finding.Info,
			Title:   "The prompt has no description",
			Doc:     "People choose a prompt from a list by its description.",
			Example: `{"name":"review"}`,
			Instead: "Say in a sentence what the prompt is for.",
		}, alone: undescribed(snapshot.Prompts)},
		{Rule: finding.Rule{
			ID: "tool-description-repeats-name", Level: finding.Warning,
			Title:   "The tool's description says no more than its name",
			Doc:     "A model learns nothing from it.",
			Example: `{"name":"list_files","description":"List files"}`,
			Instead: "Say what is special: which files, in what order, up to how many.",
		}, alone: repeatsName},
		{Rule: finding.Rule{
			ID: "argument-description-missing", Level: finding.Info,
			Title:   "An argument has no description",
			Doc:     "A model has to guess from its name what it means and how it is written. Told once for each tool or prompt.",
			Example: `{"properties":{"q":{"type":"string"}}}`,
			Instead: "Describe every argument.",
		}, alone: undescribedArguments},
		{Rule: finding.Rule{
			ID: "tool-name-unusual", Level: finding.Warning,
			Title:   "The tool's name is not as the specification advises",
			Doc:     "Names should have 1 to 128 letters, digits, underscores, hyphens and dots (specification 2025-11-25, tool names). Clients refuse others or rewrite them, so that a call goes wrong.",
			Example: `"create issue"`,
			Instead: "Use letters, digits, underscores, hyphens and dots.",
		}, alone: unusualName},
	}
}

func hintRows() []row {
	return []row{
		{Rule: finding.Rule{
			ID: "tool-annotations-missing", Level: finding.Info,
			Title:   "The tool does not say whether it writes",
			Doc:     "Without readOnlyHint a host takes a tool for one that writes and destroys, and asks the user each time. One that writes should also say destructiveHint, whose default is true.",
			Example: `{"name":"search"}`,
			Instead: `Add "annotations":{"readOnlyHint":true}, or readOnlyHint false and destructiveHint.`,
		}, alone: unannotated},
		{Rule: finding.Rule{
			ID: "tool-annotations-contradict", Level: finding.Warning,
			Title:   "The tool's annotations contradict one another",
			Doc:     "A tool that only reads cannot destroy. Hosts differ in which hint they follow.",
			Example: `{"readOnlyHint":true,"destructiveHint":true}`,
			Instead: "Leave destructiveHint out of tools that only read.",
		}, alone: contradictingHints},
		{Rule: finding.Rule{
			ID: "tool-annotation-not-boolean", Level: finding.Breaking,
			Title:   "A hint is neither true nor false",
			Doc:     "Typed clients fail on the whole list because of it.",
			Example: `{"readOnlyHint":"true"}`,
			Instead: "Write true or false.",
		}, alone: hintsNotBoolean},
		{Rule: finding.Rule{
			ID: "output-schema-missing", Level: finding.Info,
			Title:   "The tool announces structured results without their schema",
			Doc:     "Its description speaks of structured content, and outputSchema is not there: a program cannot know what it will get.",
			Example: `"description":"Returns structuredContent with the rows."`,
			Instead: "Add outputSchema.",
		}, alone: outputUndescribed},
	}
}

func undescribed(kind snapshot.Kind) func(*subject, tell) {
	return func(s *subject, report tell) {
		for _, i := range itemsOf(s.Snapshot, kind) {
			if i.fields != nil && strings.TrimSpace(i.text("description")) == "" {
				report(finding.Finding{Item: i.id, Path: "/description"})
			}
		}
	}
}

func repeatsName(s *subject, report tell) {
	for _, t := range s.tools {
		if d := t.text("description"); lettersOf(d) != "" && lettersOf(d) == lettersOf(t.Key) {
			report(finding.Finding{Item: t.id, Path: "/description", New: quoted(d)})
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

func undescribedArguments(s *subject, report tell) {
	for _, t := range s.tools {
		schema, _ := t.fields["inputSchema"].(map[string]any)
		properties, _ := schema["properties"].(map[string]any)
		var missing []string
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if p, ok := properties[name].(map[string]any); ok && p["description"] == nil && p["$ref"] == nil && p["title"] == nil {
				missing = append(missing, name)
			}
		}
		undescribedNames(t.item, "/inputSchema/properties", missing, report)
	}
	for _, i := range itemsOf(s.Snapshot, snapshot.Prompts) {
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

// some is the first few of many texts, and how many more there are.
func some(texts []string) string {
	const few = 5
	if more := len(texts) - few; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(texts[:few], ", "), more)
	}
	return strings.Join(texts, ", ")
}

var advisedNames = expression(`^[A-Za-z0-9_.-]{1,128}$`)

func unusualName(s *subject, report tell) {
	for _, t := range s.tools {
		if t.Key != "" && !advisedNames().MatchString(t.Key) {
			report(finding.Finding{Item: t.id, Path: "/name", New: quoted(t.Key)})
		}
	}
}

// unannotated tells all tools without a hint in one finding, since a server mostly has hints or has none.
func unannotated(s *subject, report tell) {
	var none []string
	for _, t := range s.tools {
		hints, _ := t.fields["annotations"].(map[string]any)
		switch {
		case t.fields == nil || hints["readOnlyHint"] == true:
		case hints["readOnlyHint"] == nil && hints["destructiveHint"] == nil:
			none = append(none, t.Key)
		case hints["destructiveHint"] == nil:
			report(finding.Finding{Item: t.id, Path: "/annotations", Member: "destructiveHint", Message: "The tool writes and does not say whether it destroys, so it is taken to."})
		}
	}
	if len(none) > 0 {
		report(finding.Finding{Path: "/tools", New: encoded(none), Message: fmt.Sprintf("Tools that do not say whether they write (%d of %d): %s.", len(none), len(s.tools), some(none))})
	}
}

func contradictingHints(s *subject, report tell) {
	for _, t := range s.tools {
		hints, _ := t.fields["annotations"].(map[string]any)
		if hints["readOnlyHint"] == true && hints["destructiveHint"] == true {
			report(finding.Finding{Item: t.id, Path: "/annotations", New: encoded(hints)})
		}
	}
}

func hintsNotBoolean(s *subject, report tell) {
	for _, t := range s.tools {
		hints, _ := t.fields["annotations"].(map[string]any)
		for _, name := range []string{"destructiveHint", "idempotentHint", "openWorldHint", "readOnlyHint"} {
			value, there := hints[name]
			if _, boolean := value.(bool); there && !boolean {
				report(finding.Finding{Item: t.id, Path: "/annotations/" + name, New: encoded(value)})
			}
		}
	}
}

var structured = expression(`(?i)\bstructured ?content\b`)

func outputUndescribed(s *subject, report tell) {
	for _, t := range s.tools {
		if t.fields["outputSchema"] == nil && structured().MatchString(t.text("description")) {
			report(finding.Finding{Item: t.id, Path: "/outputSchema"})
		}
	}
}
