package wording

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// attack is a kind of text that published attacks put into descriptions.
type attack struct {
	does     string   // for the message
	source   string   // the published attack
	words    []string // only texts with one of these, in lower case, are searched
	patterns []func() *regexp.Regexp
	strict   bool // no innocent reading
}

// atEnd matches the end of a clause: what has a condition may be harmless.
const atEnd = `(?: (?:step|call|action|copy|upload))?\s*(?:[.!,;<\n]|$)`

// attacks are the kinds that published attacks have in common word by word. Orders in other words weigh more
// than 0 (table.go).
var attacks = withSources(append([]attack{
	{"that hides an action from the user", "Invariant Labs, 2025-04-01",
		either("user|human|customer"), patterns(
			`(?i)\b(?:do not|don't|never|must not|without) (?:tell|telling|inform|informing|notify|`+
				`notifying) (?:the|your) (?:user|human|customer) (?:about|of) (?:this|it)`+atEnd,
			`(?i)\b(?:do not|don't|never|must not|without) (?:mention|mentioning|reveal|revealing|disclose|`+
				`disclosing) this(?: \w+)? to (?:the|your) (?:user|human|customer)`+atEnd,
			`(?i)\bthe (?:user|human|customer) (?:must|should) (?:not|never) (?:know|learn|find out|notice) `+
				`(?:about |of )?this`+atEnd,
		), true},
	{"to the model", "Invariant Labs, 2025-04-01",
		either("<|ignor|disregard|forget|overrid|user|human|customer|developer|.env|conversation|" +
			"chat|prompt|context"), instructions, false},
	{"with tokens of a chat template", "ChatInject, arXiv 2509.22830",
		either(">|]"), patterns(
			`<\|[A-Za-z_]{2,30}\|>|</?(?:start|end)_of_turn>|<</?SYS>>|</s>\s*<s>`,
			`\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]`,
		), true},
	{"that pretends to be a message of the system or the user", "Invariant Labs, 2025-04-01",
		either("assistant|ai|asistente|助手|المساعد|सहायक|result|response|output|message"), patterns(
			`(?i)</(?:assistant|(?:tool|function)_(?:result|response|output)s?|(?:user|developer)_message)`+
				`>\s*<`,
			`(?s)\n\s*(?:Human|User|Utilisateur|Usuario|用户|المستخدم|उपयोगकर्ता)\s*[:：].{1,300}`+
				`\n\s*(?:Assistant|AI|Asistente|助手|المساعد|सहायक)\s*[:：]`,
		), true},
	{"that pretends to be a message of the system or the user", "Invariant Labs, 2025-04-01",
		either(">|]|:|：|#"), patterns(
			`(?i)<\s*secret\s*>(?:[^<>]{1,900}</\s*secret\s*>|\s*\pL[^\s<>]* (?:[^\s<>]+ ){2})`,
			`(?i)<\s*(?:[a-z]{2,20}[_-]){0,3}(?:important|system|critical|hidden|secret|admin|ai|model|`+
				`agent|assistant)[_-](?:[a-z]{2,20}[_-]){0,3}(?:instr|remind|messag|prompt|not|overrid|`+
				`context|order|rule)\w*\s*>\s*[^\s<>]+\s`,
			`(?i)<\s*instructions?[_-]for[_-]\w{2,20}\s*>`,
			`\[(?:IMPORTANT|SYSTEM|HIDDEN|CRITICAL|SECRET)[\s_-](?:INSTRUCTIONS?|MESSAGE|PROMPT|NOTE|`+
				`OVERRIDE)\]`,
			`(?i)</?(?:assistant|(?:tool|function)_(?:result|response|output)s?|(?:user|developer)_message)>`,
			`(?:-{3,}|\[)\s*END OF (?:[A-Z]+ ){0,3}(?:DESCRIPTION|DOCUMENTATION|PROMPT|CONTEXT)\b`,
			`(?:^|\n)\s*(?:\[SYSTEM\]|SYSTEM(?: MESSAGE| PROMPT| OVERRIDE)?)\s*:`,
			`(?i)(?:^|\n)\s*#{2,}\s*system(?: message| prompt| override)?\s*[:#]`,
		), false},
	{"to send data with an image or link", "Embrace the Red, 2023; EchoLeak, CVE-2025-32711",
		either("http"), patterns(
			`!\[[^\]\n]{0,100}\]\(\s*https?://[^)\s]{1,200}(?:\{|[?&][\w-]+=(?:[<\[$%)]|[A-Z]{3}))`,
			`(?i)\]\(\s*https?://[^)\s]{1,200}[?&][\w-]+=[{<\[$%]{1,2}\s*(?:user[_ ]?)?(?:conversation|chat|`+
				`history|messages?|input|prompt|context|secret|summary)`,
			`(?i)<img\b[^>]{0,100}\bsrc=["\x27]?https?://[^"\x27>\s]{1,200}\?`,
			`(?i)\b(?:append|add|open|render|load|embed|insert|`+
				`fetch)\b[^.!?\n]{0,40}https?://[^\s)"\x27>]{1,200}[?&][\w-]+=[{<\[$]`,
		), false},
}, inLanguages()...))

// withSources returns attacks that name their sources in what they do.
func withSources(all []attack) []attack {
	for i, a := range all {
		all[i].does += " (" + a.source + ")"
	}
	return all
}

// either splits a list of words.
func either(words string) []string { return strings.Split(words, "|") }

// patterns compiles expressions as order does.
func patterns(expressions ...string) []func() *regexp.Regexp { return kit.Map(expressions, order) }

// mostOrders is how many orders of one kind a text gives; more would take long to compare with each other.
const mostOrders = 50

// Order is a passage of a text that orders a model to do something.
type Order struct {
	Passage, Does string
	Words         []string // that weigh most, if it was found by its words
	Strict        bool     // no innocent reading

	start, end int // in the text; 0 for what it encodes
	weight     float64
}

// String returns the sentence of a report, with the passage and why it counts.
func (o Order) String() string {
	said := string(rawjson.Quote(o.Passage))
	if o.Strict {
		return "The text holds an order " + o.Does + ": " + said + "."
	}
	why := strings.TrimPrefix(" "+o.Does, " to the model")
	if len(o.Words) > 0 {
		why += ": " + strings.Join(kit.Map(o.Words, strconv.Quote), ", ")
	}
	return said + " reads like an order to the model" + why + "."
}

// FindOrder returns the first of the orders that a text gives; ok is false if it gives none.
func FindOrder(text string, prose bool) (found Order, ok bool) {
	all := Orders(text, prose)
	if len(all) == 0 {
		return Order{}, false
	}
	return all[0], true
}

// Orders returns the orders that a text gives, also in what it encodes; those without an innocent reading
// come first. Of what is not prose, such as a name or a choice, the words are read.
func Orders(text string, prose bool) []Order {
	words := spaced(text, prose)
	return ordersRead.of(text, words != text, func() []Order { return readOrders(text, words) })
}

// readOrders returns the orders in a text, and in its words where it is not prose.
func readOrders(text, words string) (found []Order) {
	if words != text {
		found = plainOrders(words, false)
	}
	found = append(found, plainOrders(text, false)...)
	for _, value := range decoded(text, 2) {
		for _, o := range plainOrders(value.text, value.strict) {
			o.Does, o.Strict, o.start, o.end = o.Does+", encoded", o.Strict || value.strict, 0, 0
			found = append(found, o)
		}
	}
	return apart(strictFirst(found))
}

// Claims returns the passages of a text that claim priority over other tools.
func Claims(text string) (found []Order) {
	reading := Read(text)
	for _, pattern := range priorityClaims {
		for _, m := range reading.all(pattern, mostOrders) {
			found = append(found, Order{Passage: strings.TrimSpace(text[m.start:m.end]),
				Does: "that claims priority over other tools", start: m.start, end: m.end})
		}
	}
	return found
}

// Commands returns the orders of a text and its claims of priority, each passage once.
func Commands(text string, prose bool) []Order {
	return apart(slices.Concat(Orders(text, prose), Claims(text)))
}

// apart returns the first one of orders that overlap, and of those with the same passage.
func apart(all []Order) (first []Order) {
	var places []match // of first, sorted
	passages := map[string]bool{}
	for _, o := range all {
		if passages[o.Passage] {
			continue
		}
		if o.end > 0 {
			i, free := gapFor(places, o.start, o.end)
			if !free {
				continue
			}
			places = slices.Insert(places, i, match{start: o.start, end: o.end})
		}
		passages[o.Passage] = true
		first = append(first, o)
	}
	return first
}

// overlaps reports whether two orders of a text share a passage.
func (o Order) overlaps(other Order) bool {
	return o.start < other.end && other.start < o.end || o.Passage == other.Passage
}

// strictFirst returns the orders without an innocent reading before the others.
func strictFirst(all []Order) []Order {
	strict := func(o Order) bool { return o.Strict }
	mild := func(o Order) bool { return !o.Strict }
	return append(kit.Filter(all, strict), kit.Filter(all, mild)...)
}

// spaced returns a text; of a name or a choice, its words.
func spaced(text string, prose bool) string {
	if prose || strings.ContainsFunc(text, unicode.IsSpace) {
		return text
	}
	return strings.NewReplacer("_", " ", "-", " ").Replace(text)
}

// plainOrders returns the orders that a text gives in words; encoded is whether another text encodes it.
func plainOrders(text string, encoded bool) (found []Order) {
	reading := Read(text)
	for _, a := range attacks {
		if a.words != nil && !reading.HasAny(a.words) {
			continue
		}
		for _, pattern := range a.patterns {
			for _, m := range reading.all(pattern, mostOrders) {
				quoted := m.start > 0 && strings.ContainsAny(text[m.start-1:m.start], "`\"'")
				strict := a.strict && !quoted || m.disguised
				found = append(found, Order{Passage: strings.TrimSpace(text[m.start:m.end]),
					Does: a.does, Strict: strict, start: m.start, end: m.end})
			}
		}
	}
	return append(found, reading.ordersByWords(encoded)...)
}

// ordersByWords returns the orders in each view. One that no view before it has is disguised.
func (r Reading) ordersByWords(encoded bool) (found []Order) {
	for _, v := range r.views {
		if v.kind == rendered { // tags and emphasis belong to no word as it is
			continue
		}
		seen, hidden := found, v.kind == undisguised
		for _, o := range ordersByWords(v.plain, encoded) {
			if v.from != nil {
				o.start, o.end = int(v.from[o.start]), int(v.from[o.end])
			}
			if hidden && slices.ContainsFunc(seen, o.overlaps) {
				continue
			}
			o.Passage, o.Strict = kit.Clip(o.Passage, maxPassage), o.Strict || hidden
			found = append(found, o)
		}
	}
	return found
}

// maxPassage is how many bytes of a sentence a message quotes.
const maxPassage = 240

// encodings find and decode passages. Only the runs of so many characters of an alphabet are searched.
var encodings = []struct {
	alphabet string
	least    int
	pattern  func() *regexp.Regexp
	decode   func(string) ([]byte, error)
}{
	{upperCase + lowerCase + decimal + "+/_-=", 24, kit.Pattern(`[A-Za-z0-9+/_-]{24,}={0,2}`),
		func(s string) ([]byte, error) {
			s = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(s, "="))
			return base64.RawStdEncoding.DecodeString(s)
		}},
	{upperCase + decimal, 24, kit.Pattern(`[A-Z2-7]{24,}`),
		base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString},
	{decimal + "abcdefABCDEF :", 32, kit.Pattern(`(?:[0-9a-fA-F]{2}[ :]?){16,}`),
		func(s string) ([]byte, error) {
			return hex.DecodeString(strings.NewReplacer(" ", "", ":", "").Replace(s))
		}},
}

const (
	upperCase = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	lowerCase = "abcdefghijklmnopqrstuvwxyz"
	decimal   = "0123456789"
)

// runs returns the passages of a text that have at least so many characters of an alphabet in a row.
func runs(text, alphabet string, least int) (all []string) {
	var in [256]bool
	for i := range len(alphabet) {
		in[alphabet[i]] = true
	}
	start := 0
	for i := range len(text) + 1 {
		if i < len(text) && in[text[i]] {
			continue
		}
		if i-start >= least {
			all = append(all, text[start:i])
		}
		start = i + 1
	}
	return all
}

// wrapped returns what two or more lines in a row have together that have only characters of an alphabet.
func wrapped(text, alphabet string) (all []string) {
	var block []string
	for line := range strings.SplitSeq(text+"\n.", "\n") {
		line = strings.TrimSpace(line)
		if line != "" && len(runs(line, alphabet, len(line))) == 1 {
			block = append(block, line)
			continue
		}
		if len(block) > 1 {
			all = append(all, strings.Join(block, ""))
		}
		block = nil
	}
	return all
}

// escapes are those of URLs, C and JSON.
var escapes = kit.Pattern(`%[0-9A-Fa-f]{2}|\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}`)

// rotated matches common words in rot13: the, all, user, your, ignore.
var rotated = kit.Pattern(`(?i)\b(?:gur|nyy|hfre|lbhe|vtaber)\b`)

// minEscapes is from how many escapes on a text is encoded rather than quoted.
const minEscapes = 8

// plain is what a text encodes; strict if no one writes an order in that way by accident.
type plain struct {
	text   string
	strict bool
}

// decoded returns the texts that a text encodes, and those inside them, up to a depth.
func decoded(text string, depth int) (all []plain) {
	if depth == 0 {
		return nil
	}
	for _, e := range encodings {
		passages := runs(text, e.alphabet, e.least)
		if strings.Contains(text, "\n") {
			passages = append(passages, wrapped(text, e.alphabet)...)
		}
		for _, run := range passages {
			for _, passage := range e.pattern().FindAllString(run, -1) {
				if data, err := e.decode(passage); err == nil && readable(string(data)) {
					all = append(all, plain{string(data), true})
					all = append(all, decoded(string(data), depth-1)...)
				}
			}
		}
	}
	if strings.ContainsAny(text, "%\\&") {
		escaped := len(escapes().FindAllString(text, minEscapes)) + strings.Count(text, "&#")
		unescaped := escapes().ReplaceAllStringFunc(html.UnescapeString(text), func(escape string) string {
			code, _ := strconv.ParseUint(strings.TrimLeft(escape, `%\xu`), 16, 16)
			if escape[0] == '\\' {
				return string(rune(code))
			}
			return string([]byte{byte(code)})
		})
		if unescaped != text && readable(unescaped) {
			all = append(all, plain{unescaped, escaped >= minEscapes})
		}
	}
	if mayBeRotated(text) && rotated().MatchString(text) {
		all = append(all, plain{strings.Map(rot13, text), true})
	}
	return all
}

// mayBeRotated reports whether a text has the letters of a word that rotated matches.
func mayBeRotated(text string) bool {
	lower := strings.ToLower(text)
	return slices.ContainsFunc([]string{"gur", "nyy", "hfre", "lbhe", "vtaber"},
		func(word string) bool { return strings.Contains(lower, word) })
}

// readable reports whether decoded bytes are text.
func readable(text string) bool {
	control := func(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) }
	return utf8.ValidString(text) && !strings.ContainsFunc(text, control)
}

// rot13 moves a letter by 13 places in the alphabet and keeps its case; other characters stay. Applied twice,
// it gives the letter back.
func rot13(r rune) rune {
	switch {
	case 'a' <= r && r <= 'z':
		return 'a' + (r-'a'+13)%26
	case 'A' <= r && r <= 'Z':
		return 'A' + (r-'A'+13)%26
	}
	return r
}
