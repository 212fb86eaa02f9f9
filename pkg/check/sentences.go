package check

import (
	"slices"
	"strings"
	"unicode"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// token is a word of a sentence.
type token struct {
	text       string // in lower case, without punctuation
	class      class  // of the word, and of phrases that begin with it
	comma      bool   // ends a clause
	start, end int    // in the text
}

// in reports whether the word is one of some words.
func (t token) in(words string) bool { return slices.Contains(strings.Fields(words), t.text) }

// sentence is a sentence of a text.
type sentence struct {
	words []token
	all   class // of all words
	first bool  // of the text: it mostly says what the tool does
}

// sentencesOf splits a text. A sentence ends with a mark, an empty line, or before a line that begins a list
// or a tag.
func sentencesOf(text string) []sentence {
	var all []sentence
	current := sentence{first: true}
	flush := func() {
		if len(current.words) > 0 {
			current.findPhrases()
			all = append(all, current)
			current = sentence{}
		}
	}
	for at := 0; at < len(text); {
		rest := text[at:]
		raw := rest
		if end := strings.IndexFunc(rest, unicode.IsSpace); end >= 0 {
			raw = rest[:end]
		}
		if tag := isTag().FindStringIndex(raw); tag != nil && tag[0] > 0 {
			raw = raw[:tag[0]]
		} else if tag != nil {
			raw = raw[:tag[1]]
		}
		bare := strings.Trim(raw, ".,;:!?\"'`()[]{}<>*|“”‘’_#=。")
		if bare != "" {
			current.add(bare, raw, at+strings.Index(raw, bare))
		}
		if endsSentence(raw, bare) {
			flush()
		}
		next := strings.TrimLeftFunc(rest[len(raw):], unicode.IsSpace)
		blank := rest[len(raw) : len(rest)-len(next)]
		at = len(text) - len(next)
		lines := strings.Count(blank, "\n")
		if lines > 1 || lines > 0 && next != "" && strings.ContainsRune("-*#<[", rune(next[0])) {
			flush()
		}
	}
	flush()
	return all
}

// isTag matches a tag, which a word may touch.
var isTag = kit.Pattern(`</?[A-Za-z][A-Za-z_-]*>`)

// endsSentence reports whether a word with its punctuation ends a sentence.
func endsSentence(raw, bare string) bool {
	return strings.ContainsAny(raw[max(0, len(raw)-2):], ".!?") && raw != "" &&
		strings.ContainsAny(raw[len(raw)-1:], ".!?)\"'") &&
		!strings.EqualFold(bare, "e.g") && !strings.EqualFold(bare, "i.e") || strings.HasSuffix(raw, "。")
}

// add appends a word.
func (s *sentence) add(bare, raw string, at int) {
	lower := strings.ReplaceAll(strings.ToLower(bare), "’", "'")
	c := lexicon().words[lower]
	if owner, owned := strings.CutSuffix(lower, "'s"); owned {
		if c |= lexicon().words[owner]; lexicon().words[owner]&isPerson != 0 {
			c |= isOwner
		}
	}
	switch {
	case strings.ContainsAny(bare, "@:+0123456789") && isAddressed().MatchString(bare):
		c |= isAddress
	case strings.ContainsAny(bare, "._/\\") && isSensitive().MatchString(bare):
		c |= isFile
	case strings.Contains(bare, "_") && isVariable().MatchString(bare):
		c |= isFile
	}
	if path := strings.TrimLeft(raw, "`\"'("); strings.HasPrefix(path, "~/.") ||
		strings.HasPrefix(path, ".env") || strings.HasPrefix(path, ".ssh") ||
		strings.HasPrefix(path, ".bash_history") || strings.HasPrefix(path, ".netrc") {
		c |= isFile // whose point was taken for punctuation
	}
	if strings.HasPrefix(raw, "`") {
		c |= isSlot
	}
	if strings.HasSuffix(raw, `":`) {
		c = 0 // a name in an example of JSON
	}
	s.words = append(s.words, token{lower, c, strings.ContainsAny(raw[len(raw)-1:], ",;:)"), at,
		at + len(bare)})
	s.all |= c
}

// findPhrases adds the classes of phrases to their first words.
func (s *sentence) findPhrases() {
	for i := range s.words {
		for _, p := range lexicon().phrases[s.words[i].text] {
			if i+len(p.words) <= len(s.words) && slices.EqualFunc(p.words, s.words[i:i+len(p.words)],
				func(word string, t token) bool { return word == "_" || word == t.text }) {
				s.words[i].class |= p.class
				s.all |= p.class
			}
		}
	}
}

// says reports whether the sentence has one of some texts of several words.
func (s *sentence) says(texts ...string) bool {
	return slices.ContainsFunc(texts, func(text string) bool {
		words := strings.Fields(text)
		for i := 0; i+len(words) <= len(s.words); i++ {
			same := func(word string, t token) bool { return word == t.text }
			if slices.EqualFunc(words, s.words[i:i+len(words)], same) {
				return true
			}
		}
		return false
	})
}

// has reports whether the sentence has a word of each class.
func (s *sentence) has(every ...class) bool {
	return !slices.ContainsFunc(every, func(c class) bool { return s.all&c == 0 })
}

// near reports whether a word of a class is among the n words behind i, or before it if n is negative.
func (s *sentence) near(i, n int, c class) bool { return s.index(i, n, c) >= 0 }

func (s *sentence) index(i, n int, c class) int {
	from, to := i+1, min(len(s.words), i+1+n)
	if n < 0 {
		from, to = max(0, i+n), i
	}
	for j := from; j < to; j++ {
		if s.words[j].class&c != 0 {
			return j
		}
	}
	return -1
}

var (
	leads = kit.Set(strings.Fields("then and also please first always must should shall or you will " +
		"afterwards never not to now just immediately automatically directly finally additionally instead " +
		"simply stop avoid addition don't assistant model agent could please does do it may quietly"))
	obliges = kit.Set(strings.Fields("need needs has have remember sure required essential necessary " +
		"important order mandatory going refuse permitted allowed fine"))
)

// ordered reports whether the verb at i is an order: at the start of a clause or behind a word such as must,
// and in a sentence that speaks to the model or of an event. What the first sentence of a text alone says is
// the task of the tool.
func (s *sentence) ordered(i int) bool {
	imperative := i == 0 || s.words[i-1].comma || strings.HasSuffix(s.words[i-1].text, "ly") ||
		leads[s.words[i-1].text]
	if i > 0 {
		switch s.words[i-1].text {
		case "to":
			imperative = i > 1 && obliges[s.words[i-2].text]
		case "it":
			imperative = false
		case "or", "and":
			imperative = imperative && s.verbBefore(i-1)
		}
	}
	return imperative && (!s.first || s.all&(isModel|isMarker|isSlot) != 0 || i > 0)
}

// demanded reports whether the word at i is in the passive of an order: "must be passed", "are to be sent".
func (s *sentence) demanded(i int) bool {
	if i < 2 || s.words[i-1].text != "be" && s.words[i-1].text != "have" {
		return false
	}
	duty := s.words[i-2]
	if duty.in("first always also") {
		duty = s.words[max(0, i-3)]
	}
	switch duty.text {
	case "must", "should", "shall":
		return true
	case "to":
		return i > 2 && s.words[i-3].in("is are has have needs need expected required")
	}
	return false
}

// verbBefore reports whether there is an order before a conjunction.
func (s *sentence) verbBefore(i int) bool {
	for j := range i {
		if s.words[j].class&isVerb != 0 && s.ordered(j) {
			return true
		}
	}
	return s.all&isMarker != 0 && s.all&isModel != 0
}

// orders reports whether a condition holds for an ordered verb of a class.
func (s *sentence) orders(c class, holds func(i int) bool) bool {
	for i, w := range s.words {
		if w.class&c != 0 && s.ordered(i) && holds(i) {
			return true
		}
	}
	return false
}

// negated reports whether the word at i is.
func (s *sentence) negated(i int) bool {
	j := s.index(i, -3, isNot)
	for k := j; k >= 0 && k < i; k++ {
		if s.words[k].text == "and" {
			return false
		}
	}
	return j >= 0
}
