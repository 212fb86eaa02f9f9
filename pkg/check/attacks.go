package check

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/wording"
)

// attack is a kind of text that published attacks put into descriptions.
type attack struct {
	does     string // what the text does, for the message
	source   string // the published attack
	patterns []lazy
}

// attacks are the kinds that text-instructs-model looks for besides wording.Instructions.
var attacks = []attack{
	{"has tokens of a chat template", "ChatInject, arXiv 2509.22830", patterns(
		`<\|[A-Za-z_]{2,30}\|>|</?(?:start|end)_of_turn>|\[/?INST\]|<</?SYS>>`,
	)},
	{"poses as a message of the system or the user", "Invariant Labs, 2025-04-01", patterns(
		`(?i)<\s*secret\s*>(?:[^<>]{1,900}</\s*secret\s*>|\s*(?:[^\s<>]+\s+){3})`,
		`(?i)<\s*(?:important|system|critical|admin)[_-]`+
			`(?:instr|remind|messag|prompt|note|overrid|context)\w*\s*>`,
		`(?i)</?(?:assistant|tool_result|function_results?|user_message)>`,
		`(?s)\n\s*(?:Human|User):.{1,300}\n\s*(?:Assistant|AI):`,
		`(?:^|\n)\s*(?:\[SYSTEM\]|SYSTEM(?: MESSAGE| PROMPT| OVERRIDE)?)\s*:`,
		`(?i)(?:^|\n)\s*#{2,}\s*system\s*:`,
	)},
	{"claims that the user agreed", "consent forgery, OWASP MCP Top 10, MCP03", patterns(
		`(?i)\b(?:user|customer|human|administrator|owner)\s+(?:has\s+|have\s+)?(?:already\s+)?`+
			`(?:pre-?)?(?:approved|authori[sz]ed|consented|agreed|granted)\s+(?:to\s+)?`+
			`(?:all|every|everything|any)\b`,
		`(?i)\b(?:permission|consent|approval)\s+(?:was|is|has\s+been)\s+`+
			`(?:already\s+)?(?:granted|given)\s+in\s+advance\b`,
		`(?i)\byou\s+(?:already\s+)?have\s+the\s+(?:user|customer)'s\s+(?:consent|permission|approval)\b`,
		`(?i)\b(?:without|skip)\s+(?:asking\s+the\s+user|(?:the\s+)?confirmation\s+dialog)`,
		`(?i)\b(?:customer|user)\s+has\s+consented\b`,
	)},
	{"hides something from the user", "Invariant Labs, 2025-04-01", patterns(
		`(?i)\b(?:hide|conceal|keep)\s+(?:this|it|these|that)`+
			`(?:\s+\w+){0,2}\s+from\s+the\s+(?:user|human|customer)\b`,
		`(?i)\b(?:user|human)\s+(?:must|should)\s+not\s+(?:know|see|notice|learn)\b`,
		`(?i)\b(?:silently|quietly|secretly)\b[^.!?\n]{0,60}\bthe\s+(?:user|human|customer)\b`,
		`(?i)\bas\s+if\s+nothing\s+(?:has\s+)?happened\b`,
		`(?i)\b(?:do\s+not|don't|never)\s+(?:include|repeat|mention|show)\s+(?:this|these)\s+instructions?\b`,
		`(?i)\b(?:do\s+not|don't|never)\s+(?:reveal|disclose|mention)\b[^.!?\n]{0,50}`+
			`\bto\s+the\s+(?:user|human|customer)\b`,
	)},
	{"redirects what another tool sends", "WhatsApp takeover, Invariant Labs, 2025-04-07", patterns(
		`(?i)\bbcc\b[^.!?\n]{0,30}[\w.+-]+@[\w-]+\.\w|`+
			`[\w.+-]+@[\w.-]+\w\s+(?:in|to|as|into)\s+(?:the\s+)?bcc\b`,
		`(?i)\b(?:change|replace|overwrite)\s+the\s+`+
			`(?:recipient|destination|account\s+number|phone\s+number)\b`,
		`(?i)@[\w.-]+\s+instead\s+of\s+the\s+(?:given|original|requested|real)\s+(?:recipient|address)`,
		`(?i)\broute\s+all\s+(?:its|their)\s+\w+\s+through\s+this\s+tool\b`,
		`(?i)\bmust\s+be\s+prefixed\s+with\b`,
	)},
	{"sends data with an image or link", "Embrace the Red, 2023; EchoLeak, CVE-2025-32711", patterns(
		`!\[[^\]\n]{0,100}\]\(\s*https?://[^)\s]{1,200}\?[^)\s]*=`,
		`(?i)<img\b[^>]{0,100}\bsrc=["\x27]?https?://[^"\x27>\s]{1,200}\?`,
		`(?i)\b(?:append|add|open|render|load|embed|insert|fetch)\b[^.!?\n]{0,40}`+
			`https?://[^\s)"\x27>]{1,200}[?&][\w-]+=[{<\[$]`,
	)},
	{"asks for the conversation, the prompt or secrets", "line jumping, Trail of Bits, 2025-04-21", patterns(
		`(?i)\b(?:reveal|print|put|include|pass|send|repeat|output|copy|write|attach)\b[^.!?\n]{0,30}`+
			`\b(?:your\s+(?:\w+\s+)?(?:system\s+prompt|initial\s+(?:instructions|prompt))|`+
			`the\s+hidden\s+prompt)\b`,
		`(?i)\b(?:hold|contain|include|pass|send|put|attach)\b[^.!?\n]{0,20}`+
			`\b(?:(?:entire|whole|full|complete)\s+(?:conversation|chat)|`+
			`all\s+(?:previous|prior|earlier)\s+messages)\b`,
		`(?i)\b(?:pass|send|include|attach|put)\s+(?:\w+\s+)?all\s+(?:the\s+)?environment\s+variables\b`,
		`(?i)\b(?:send|pass|include|attach|collect)\s+(?:every|all|any)\s+`+
			`(?:api[\s_-]+keys?|passwords?|credentials)\b`,
		`(?i)\b(?:read|copy|collect|include)\b[^.!?\n]{0,30}\s\.env\b`,
		`(?i)^(?:contents?|read|reading)\s+(?:\w+\s+){0,3}(?:id\s+rsa|ssh\s+key|system\s+prompt)$`,
		`(?i)^(?:(?:full|entire|whole|complete)\s+(?:conversation|chat)|conversation|chat)`+
			`\s+(?:history|so\s+far|transcript)$`,
	)},
	{"overrides what the model was told", "line jumping, Trail of Bits, 2025-04-21", patterns(
		`(?i)\b(?:disregard|ignore|forget)\s+`+
			`(?:your\s+(?:system\s+prompt|instructions)|everything\s+you\s+were\s+told)\b`,
		`(?i)\boverrides?\s+(?:all|any)\s+(?:other\s+|previous\s+)?(?:instructions|rules)\b`,
		`(?i)\b(?:precedence|priority)\s+over\s+(?:anything|everything|what)\s+the\s+user\b`,
		`(?i)\balways\s+(?:call|use|run|invoke)\s+this\s+(?:function|tool)\s+before\s+you\s+answer\b`,
	)},
	{"gives orders in another language", "translated tool poisoning, OWASP MCP Top 10, MCP03", patterns(
		`忽略[^。\n]{0,12}(?:指令|指示|说明|提示)|(?:不要|别|请勿)(?:告诉|告知|通知)用户`,
		`(?i)\bignor[ae]\s+(?:todas\s+)?(?:las\s+)?instrucciones\s+(?:anteriores|previas)\b`,
		`(?i)\bno\s+(?:se\s+)?lo\s+(?:digas|menciones)\s+al\s+usuario\b`,
		`(?i)\bignore[sz]?\s+(?:toutes\s+)?les\s+instructions\s+pr[ée]c[ée]dentes\b`,
		`(?i)\b(?:parle|parlez|dis|dites)\s+pas\s+[àa]\s+l'utilisateur`,
		`(?i)\bignorier(?:e|en)?\s+(?:Sie\s+)?(?:alle\s+)?`+
			`(?:vorherigen|bisherigen|vorigen)\s+(?:Anweisungen|Instruktionen)\b`,
		`(?i)\bsag(?:e|en)?\s+(?:Sie\s+)?dem\s+(?:Benutzer|Nutzer|Anwender)\s+nichts\b`,
		`(?i)игнорируй(?:те)?\s+(?:все\s+)?предыдущие\s+(?:инструкции|указания)`,
		`(?i)не\s+(?:говори|сообщай)(?:те)?\s+(?:об\s+этом\s+)?пользовател`,
		`(?:以前|これまで|前)の(?:すべての)?(?:指示|命令)を(?:すべて)?無視`,
		`ユーザー(?:に|には)[^。\n]{0,10}(?:言わない|伝えない|知らせない)`,
	)},
}

// patterns compiles expressions, with the blanks and apostrophes that a text may have in place of plain ones.
func patterns(expressions ...string) []lazy {
	all := make([]lazy, len(expressions))
	for i, e := range expressions {
		all[i] = kit.Pattern(strings.NewReplacer(`\s+`, `[\s\p{Z}]+`, `'`, `['’]`).Replace(e))
	}
	return all
}

// poisoned reports the first attack in a text, also in what the text encodes.
func poisoned(p passage, at spot) {
	if p.short() {
		return
	}
	text := p.text
	if !p.prose && !strings.ContainsFunc(text, unicode.IsSpace) { // a name or a choice
		text = strings.NewReplacer("_", " ", "-", " ").Replace(text)
	}
	said, a := attackIn(text)
	if said == "" && text != p.text {
		said, a = attackIn(p.text)
	}
	if said != "" {
		at.say("", rawjson.Quote(said), "The text %s: %s (%s).", a.does, rawjson.Quote(said), a.source)
		return
	}
	for _, inner := range decoded(p.text, 2) {
		if said, _ := attackIn(inner); said != "" {
			at.say("", rawjson.Quote(said), "The text encodes %s.", rawjson.Quote(said))
			return
		}
	}
}

// attackIn returns the passage of a text that is an attack, and its kind; empty where there is none.
func attackIn(text string) (string, attack) {
	read := wording.Read(text)
	known := attack{"gives orders", "Invariant Labs, 2025-04-01", wording.Instructions}
	for _, a := range append([]attack{known}, attacks...) {
		for _, pattern := range a.patterns {
			if found := read.Find(pattern); found != nil {
				return strings.TrimSpace(text[found[0]:found[1]]), a
			}
		}
	}
	return "", attack{}
}

var (
	base64Run = kit.Pattern(`[A-Za-z0-9+/_-]{24,}={0,2}`)
	hexRun    = kit.Pattern(`(?:[0-9a-fA-F]{2}[ :]?){16,}`)
)

// mostEncoded is how many bytes of a text are decoded.
const mostEncoded = 64 << 10

// decoded returns the texts that a text holds in base64, hex or ROT13, and those inside them, up to a depth.
func decoded(text string, depth int) (all []string) {
	if depth == 0 || len(text) > mostEncoded {
		return nil
	}
	for _, run := range base64Run().FindAllString(text, -1) {
		plain := strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(run, "="))
		if data, err := base64.RawStdEncoding.DecodeString(plain); err == nil {
			all = append(all, string(data))
		}
	}
	for _, run := range hexRun().FindAllString(text, -1) {
		if data, err := hex.DecodeString(strings.NewReplacer(" ", "", ":", "").Replace(run)); err == nil {
			all = append(all, string(data))
		}
	}
	all = slices.DeleteFunc(all, func(inner string) bool { return !readable(inner) })
	for _, inner := range slices.Clone(all) {
		all = append(all, decoded(inner, depth-1)...)
	}
	return append(all, strings.Map(rot13, text))
}

// readable reports whether decoded bytes are a text.
func readable(text string) bool {
	control := func(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) }
	return utf8.ValidString(text) && !strings.ContainsFunc(text, control)
}

func rot13(r rune) rune {
	switch {
	case 'a' <= r && r <= 'z':
		return 'a' + (r-'a'+13)%26
	case 'A' <= r && r <= 'Z':
		return 'A' + (r-'A'+13)%26
	}
	return r
}

// borrowed matches an order about the use of a tool by its name.
var borrowed = patterns(
	`(?i)\b(?:when(?:ever)?|if|before|after|every\s+time|each\s+time|for\s+(?:every|each))\b[^.!?\n]{0,40}?` +
		`\b([a-z]+(?:_[a-z]+)+)\b[^.!?\n]{0,60}\b(?:always|change|replace|set|also\s+call|` +
		`first\s+call|add\s+the\s+parameter|must\s+be\s+sent)\b`,
)[0]

// shadowing reports orders about a tool that the server does not have.
func shadowing(s *server, report tell) {
	own := s.vocabulary()
	ofTexts(func(p passage, at spot) {
		if !p.prose || p.short() {
			return
		}
		for _, m := range borrowed().FindAllStringSubmatch(p.text, -1) {
			if !own[strings.ToLower(m[1])] {
				at.say("", rawjson.Quote(m[0]),
					"The text gives orders about another server's tool %s (Invariant Labs, 2025-04-07).", m[1])
				return
			}
		}
	})(s, report)
}
