package report

import (
	"html"
	"regexp"
	"strings"
)

// markup is HTML as it may stand in Markdown: whatever comes from elsewhere is escaped, and no line of it is blank, since
// a blank line would end the HTML and let Markdown read what follows.
type markup string

// code is a text as code, in which nobody is mentioned and nothing becomes a link.
func code(s safe) markup { return "<code>" + markup(html.EscapeString(string(s))) + "</code>" }

// calm is a word that no reader of Markdown takes for anything but a word.
var calm = regexp.MustCompile(`^[("']*[\p{L}]+(['’-][\p{L}]+)*[)"']*[,.;:!?]?$|^[0-9]{1,4}[,.;:]?$`)

// hash is a word that may be taken for the name of a commit.
var hash = regexp.MustCompile(`^[0-9a-f]{7,}$`)

// prose is a sentence in which every word that could be more than a word stands as code: names, paths, mentions, links,
// and what stands between two backticks.
func prose(s safe) markup {
	parts := strings.Split(string(s), "`")
	if len(parts)%2 == 0 { // not in pairs
		return sentence(s)
	}
	var b strings.Builder
	for i, part := range parts {
		if i%2 == 1 {
			b.WriteString(string(code(safe(part))))
			continue
		}
		b.WriteString(part[:len(part)-len(strings.TrimLeft(part, " "))])
		b.WriteString(string(sentence(safe(part))))
		if trimmed := strings.TrimRight(part, " "); trimmed != "" {
			b.WriteString(part[len(trimmed):])
		}
	}
	return markup(b.String())
}

// sentence is prose without regard to backticks.
func sentence(s safe) markup {
	var words []string
	for word := range strings.FieldsSeq(string(s)) {
		if calm.MatchString(word) && !hash.MatchString(word) {
			words = append(words, html.EscapeString(word))
			continue
		}
		name := strings.TrimRight(word, ",.;:!?")
		if name == "" {
			name = word
		}
		words = append(words, string(code(safe(name)))+word[len(name):])
	}
	return markup(strings.ReplaceAll(strings.Join(words, " "), "</code> <code>", " "))
}

// preformatted are lines as they stand, with what is gone and what is new marked.
func preformatted(rows [][]span) markup {
	if len(rows) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("<pre>")
	for i, row := range rows {
		if i > 0 {
			b.WriteString("\n")
		}
		line := rowMarkup(trimEnd(row))
		if strings.TrimSpace(string(line)) == "" {
			line = "&#32;"
		}
		b.WriteString(string(line))
	}
	b.WriteString("</pre>\n")
	return markup(b.String())
}

func rowMarkup(row []span) markup {
	var b strings.Builder
	for _, s := range row {
		text := html.EscapeString(string(s.text))
		switch s.ink {
		case red:
			text = "<del>" + text + "</del>"
		case green:
			text = "<ins>" + text + "</ins>"
		}
		b.WriteString(text)
	}
	return markup(b.String())
}
