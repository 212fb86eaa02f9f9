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

// Parts of patterns.
const (
	user = `(?:the |your |any )?(?:end[\s-]?)?(?:user|human|customer|operator|administrator|` +
		`owner)s?\b`
	target  = `(?:argument|parameter|param|field|input|call|request|url|log|note)s?\b`
	agreed  = `(?:approved|authori[sz]ed|consented|agreed|granted|accepted|confirmed|signed off on)`
	emailed = `[\w.+-]+@[\w-]+\.\w`
)

// attacks are the kinds that published attacks have in common word by word; orders.go knows others by their
// parts.
var attacks = append([]attack{
	{"that hides an action from the user", "Invariant Labs, 2025-04-01",
		either("user|human|customer"), patterns(
			`(?i)\b(?:do not|don't|never|must not|without) (?:tell|telling|inform|informing|notify|`+
				`notifying) (?:the|your) (?:user|human|customer) (?:about this|about it|of this|`+
				`that (?:the|this|you))\b`,
			`(?i)\bthe (?:user|human|customer) (?:must|should) (?:not|never) (?:know|learn|find out|notice) `+
				`(?:about|of|that) (?:this|the)\b`,
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
	{"that forges the consent of the user", "consent forgery, OWASP MCP Top 10, MCP03",
		either("approv|authori|consent|agreed|granted|permission|confirm|said yes|asking|signed off"),
		patterns(
			`(?i)\b`+user+` (?:has |have )?(?:already )?(?:pre-?)?`+agreed+` (?:to )?(?:all|every|`+
				`everything|any|each)\b`,
			`(?i)\b(?:everything|(?:all|every) \w+) (?:was|were|is|are|has been|have been) (?:already `+
				`)?(?:pre-?)?`+agreed+` (?:beforehand|in advance)\b`,
			`(?i)\b(?:permission|consent|approval) (?:was|is|has(?: already)? been) (?:already )?(?:granted|`+
				`given|obtained) (?:in advance|for (?:all|any|every))\b`,
			`(?i)\b(?:treat|consider)\b[^.!?\n]{0,30} as (?:already )?(?:pre-?)?`+agreed+`\b`,
			`(?i)\b(?:gave|given|granted|has|have|with) (?:\w+ )?(?:blanket|standing|unlimited) (?:approval|`+
				`consent|permission|authori[sz]ation)\b`,
			`(?i)\bassume (?:that )?`+user+`[^.!?\n]{0,20}\b(?:yes|agrees?|agreed|consents?|consented|`+
				`approves?|approved|confirms?|confirmed)\b`,
			`(?i)[.;,] (?:skip|bypass) (?:the )?(?:confirmation|consent|approval) (?:dialog|prompt|step)\b`,
		), false},
	{"to hide something from the user", "Invariant Labs, 2025-04-01",
		either("user|human|customer|happened|instruction|anyone|nothing|summary|answer|reply"), patterns(
			`(?i)\b(?:never|do not|don't) let `+user+` (?:know|see|notice|learn|find out)\b`,
			`(?i)\b(?:must|should) (?:remain|stay|be kept) (?:invisible|hidden|secret) (?:to|from) `+user,
			`(?i)\bsay nothing about\b|\b(?:never|do not|don't) (?:disclose|reveal|mention) this\b`+
				`[^.!?\n]{0,20}\bto anyone\b`,
			`(?i)\b(?:do not|don't|never),[^.!?\n]{1,40}, (?:inform|notify|say|show|tell) `+user+`\b`,
		), false},
	{"about calls of other tools", "WhatsApp takeover, Invariant Labs, 2025-04-07",
		either("@|recipient|destination|number|prefix|prepend|start with|route all|other tool"),
		patterns(
			`(?i)\b(?:bcc|blind-?\s?cop(?:y|ies))\b[^.!?\n]{0,30}`+emailed+`|[\w.+-]+@[\w.-]+\w (?:in|to|as|`+
				`into) (?:the )?bcc\b`,
			`(?i)\buse (?:the )?(?:account|address|number|iban)\b[^.!?\n]{0,60}\binstead of the (?:one|`+
				`account|address|number)\b[^.!?\n]{0,20}\b(?:given|requested|provided)\b`,
			`(?i)\broute all (?:its|their) \w+ through this tool\b`,
			`(?i)\bmust be prefixed with\b|\b(?:sent|made) (?:with|by|through) (?:any|every) other tool\b`,
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
	{"to hand over the conversation, the prompt or secrets", "line jumping, Trail of Bits, 2025-04-21",
		either("prompt|instructions|conversation|chat|message|environ|.env|key|rsa|password|" +
			"credential|dialogue|discussion|the user|above|printenv|/."), patterns(
			`(?i)\b(?:reveal|print|put|include|pass|send|repeat|output|copy|write|attach|quote|paste|`+
				`provide|dump|supply|submit|state|hold|fill)\b[^.!?\n]{0,80}\b(?:your (?:\w+ )?(?:system|`+
				`developer|initial|hidden) (?:prompt|message|instructions)|(?:system|developer) message `+
				`you (?:received|were given)|the hidden prompt|instructions (?:that )?you (?:were|have `+
				`been) given|the system (?:message|prompt) verbatim|everything the user (?:has )?`+
				`(?:said|written))\b`,
			`(?i)\bwhat are your instructions\b`,
			`(?i)\b(?:send|transmit|pass|include|attach|forward)\b[^.!?\n]{0,30}\b(?:verbatim|full|entire|`+
				`complete|whole) (?:copy|transcript|text|record) of (?:the|this|our) (?:chat|conversation|`+
				`discussion|dialogue)\b`,
			`(?i)\b(?:run|execute) \x60?(?:printenv|env)\b[^.!?\n]{0,20}\b(?:put|send|pass|include|`+
				`attach|paste)\b`,
			`(?i)\b(?:hold|contain|include|pass|send|put|attach)\b[^.!?\n]{0,20}\b(?:(?:entire|whole|full|`+
				`complete) (?:conversation|chat|dialogue)|all (?:previous|prior|earlier) messages)\b`,
			`(?i)\b(?:provide|write|copy|paste|insert|supply|dump)\b[^.!?\n]{0,20}\b(?:entire|whole|full|`+
				`complete) (?:conversation|chat)\b[^.!?\n]{0,30}(?:\b`+target+`|\b(?:in|as) \x60)`,
			`(?i)\b(?:pass|send|include|attach|put|dump|write|copy)\b[^.!?\n]{0,20}(?:\ball (?:the `+
				`)?environment variables\b|\bprocess\.env\b|\bos\.environ\b)[^.!?\n]{0,30}`,
			`(?i)\b(?:read|collect)\b[^.!?\n]{0,20}(?:\bthe environment|\ball environment variables)\b`+
				`[^.!?\n]{0,30}\b(?:send|pass|put|include|attach)\b`,
			`(?i)^(?:contents?|read|reading) (?:\w+ ){0,3}(?:id rsa|system prompt)$`,
			`(?i)^(?:full|entire|whole|complete) (?:conversation|chat)$|^(?:previous|prior) messages$`,
			`(?i)^(?:the )?(?:(?:full|entire|whole|complete) (?:conversation|chat)|conversation|chat) `+
				`(?:history$|so far\b|transcript$)`,
		), false},
	{"against other instructions", "line jumping, Trail of Bits, 2025-04-21",
		either("disregard|ignore|forget|overrid|over|always|no longer"), patterns(
			`(?i)\b(?:precedence|priority) over (?:(?:anything|everything|what) the user\b|the user's \w+|`+
				`(?:your |the )?(?:system prompt|safety \w+))`,
			`(?i)\balways (?:call|use|run|invoke) this (?:function|tool) before you answer\b`,
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
			said := rawjson.Quote(o.passage)
			at.add("", said, "%s reads like an order to the model%s.", said,
				strings.TrimPrefix(" "+o.does, " to the model"))
		}
	})
}

// order is a passage of a text that orders a model to do something.
type order struct {
	passage, does string
	strict        bool // no innocent reading
}

// orderIn returns the first order in a text, also in what it encodes.
func orderIn(t text) order {
	spaced := t.value
	if !t.prose && !strings.ContainsFunc(t.value, unicode.IsSpace) { // a name or a choice
		spaced = strings.NewReplacer("_", " ", "-", " ").Replace(t.value)
	}
	for _, value := range slices.Compact([]string{spaced, t.value}) {
		if o := plainOrder(value, false); o.passage != "" {
			return o
		}
	}
	for _, value := range decoded(t.value, 2) {
		if o := plainOrder(value.text, value.strict); o.passage != "" {
			return order{o.passage, o.does + ", encoded", o.strict || value.strict}
		}
	}
	return order{}
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
				o := order{strings.TrimSpace(text[at[0]:at[1]]), a.does + " (" + a.source + ")", strict}
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
		passage, does, strict := findOrder(view, encoded)
		if passage != "" && (found.passage == "" || strict) {
			return order{kit.Clip(passage, maxPassage), does, strict || n > 0}
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
