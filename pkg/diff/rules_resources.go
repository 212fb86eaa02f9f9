package diff

import "github.com/mcpctl/mcpctl/pkg/finding"

// resourceRules are about resources.
func resourceRules() []finding.Rule {
	return []finding.Rule{
		{
			ID: "resource-removed", Level: finding.Breaking,
			Title: "The resource is gone", Doc: "Whoever reads its URI gets an error. A warning only where the server declares resources.listChanged: such a list comes and goes by design.",
			Example: `file:///a, file:///b → file:///a`, Instead: "Keep the URI and let its content say what replaces it.",
		},
		{
			ID: "resource-added", Level: finding.Info,
			Title: "The resource is new", Doc: "Nobody depends on it yet.",
			Example: `file:///a → file:///a, file:///b`, Instead: "Nothing to do.",
		},
		{
			ID: "resource-uri-changed", Level: finding.Breaking,
			Title: "The resource has another URI", Doc: "The name is the same, the URI is not: who kept the old one gets an error. It stands for the removed and the added resource.",
			Example: `file:///a.md → file:///b.md`, Instead: "Keep the old URI too.",
		},
		{
			ID: "resource-changed", Level: finding.Warning,
			Title: "A part of the resource differs that no rule knows", Doc: "The resource has a member that the specification does not define, or is not shaped like a resource. It is told because nothing may be hidden.",
			Example: `{"uri":"a:b","x":1} → {"uri":"a:b","x":2}`, Instead: "Put what is not in the specification under _meta.",
		},
		{
			ID: "resource-name-changed", Level: finding.Warning,
			Title: "The resource has another name", Doc: "People mention resources by name, and clients complete it.",
			Example: `"a" → "b"`, Instead: "Keep the name and change the title.",
		},
		{
			ID: "resource-title-changed", Level: finding.Info,
			Title: "The resource is shown under another title", Doc: "Titles are for show.",
			Example: `"Notes" → "My notes"`, Instead: "Nothing to do.",
		},
		{
			ID: "resource-description-changed", Level: finding.Warning,
			Title: "The resource's description changed", Doc: "People and models choose by it. It counts as well when it appears or is gone; line ends and trailing blanks do not.",
			Example: `"Notes." → "Notes and drafts."`, Instead: "Have the new text reviewed.",
		},
		{
			ID: "resource-mime-type-changed", Level: finding.Breaking,
			Title: "The resource has another media type", Doc: "Who parses by the old type fails. Case does not count; where only parameters such as charset differ it is a warning.",
			Example: `"text/markdown" → "text/html"`, Instead: "Offer the other type under another URI.",
		},
		{
			ID: "resource-mime-type-removed", Level: finding.Warning,
			Title: "The resource no longer says its media type", Doc: "Readers have to find out by looking at the content.",
			Example: `"text/markdown" → absent`, Instead: "Keep saying it.",
		},
		{
			ID: "resource-mime-type-added", Level: finding.Info,
			Title: "The resource says its media type now", Doc: "A stronger promise than before.",
			Example: `absent → "text/markdown"`, Instead: "Nothing to do.",
		},
		{
			ID: "resource-annotations-changed", Level: finding.Info,
			Title: "The annotations of the resource differ", Doc: "Audience and priority are hints. lastModified is data and does not count.",
			Example: `{"audience":["user"]} → {"audience":["assistant"]}`, Instead: "Nothing to do.",
		},
		{
			ID: "resource-size-changed", Level: finding.Off,
			Title: "The resource has another size", Doc: "Size is data, not contract. Off unless it is enabled.",
			Example: `1 → 2`, Instead: "Nothing to do.",
		},
		{
			ID: "resource-meta-changed", Level: finding.Info,
			Title: "The resource's _meta differs", Doc: "What _meta holds is between the server and those who know its keys.",
			Example: `{"a":1} → {"a":2}`, Instead: "Nothing to do.",
		},
		{
			ID: "resource-icons-changed", Level: finding.Info,
			Title: "The resource's icons differ", Doc: "Icons are for show.",
			Example: `[] → [{"src":"https://a/1.png"}]`, Instead: "Nothing to do.",
		},
	}
}
