package diff

import "github.com/mcpctl/mcpctl/pkg/finding"

// promptRules are about prompts and their arguments.
func promptRules() []finding.Rule {
	return []finding.Rule{
		{
			ID: "prompt-removed", Level: finding.Breaking,
			Title: "The prompt is gone", Doc: "Whoever asks for it gets an error. If a new prompt looks like its successor, the hint names it.",
			Example: `prompts a, b → prompts a`, Instead: "Keep the prompt for a while.",
		},
		{
			ID: "prompt-added", Level: finding.Info,
			Title: "The prompt is new", Doc: "Nobody depends on it yet.",
			Example: `prompts a → prompts a, b`, Instead: "Nothing to do.",
		},
		{
			ID: "prompt-renamed", Level: finding.Breaking,
			Title: "The prompt has another name", Doc: "A prompt is gone and one that is the same in everything but its name is new. It stands for both.",
			Example: `review → review_code`, Instead: "Offer both names for a while.",
		},
		{
			ID: "prompt-changed", Level: finding.Warning,
			Title: "A part of the prompt differs that no rule knows", Doc: "The prompt has a member that the specification does not define, or is not shaped like a prompt. It is told because nothing may be hidden.",
			Example: `{"name":"a","x":1} → {"name":"a","x":2}`, Instead: "Put what is not in the specification under _meta.",
		},
		{
			ID: "prompt-title-changed", Level: finding.Info,
			Title: "The prompt is shown under another title", Doc: "What people see is the title, else the name.",
			Example: `"Review" → "Check"`, Instead: "Nothing to do.",
		},
		{
			ID: "prompt-description-changed", Level: finding.Warning,
			Title: "The prompt's description changed", Doc: "People and models choose by it. It counts as well when it appears or is gone; line ends and trailing blanks do not.",
			Example: `"Review code." → "Review."`, Instead: "Have the new text reviewed.",
		},
		{
			ID: "prompt-argument-removed", Level: finding.Breaking,
			Title: "An argument of the prompt is gone", Doc: "Who sends it is refused or not heard.",
			Example: `arguments code, lang → arguments code`, Instead: "Keep the argument and ignore it.",
		},
		{
			ID: "prompt-argument-renamed", Level: finding.Breaking,
			Title: "An argument of the prompt has another name", Doc: "An argument is gone and one that is the same in everything but its name is new. It stands for both.",
			Example: `arguments lang → arguments language`, Instead: "Accept both names for a while.",
		},
		{
			ID: "prompt-required-argument-added", Level: finding.Breaking,
			Title: "The prompt requires an argument that is new", Doc: "Requests that were complete so far are not any more.",
			Example: `arguments code → arguments code, lang (required)`, Instead: "Make the new argument optional.",
		},
		{
			ID: "prompt-optional-argument-added", Level: finding.Info,
			Title: "The prompt takes an argument that is new", Doc: "Requests without it work as before.",
			Example: `arguments code → arguments code, lang`, Instead: "Nothing to do.",
		},
		{
			ID: "prompt-argument-became-required", Level: finding.Breaking,
			Title: "An argument of the prompt is required now", Doc: "Requests without it were complete so far and are not any more.",
			Example: `{"name":"lang"} → {"name":"lang","required":true}`, Instead: "Leave it optional.",
		},
		{
			ID: "prompt-argument-became-optional", Level: finding.Info,
			Title: "An argument of the prompt is optional now", Doc: "Requests with it work as before.",
			Example: `{"name":"lang","required":true} → {"name":"lang"}`, Instead: "Nothing to do.",
		},
		{
			ID: "prompt-argument-description-changed", Level: finding.Warning,
			Title: "The description of an argument changed", Doc: "What is filled in follows what the description says.",
			Example: `"The code." → "The path of the code."`, Instead: "Have the new text reviewed.",
		},
		{
			ID: "prompt-argument-title-changed", Level: finding.Info,
			Title: "An argument is shown under another title", Doc: "What people see is the title, else the name.",
			Example: `"Code" → "Source"`, Instead: "Nothing to do.",
		},
		{
			ID: "prompt-argument-order-changed", Level: finding.Info,
			Title: "The arguments come in another order", Doc: "Some clients take the arguments of a slash command by position.",
			Example: `arguments a, b → arguments b, a`, Instead: "Add new arguments at the end.",
		},
		{
			ID: "prompt-meta-changed", Level: finding.Info,
			Title: "The prompt's _meta differs", Doc: "What _meta holds is between the server and those who know its keys.",
			Example: `{"a":1} → {"a":2}`, Instead: "Nothing to do.",
		},
		{
			ID: "prompt-icons-changed", Level: finding.Info,
			Title: "The prompt's icons differ", Doc: "Icons are for show.",
			Example: `[] → [{"src":"https://a/1.png"}]`, Instead: "Nothing to do.",
		},
	}
}
