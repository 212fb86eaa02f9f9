// Package wording reads in texts for a model what changes how it behaves: orders that nobody gave, what people do not see,
// defaults that stand in prose alone, and the words in which two texts differ. It reads phrases that mean one thing only, and
// is silent about all others.
package wording

import (
	"regexp"

	"github.com/mcpctl/mcpctl/internal/match"
)

// Instructions are orders behind the user's back, each as published attacks word it.
var Instructions = []func() *regexp.Regexp{
	match.Pattern(`(?i)<\s*(?:important|system|secret|hidden|critical)\s*>`),
	match.Pattern(`(?i)\b(?:ignore|disregard|forget|override)\s+(?:all\s+|any\s+|the\s+|your\s+)*(?:previous|prior|above|earlier|preceding|other|system|existing)\s+(?:system\s+)?(?:instruction|prompt|rule|message|direction|guideline)s?\b`),
	match.Pattern(`(?i)\b(?:do\s+not|don't|never|must\s+not|without)\s+(?:tell|telling|mention|mentioning|inform|informing|reveal|revealing|notify|notifying|alert|alerting|disclose|disclosing|show|showing|let)\b[^.!?\n]{0,40}\b(?:the|your)\s+(?:user|human|customer|developer)\b[^.!?\n]{0,3}(?:[.!?\n]|about|of|that|know|what|$)`),
	match.Pattern(`(?i)\b(?:hide|conceal|keep)\s+(?:this|it|these|that)\b[^.!?\n]{0,20}\bfrom\s+the\s+(?:user|human)\b`),
	match.Pattern(`(?i)\bthe\s+(?:user|human)\s+(?:need\s+not|needn't|does\s+not\s+need\s+to|doesn't\s+need\s+to|must\s+not|should\s+not|shouldn't)\s+(?:be\s+(?:told|informed|notified|aware)|know|see|notice)\b`),
	match.Pattern(`(?i)\b(?:collect|read|gather|include|send|pass|attach|upload|copy|append)\b[^.!?\n]{0,40}(?:\s|/)\.env\b[^.!?\n]{0,60}`),
	match.Pattern(`(?i)\b(?:send|pass|include|attach|append|forward|copy)\b[^.!?\n]{0,20}\b(?:the|your)\s+(?:entire|whole|full|complete)\s+(?:conversation|chat|system\s+prompt|context\s+window)\b`),
}

// PriorityClaims are orders to use a tool instead of, or before, what the user and other servers want.
var PriorityClaims = []func() *regexp.Regexp{
	match.Pattern(`(?i)\balways\s+(?:use|call|invoke|run)\s+this\s+(?:tool|function|server)?\s*(?:first|before\s+(?:any|all|every|everything|anything|each|using\s+any)\b[^.!?\n]{0,40})`),
	match.Pattern(`(?i)\b(?:never|do\s+not|don't|must\s+not)\s+(?:use|call|invoke|rely\s+on)\s+(?:any\s+|the\s+)?other\s+(?:tools?|servers?|functions?|mcp\b)[^.!?\n]{0,30}`),
	match.Pattern(`(?i)\b(?:must|should|needs?\s+to|has\s+to)\s+be\s+(?:called|used|invoked|run)\s+(?:first\s+)?before\s+(?:any|all|every)\s+other\s+(?:tools?|servers?|functions?)\b`),
	match.Pattern(`(?i)\b(?:instead\s+of|over|rather\s+than)\s+(?:any|all)\s+other\s+(?:tools?|servers?|functions?|mcp\b)`),
	match.Pattern(`(?i)\b(?:takes?|has|have)\s+(?:absolute\s+|highest\s+)?(?:priority|precedence)\s+over\s+(?:any|all|every|other)\b[^.!?\n]{0,30}`),
}

// Default is a default that a text speaks of.
type Default struct {
	Word   string // the value as it is written, without its quotes
	Number bool   // it is a number
	Unit   string // what stands behind a number, white space included
	Bare   bool   // it is a word without quotes, perhaps one of the sentence
}

// value is what a text may write for a value: something in quotes, a number, true or false, or a word.
const value = "(?:\"([^\"\\n]{0,80})\"|'([^'\\n]{0,80})'|`([^`\\n]{0,80})`|(-?\\d[\\d_]*(?:,\\d{3})*(?:\\.\\d+)?)(\\s*[%A-Za-z]\\w*)?|\\b(true|false)\\b|([A-Za-z][\\w-]*))"

var defaults = match.Pattern(`(?i)\bdefaults?(?:\s+value)?(?:\s*[:=]\s*|\s+(?:is|to|of|as)\s+|\s+)` + value)

// Defaults are those that a text speaks of, in their order. A mention without a value has no Word.
func Defaults(text string) []Default {
	var all []Default
	for _, m := range defaults().FindAllStringSubmatch(text, -1) {
		one := Default{Number: m[4] != "", Unit: m[5], Bare: m[7] != ""}
		for _, group := range []int{1, 2, 3, 4, 6, 7} {
			one.Word += m[group]
		}
		all = append(all, one)
	}
	return all
}
