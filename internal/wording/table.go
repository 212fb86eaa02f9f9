package wording

import (
	"cmp"
	_ "embed" // for the table
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// Orders to the model are recognized by a table of weights. A sentence reads like an order if the weights of
// its groups, which are one to three words in a row, add up to more than 0. "make orders" learns the table
// from texts that are attacks and texts that are not (train_test.go). It knows wordings and no meaning.

//go:embed orders.txt
var ordersText string

// orderWeights are the weights by group, with blanks between its words.
var orderWeights = sync.OnceValue(func() map[string]float64 {
	weights := map[string]float64{}
	for line := range strings.Lines(ordersText) {
		weight, group, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if value, err := strconv.ParseFloat(weight, 64); err == nil { // else a comment
			weights[group] = value
		}
	}
	return weights
})

// group is up to three words in a row: their numbers, which are above 0.
type group uint64

// and returns a group with another word.
func (g group) and(word group) group { return g<<16 | word }

// orderTable is a table whose words have numbers, which are faster to look up.
type orderTable struct {
	words   map[string]group
	weights map[group]float64
}

// table is that of orderWeights.
var table = sync.OnceValue(func() orderTable { return newTable(orderWeights()) })

func newTable(weights map[string]float64) orderTable {
	t := orderTable{map[string]group{}, map[group]float64{}}
	for words, weight := range weights {
		var all group
		for word := range strings.SplitSeq(words, " ") {
			if t.words[word] == 0 {
				t.words[word] = group(len(t.words) + 1)
			}
			all = all.and(t.words[word])
		}
		t.weights[all] = weight
	}
	return t
}

// Words of groups that no text has; shape has more.
const (
	anySentence = "*"  // a group of every sentence: its weight says how rare orders are
	opening     = "^^" // before the first word of a text, which mostly says what the tool does
	beginning   = "^"  // before the first word of any other sentence
	ending      = "$"
)

// wordOf is a word of a sentence, as the table has it.
type wordOf struct {
	text       string
	start, end int // in the text
}

// sentence is a sentence of a text between its two marks.
type sentence []wordOf

// start and end return the place of a sentence in its text.
func (s sentence) start() int { return s[1].start }
func (s sentence) end() int   { return s[len(s)-2].end }

// maxWords is how many words a sentence has; of what is longer, each part is read.
const maxWords = 60

// sentencesOf splits a text. A sentence ends with a mark, an empty line, or before a line that begins a list
// or a tag.
func sentencesOf(text string) []sentence {
	var all []sentence
	current := sentence{{text: opening}}
	flush := func() {
		if len(current) > 1 {
			all = append(all, append(current, wordOf{text: ending}))
			current = sentence{{text: beginning}}
		}
	}
	blankAt := -1
	for at := 0; at < len(text); {
		rest := text[at:]
		if blankAt <= at { // else a tag ended before it
			blankAt = len(text)
			if end := strings.IndexFunc(rest, unicode.IsSpace); end >= 0 {
				blankAt = at + end
			}
		}
		raw := text[at:blankAt]
		if tag := isTag().FindStringIndex(raw); tag != nil && tag[0] > 0 {
			raw = raw[:tag[0]]
		} else if tag != nil {
			raw = raw[:tag[1]]
		}
		bare := strings.Trim(raw, ".,;:!?\"'`()[]{}<>*|“”‘’_#=。")
		if bare != "" {
			start := at + strings.Index(raw, bare)
			current = append(current, wordOf{shape(raw, bare), start, start + len(bare)})
		}
		if endsSentence(raw, bare) || len(current) > maxWords {
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

// shape returns a word in lower case, or in capitals the kind of words that it belongs to.
func shape(raw, bare string) string {
	switch path := strings.TrimLeft(raw, "`\"'("); {
	case strings.Contains(bare, "://"):
		return "URL"
	case strings.Contains(bare, "@") && isMail().MatchString(bare):
		return "MAIL"
	case strings.HasPrefix(path, "~/"),
		len(path) > 1 && strings.ContainsAny(path[:1], "/.$") && unicode.IsLetter(rune(path[1])):
		return "PATH"
	case strings.Contains(bare, "_"):
		return "NAME"
	case '0' <= bare[0] && bare[0] <= '9' || bare[0] == '+':
		return "NUMBER"
	}
	return strings.ReplaceAll(strings.ToLower(bare), "’", "'")
}

var isMail = kit.Pattern(`^[\w.+-]+@[\w-]+\.[\w.-]*\w$`)

// weighed is a group of a sentence with its weight.
type weighed struct {
	group
	weight   float64
	from, to int
}

// weigh returns the sum of the weights of a sentence, and the groups that the table has. A group that comes
// again counts once.
func (s sentence) weigh() (sum float64, found []weighed) {
	table := table()
	add := func(g group, from, to int) {
		weight, known := table.weights[g]
		if known && !slices.ContainsFunc(found, func(w weighed) bool { return w.group == g }) {
			sum += weight
			found = append(found, weighed{g, weight, from, to})
		}
	}
	add(table.words[anySentence], 0, 0)
	words := kit.Map(s, func(w wordOf) group { return table.words[w.text] })
	for from := range words {
		var g group
		for to := from; to < min(from+3, len(words)) && words[to] != 0; to++ {
			g = g.and(words[to])
			add(g, from, to+1)
		}
	}
	return sum, found
}

// heaviest returns up to three passages of a text that weigh most for an order, in their order.
func (s sentence) heaviest(text string, found []weighed) []string {
	slices.SortStableFunc(found, func(a, b weighed) int { return cmp.Compare(b.weight, a.weight) })
	var most []weighed
	for _, w := range found {
		w.from, w.to = max(w.from, 1), min(w.to, len(s)-1)
		overlaps := func(other weighed) bool { return w.from < other.to && other.from < w.to }
		if w.weight > 0 && w.from < w.to && len(most) < 3 && !slices.ContainsFunc(most, overlaps) {
			most = append(most, w)
		}
	}
	slices.SortFunc(most, func(a, b weighed) int { return cmp.Compare(a.from, b.from) })
	return kit.Map(most, func(w weighed) string { return text[s[w.from].start:s[w.to-1].end] })
}

// ordersByWords returns the sentences of a text that read like orders: the strict ones first, then those that
// read most like one. What was encoded says no task of a tool.
func ordersByWords(text string, encoded bool) (found []Order) {
	said := map[int]sentence{} // by its place
	for _, s := range sentencesOf(text) {
		if encoded {
			s[0].text = beginning
		}
		if sum, _ := s.weigh(); sum > 0 {
			end := closedEnd(text, s.start(), s.end())
			o := Order{Passage: text[s.start():end], Does: "to the model", start: s.start(), end: end,
				weight: sum}
			if passesOnCredentials(o.Passage) {
				o.Does, o.Strict = "to pass on credentials", true
			}
			found, said[o.start] = append(found, o), s
		}
	}
	slices.SortStableFunc(found, func(a, b Order) int { return cmp.Compare(b.weight, a.weight) })
	found = strictFirst(found)
	found = found[:min(len(found), mostOrders)]
	for i, o := range found {
		_, groups := said[o.start].weigh()
		found[i].Words = said[o.start].heaviest(text, groups)
	}
	return found
}

// closedEnd returns the end of a passage with the marks after it that close what it opens, such as code.
func closedEnd(text string, start, end int) int {
	const opening, closing = "`\"([{", "`\")]}"
	var counts [256]int // of each byte in the passage
	for _, b := range []byte(text[start:end]) {
		counts[b]++
	}
	for ; end < len(text); end++ {
		b := text[end]
		i := strings.IndexByte(closing, b)
		if i < 0 {
			break
		}
		isOpen := counts[opening[i]] > counts[b]
		if opening[i] == b {
			isOpen = counts[b]%2 > 0
		}
		if !isOpen {
			break
		}
		counts[b]++
	}
	return end
}

// SentenceAt weighs the sentence of a text that a place is in, or the next one: above 0 it reads like an
// order. It also returns its first word, in lower case.
func SentenceAt(text string, place int) (weight float64, first string) {
	for _, s := range sentencesOf(text) {
		if s.end() > place {
			weight, _ = s.weigh()
			return weight, s[1].text
		}
	}
	return 0, ""
}

// CredentialFile matches the path of a file with credentials.
var CredentialFile = kit.Pattern(`(?i)(?:~|\$HOME|/home/[^/\s]+|/Users/[^/\s]+|/root|%USERPROFILE%|` +
	`\b[a-z]:\\Users\\[^\\\s]+)[/\\](?:` +
	`\.ssh[/\\]id_[a-z0-9]+(?:[^.a-z0-9]|\.\W|\.?$)|\.aws[/\\]credentials|` +
	`\.netrc|\.npmrc|\.pypirc|\.pgpass|` +
	`\.git-credentials|\.vault-token|\.cursor/mcp\.json|\.claude\.json|\.docker/config\.json|` +
	`\.config/(?:gcloud|gh|rclone)/[\w.-]+|\.kube/config|\.(?:bash|zsh|python|psql|mysql)_history)|` +
	`/etc/shadow|/proc/self/environ|claude_desktop_config\.json|Library/Keychains/|` +
	`169\.254\.169\.254/\S*credentials`)

var (
	passing = kit.Pattern(`(?i)\b(?:send|forward|upload|transmit|post|copy|put|include|attach|pass|supply|` +
		`paste|write|insert|add|append|provide|fill|submit)\b.*(?:https?://|\S@[\w-]+\.\w|\x60\w|` +
		`\b(?:it|them|contents?|text|output) (?:as|in|into|to|through|via) (?:(?:the|its|a|an|this) )?` +
		`["']?\w+["']? (?:argument|parameter|field)\b)`)
	forInstance = kit.Pattern(`(?i)\b(?:e\.g|for example|such as|like)\b`)
)

// passesOnCredentials reports whether an order names a file with credentials and an argument or an address to
// pass it on to.
func passesOnCredentials(passage string) bool {
	if !strings.ContainsAny(passage, `/\_`) { // as most
		return false
	}
	return CredentialFile().MatchString(passage) && passing().MatchString(passage) &&
		!forInstance().MatchString(passage)
}
