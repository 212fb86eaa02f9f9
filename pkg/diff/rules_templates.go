package diff

import "github.com/mcpctl/mcpctl/pkg/finding"

// templateRules are about resource templates.
func templateRules() []finding.Rule {
	return []finding.Rule{
		{
			ID: "template-removed", Level: finding.Breaking,
			Title: "The resource template is gone", Doc: "URIs that clients make of it are not answered any more.",
			Example: `repo://{owner}/{name} → nothing`, Instead: "Keep answering the URIs of the old template.",
		},
		{
			ID: "template-added", Level: finding.Info,
			Title: "The resource template is new", Doc: "Nobody depends on it yet.",
			Example: `nothing → repo://{owner}/{name}`, Instead: "Nothing to do.",
		},
		{
			ID: "template-uri-changed", Level: finding.Breaking,
			Title: "The template makes other URIs", Doc: "The name is the same; the fixed parts, or the way in which a variable is written out, are not. URIs made of the old template do not match any more.",
			Example: `repo://{owner}/{name} → git://{owner}/{name}`, Instead: "Offer both templates for a while.",
		},
		{
			ID: "template-variable-added", Level: finding.Breaking,
			Title: "The template has a variable that is new", Doc: "URIs made of the old template lack a part. Where the variable stands in a query ({?x} or {&x}) they still match, and it is info.",
			Example: `repo://{owner} → repo://{owner}/{name}`, Instead: "Add the variable as a query.",
		},
		{
			ID: "template-variable-removed", Level: finding.Breaking,
			Title: "A variable of the template is gone", Doc: "URIs made of the old template have a part too many.",
			Example: `repo://{owner}/{name} → repo://{owner}`, Instead: "Offer both templates for a while.",
		},
		{
			ID: "template-variable-renamed", Level: finding.Warning,
			Title: "A variable of the template has another name", Doc: "The URIs stay the same, but completion asks by the variable's name, and models fill in by what it says.",
			Example: `repo://{owner}/{name} → repo://{org}/{name}`, Instead: "Keep the name.",
		},
		{
			ID: "template-changed", Level: finding.Warning,
			Title: "A part of the template differs that no rule knows", Doc: "The template has a member that the specification does not define, or is not shaped like a template. It is told because nothing may be hidden.",
			Example: `{"uriTemplate":"a:{b}","x":1} → {"uriTemplate":"a:{b}","x":2}`, Instead: "Put what is not in the specification under _meta.",
		},
		{
			ID: "template-name-changed", Level: finding.Warning,
			Title: "The template has another name", Doc: "People choose templates by name.",
			Example: `"repo" → "repository"`, Instead: "Keep the name and change the title.",
		},
		{
			ID: "template-title-changed", Level: finding.Info,
			Title: "The template is shown under another title", Doc: "Titles are for show.",
			Example: `"Repository" → "A repository"`, Instead: "Nothing to do.",
		},
		{
			ID: "template-description-changed", Level: finding.Warning,
			Title: "The template's description changed", Doc: "People and models choose by it. It counts as well when it appears or is gone; line ends and trailing blanks do not.",
			Example: `"A repository." → "A repository and its files."`, Instead: "Have the new text reviewed.",
		},
		{
			ID: "template-mime-type-changed", Level: finding.Breaking,
			Title: "What the template leads to has another media type", Doc: "Who parses by the old type fails. Case does not count. A warning where the type is no longer said or only its parameters differ, info where it was not said before.",
			Example: `"text/plain" → "application/json"`, Instead: "Offer the other type under another template.",
		},
		{
			ID: "template-annotations-changed", Level: finding.Info,
			Title: "The annotations of the template differ", Doc: "Audience and priority are hints. lastModified is data and does not count.",
			Example: `{"priority":1} → {"priority":0.5}`, Instead: "Nothing to do.",
		},
		{
			ID: "template-meta-changed", Level: finding.Info,
			Title: "The template's _meta differs", Doc: "What _meta holds is between the server and those who know its keys.",
			Example: `{"a":1} → {"a":2}`, Instead: "Nothing to do.",
		},
		{
			ID: "template-icons-changed", Level: finding.Info,
			Title: "The template's icons differ", Doc: "Icons are for show.",
			Example: `[] → [{"src":"https://a/1.png"}]`, Instead: "Nothing to do.",
		},
	}
}
