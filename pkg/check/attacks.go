package check

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/wording"
)

// attack is a kind of text that published attacks put into descriptions.
type attack struct {
	does     string   // for the message
	source   string   // the published attack
	words    []string // only texts with one of these, in lower case, are searched
	patterns []lazy
	strict   bool // no innocent reading
}

// atEnd matches the end of a clause: what has a condition may be harmless.
const atEnd = `(?: (?:step|call|action|copy|upload))?\s*(?:[.!,;<\n]|$)`

// attacks are the kinds that published attacks have in common word by word. Orders in other words weigh more
// than 0 (orders.go).
var attacks = append([]attack{
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
			"chat|prompt|context"), wording.Instructions, false},
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
}, inLanguages()...)

// either splits a list of words.
func either(words string) []string { return strings.Split(words, "|") }

// patterns compiles expressions at first use. A blank matches any white space, and an apostrophe any
// apostrophe.
func patterns(expressions ...string) []lazy {
	all := make([]lazy, len(expressions))
	for i, e := range expressions {
		all[i] = sync.OnceValue(func() *regexp.Regexp { // at its first use: each start would pay for all
			return regexp.MustCompile(strings.NewReplacer(` `, `[\s\p{Z}]+`, `'`, `['’]`).Replace(e))
		})
	}
	return all
}

// withoutOrders are the texts in which both rules on orders found none.
var withoutOrders quietTexts

// orderRule makes a rule that reports the first order in each text: those without an innocent reading, or the
// others.
func orderRule(strict bool) rule {
	return eachPhrase(func(t text, at location) {
		key := withoutOrders.key(t)
		if withoutOrders.has(key) {
			return
		}
		o := orderIn(t)
		switch {
		case o.passage == "":
			withoutOrders.add(key)
		case o.strict != strict:
		case strict:
			said := rawjson.Quote(o.passage)
			at.add("", said, "The text holds an order %s: %s.", o.does, said)
		default:
			said, why := rawjson.Quote(o.passage), strings.TrimPrefix(" "+o.does, " to the model")
			if len(o.words) > 0 {
				why += ": " + strings.Join(kit.Map(o.words, strconv.Quote), ", ")
			}
			at.add("", said, "%s reads like an order to the model%s.", said, why)
		}
	})
}

// order is a passage of a text that orders a model to do something.
type order struct {
	passage, does string
	words         []string // that weigh most, if it was found by its words
	strict        bool     // no innocent reading
}

// orderIn returns the first order in a text, also in what it encodes; one without an innocent reading comes
// first.
func orderIn(t text) (found order) {
	take := func(o order) {
		if o.passage != "" && (found.passage == "" || o.strict && !found.strict) {
			found = o
		}
	}
	for _, value := range slices.Compact([]string{spaced(t), t.value}) {
		take(plainOrder(value, false))
	}
	for _, value := range decoded(t.value, 2) {
		o := plainOrder(value.text, value.strict)
		o.does, o.strict = o.does+", encoded", o.strict || value.strict
		take(o)
	}
	return found
}

// spaced returns a text; of a name or a choice, its words.
func spaced(t text) string {
	if t.prose || strings.ContainsFunc(t.value, unicode.IsSpace) {
		return t.value
	}
	return strings.NewReplacer("_", " ", "-", " ").Replace(t.value)
}

// plainOrder returns the first order that a text gives, the strict ones first; encoded is whether another
// text encodes it.
func plainOrder(text string, encoded bool) (found order) {
	reading := wording.Read(text)
	for _, a := range attacks {
		if a.words != nil && !reading.HasAny(a.words) {
			continue
		}
		for _, pattern := range a.patterns {
			if at := reading.Find(pattern); at != nil {
				strict := a.strict && (at[0] == 0 || !strings.ContainsAny(text[at[0]-1:at[0]], "`\"'")) ||
					a.patterns != nil && !pattern().MatchString(text) // disguised
				o := order{strings.TrimSpace(text[at[0]:at[1]]), a.does + " (" + a.source + ")", nil, strict}
				if strict {
					return o
				}
				if found.passage == "" {
					found = o
				}
				break
			}
		}
	}
	for n, view := range reading.Views() {
		o := findOrder(view, encoded)
		o.passage, o.strict = kit.Clip(o.passage, maxPassage), o.strict || n > 0
		if o.passage != "" && (found.passage == "" || o.strict) {
			return o
		}
	}
	return found
}

// maxPassage is how many bytes of a sentence a message quotes.
const maxPassage = 240

// maxEncoded is the size of the longest text that is decoded.
const maxEncoded = 64 << 10

// encodings find and decode passages. Only texts with as many characters of the alphabet in a row are
// searched.
var encodings = []struct {
	alphabet string
	least    int
	pattern  lazy
	decode   func(string) ([]byte, error)
}{
	{upperCase + lowerCase + digits + "+/_-=", 24, kit.Pattern(`[A-Za-z0-9+/_-]{24,}={0,2}`),
		func(s string) ([]byte, error) {
			s = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(s, "="))
			return base64.RawStdEncoding.DecodeString(s)
		}},
	{upperCase + digits, 24, kit.Pattern(`[A-Z2-7]{24,}`),
		base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString},
	{digits + "abcdefABCDEF :", 32, kit.Pattern(`(?:[0-9a-fA-F]{2}[ :]?){16,}`),
		func(s string) ([]byte, error) {
			return hex.DecodeString(strings.NewReplacer(" ", "", ":", "").Replace(s))
		}},
}

const (
	upperCase = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	lowerCase = "abcdefghijklmnopqrstuvwxyz"
	digits    = "0123456789"
)

// longestRun returns how many characters of an alphabet a text has in a row.
func longestRun(text, alphabet string) (longest int) {
	var in [256]bool
	for i := range len(alphabet) {
		in[alphabet[i]] = true
	}
	run := 0
	for i := range len(text) {
		if run++; !in[text[i]] {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
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
	if depth == 0 || len(text) > maxEncoded {
		return nil
	}
	for _, e := range encodings {
		if longestRun(text, e.alphabet) < e.least {
			continue
		}
		for _, passage := range e.pattern().FindAllString(text, -1) {
			if data, err := e.decode(passage); err == nil && readable(string(data)) {
				all = append(all, plain{string(data), true})
				all = append(all, decoded(string(data), depth-1)...)
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
