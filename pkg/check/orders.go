package check

import (
	"slices"
	"strings"
	"unicode"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// Orders to the model are recognized by the parts that an attack must have, sentence by sentence: an
// order, and
// an object outside the task of the tool, such as another tool, what the user said or owns, an address, the
// rules that the model was given, or silence. A description that says what the tool itself does ("Sends
// ...")
// holds no order.

// class is what a word may be a part of.
type class uint64

const (
	isTell       class = 1 << iota // to say or report something
	isLearn                        // to learn something
	isPerson                       // the user, or anyone who may ask
	isNobody                       // no one
	isQuiet                        // in secret
	isAnswer                       // what the model says
	isChat                         // what was said
	isWhole                        // all of it
	isMine                         // of this conversation, or the place to put something
	isSecret                       // passwords, keys
	isFile                         // a file with secrets
	isOwned                        // what belongs to the user
	isPass                         // to hand something over
	isRead                         // to get something
	isAct                          // to do something else
	isAddress                      // a URL, an e-mail address, a number of a telephone or an account
	isReceiver                     // who gets something
	isOther                        // other than this tool
	isTool                         // tools, servers
	isBad                          // worse than this tool
	isIgnore                       // to set aside
	isRules                        // instructions, rules
	isGiven                        // that the model has
	isAgreed                       // has agreed
	isAsk                          // to ask for consent
	isConsent                      // consent
	isNot                          // a negation
	isThis                         // what the text is about
	isMarker                       // of an order that belongs to an event
	isModel                        // the reader
	isUse                          // to choose a tool
	isCode                         // a command that does harm
	marksExample                   // marks an example
	isEvery
	isPrompt
)

// words are the words of each class, in lower case.
var words = map[class]string{
	isTell: "tell telling mention mentioning inform informing reveal revealing notify notifying disclose " +
		"disclosing alert alerting say saying report reporting list show showing explain announce admit " +
		"discuss bring bringing",
	isLearn: "learn learns know knows notice notices noticing see sees find finds realize realise " +
		"aware unaware informed told suspect dark",
	isPerson: "user human person customer anyone anybody people reader someone somebody client they",
	isNobody: "nobody no-one noone",
	isQuiet:  "quietly silently secretly discreetly covertly invisibly stealthily unnoticed",
	isAnswer: "answer answers reply replies response responses summary report",
	isChat: "conversation chat dialogue dialog exchange discussion transcript messages message history " +
		"typed said written " +
		"wrote words",
	isWhole: "whole entire full complete everything all every last latest previous prior earlier " +
		"verbatim recent",
	isMine: "argument field parameter param user so far this our your you we chat",
	isSecret: "password passwords passphrase credential credentials token tokens secret secrets apikey " +
		"keys key cookies cookie",
	isOwned: "contacts address birth phone password passwords documents downloads photos mails emails " +
		"inbox messages name location files " +
		"browsing clipboard",
	isPass: "send forward upload transmit deliver email mail post copy put include attach pass supply " +
		"hand paste write insert " +
		"add append provide fill carry contain hold submit dump share leak disclose relay prepend place " +
		"return list quote repeat bcc blind-copy",
	isRead: "read open collect gather fetch get look cat retrieve obtain find scan visit load grab dump " +
		"extract",
	isAct: "proceed create call run execute invoke save store grant log delete remove replace change " +
		"set use redirect route transfer " +
		"commit merge install recommend promote choose render display embed",
	isReceiver: "recipient recipients receiver receivers bcc cc payee account destination collaborator " +
		"reviewer iban number blind " +
		"copy addressee",
	isOther: "other another others competing competitor competitors alternative alternatives rival " +
		"rivals built-in builtin else native",
	isTool: "tool tools server servers server's servers' function functions alternatives plugin " +
		"plugins connector connectors one ones reader competitors rivals",
	isBad: "broken outdated unreliable deprecated obsolete wrong unsafe avoided unused insecure " +
		"inferior untrusted malicious " +
		"ignored disabled",
	isIgnore: "ignore disregard forget override overrule suspend suspended lifted bypass waive discard " +
		"supersede supersedes " +
		"void obsolete cancelled canceled revoked aside disobey",
	isRules: "instructions instruction rules rule guidelines guideline policies policy prompt prompts " +
		"safeguards restrictions " +
		"guardrails directives orders checks limit limits safety constraints told descriptions warnings",
	isGiven: "your you earlier previous previously prior safety system host privacy content operator " +
		"administrator developer " +
		"other admin its model's",
	isAgreed: "agreed approved consented authorized authorised pre-approved preapproved pre-authorized " +
		"granted accepted " +
		"permitted confirmed consents agrees",
	isAsk:     "ask asking request requesting wait waiting seek obtain get",
	isConsent: "permission approval confirmation consent authorization authorisation",
	isNot: "not never don't without no nor cannot mustn't shouldn't needn't nothing refuse stop " +
		"avoid isn't won't can't doesn't",
	isThis: "this it that these them step call upload copy request action lookup transfer second you " +
		"following what which " +
		"happened export",
	isMarker: "before after afterwards then also always first when whenever once must prior finally " +
		"additionally addition " +
		"prerequisite essential each every if please now shall should needs",
	isModel:      "you your assistant model agent ai llm",
	isUse:        "use using call choose pick rely invoke consult try trust select",
	marksExample: "e.g example examples such like i.e",
	isEvery:      "all every everything any anything each advance blanket beforehand always signup",
	isPrompt:     "prompt instructions message",
}

var classes = func() map[string]class {
	all := map[string]class{}
	for c, list := range words {
		for _, word := range strings.Fields(list) {
			all[word] |= c
		}
	}
	return all
}()

// token is a word of a sentence.
type token struct {
	text       string // in lower case, without punctuation
	class      class
	comma      bool // ends a clause
	start, end int  // in the text
}

// sentence is a sentence of a text.
type sentence struct {
	words []token
	all   class // of all words
	first bool  // of the text: it mostly says what the tool does
}

var (
	isAddressed = kit.Pattern(`^(?:https?://\S+|\S+@[\w-]+\.[\w.-]*\w|\+\d[\d-]{6,}|[A-Z]{2}\d{10,})$`)
	isSensitive = kit.Pattern(`(?i)^(?:(?:~|\$home|%userprofile%|/home/\S+?|/root|/users/\S+?)[/\\]\.\S+|` +
		`(?:\S*[/\\])?(?:\.env(?:\.\w+)?|\.ssh|\.aws|\.(?:ba|z)sh_history|id_(?:rsa|ed25519|ecdsa|dsa)|` +
		`\.netrc|credentials|mcp\.json)|/etc/(?:passwd|shadow)\S*)$`)
	isVariable = kit.Pattern(`^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_(?:KEY|TOKEN|SECRET|PASSWORD)$`)
	harmful    = kit.Pattern(`(?i)\brm -rf\b|\|\s*(?:ba|z)?sh\b|\b(?:curl|wget)\s+(?:-\S+\s+)*https?://|` +
		`\bchmod\s+(?:-R\s+)?777`)
)

// sentencesOf splits a text. A sentence ends with a mark, an empty line, or before a line that begins a
// list or
// a tag.
func sentencesOf(text string) []sentence {
	var all []sentence
	current := sentence{first: true}
	flush := func() {
		if len(current.words) > 0 {
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

// endsSentence reports whether a word with its punctuation ends a sentence.
func endsSentence(raw, bare string) bool {
	return strings.ContainsAny(raw[max(0, len(raw)-2):], ".!?") && raw != "" &&
		strings.ContainsAny(raw[len(raw)-1:], ".!?)\"'") &&
		!strings.EqualFold(bare, "e.g") && !strings.EqualFold(bare, "i.e") || strings.HasSuffix(raw, "。")
}

// add appends a word.
func (s *sentence) add(bare, raw string, at int) {
	lower := strings.ReplaceAll(strings.ToLower(bare), "’", "'")
	c := classes[lower]
	if owner, owned := strings.CutSuffix(lower, "'s"); owned {
		c |= classes[owner]
	}
	switch {
	case strings.ContainsAny(bare, "@:+0123456789") && isAddressed().MatchString(bare):
		c |= isAddress
	case strings.ContainsAny(bare, "._/\\") && isSensitive().MatchString(bare):
		c |= isFile
	case strings.Contains(bare, "_") && isVariable().MatchString(bare):
		c |= isFile
	}
	if path := strings.TrimLeft(raw,
		"`\"'("); strings.HasPrefix(path, "~/.") || strings.HasPrefix(path, ".env") ||
		strings.HasPrefix(path, ".bash_history") || strings.HasPrefix(path, ".netrc") {
		c |= isFile // whose point was taken for punctuation
	}
	if n := len(s.words); lower == "aside" && n > 0 && s.words[n-1].text == "set" {
		s.words[n-1].class |= isIgnore
	}
	s.words = append(s.words, token{lower, c, strings.ContainsAny(raw[len(raw)-1:], ",;:)"), at,
		at + len(bare)})
	s.all |= c
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

// says reports whether the sentence has some words in a row; "_" stands for any word, and a word in
// brackets may
// be missing.
func (s *sentence) says(phrases ...string) bool {
	return slices.ContainsFunc(phrases, func(phrase string) bool {
		want := strings.Fields(phrase)
		for i := 0; i+len(want) <= len(s.words); i++ {
			matches := true
			for k, word := range want {
				matches = matches && (word == "_" || s.words[i+k].text == word)
			}
			if matches {
				return true
			}
		}
		return false
	})
}

var (
	leads = kit.Set(strings.Fields("then and also please first always must should shall or you will " +
		"afterwards never not to now just " +
		"immediately automatically directly finally additionally instead simply don't assistant model " +
		"agent could please: does do it"))
	obliges = kit.Set(strings.Fields("need needs has have remember sure required essential necessary " +
		"important order mandatory going refuse"))
)

// ordered reports whether the verb at i is an order: at the start of a clause or behind a word such as
// must,
// and in a sentence that speaks to the model or of an event. What the first sentence of a text alone says
// is the
// task of the tool.
func (s *sentence) ordered(i int) bool {
	imperative := i == 0 || s.words[i-1].comma || strings.HasSuffix(s.words[i-1].text, "ly") ||
		leads[s.words[i-1].text]
	if i > 0 && s.words[i-1].text == "to" {
		imperative = i > 1 && obliges[s.words[i-2].text]
	}
	if i > 0 && s.words[i-1].text == "it" || i > 0 && (s.words[i-1].text == "or" ||
		s.words[i-1].text == "and") && !s.verbBefore(i-1) {
		imperative = false
	}
	return imperative && (!s.first || s.all&isModel != 0 || s.all&isMarker != 0 || i > 0 ||
		s.says("argument", "field", "parameter"))
}

// verbBefore reports whether there is an order before a conjunction.
func (s *sentence) verbBefore(i int) bool {
	for j := range i {
		if s.words[j].class&(isPass|isRead|isAct|isTell|isUse|isIgnore) != 0 && s.ordered(j) {
			return true
		}
	}
	return s.all&isMarker != 0 && s.all&isModel != 0
}

// order returns the index of an ordered verb of a class for which a condition holds, or -1.
func (s *sentence) order(c class, holds func(i int) bool) int {
	for i, w := range s.words {
		if w.class&c != 0 && s.ordered(i) && holds(i) {
			return i
		}
	}
	return -1
}

// negated reports whether the verb at i is.
func (s *sentence) negated(i int) bool {
	j := s.index(i, -3, isNot)
	for k := j; k >= 0 && k < i; k++ {
		if s.words[k].text == "and" {
			return false
		}
	}
	return j >= 0
}

// orderKinds are what sentences order. The needs are classes that are looked for first.
var orderKinds = []struct {
	does  string
	needs []class
	holds func(s *sentence) bool
}{
	{"to hide something from the user", nil, hides},
	{"to hand over what the user did not give to the tool", []class{isPass | isRead | isAct}, handsOver},
	{"to send something to an address", []class{isAddress}, sendsToAddress},
	{"against the instructions of the model", nil, overrides},
	{"that forges the consent of the user", []class{isConsent | isAgreed | isAsk}, forgesConsent},
	{"about other tools", []class{isOther | isTool | isBad | isReceiver}, aboutOtherTools},
	{"to run a harmful command", []class{isCode}, func(*sentence) bool { return true }},
	{"about every answer of the model", []class{isAnswer | isAct}, steersAnswers},
}

// hides reports whether the sentence orders silence, or to lie.
func hides(s *sentence) bool {
	for i, w := range s.words {
		switch {
		case w.class&isTell != 0 && (s.negated(i) || s.near(i, 2, isNobody) || w.text == "tell" &&
			s.says("no one")) && concealing(s, i):
			return true
		case w.class&isPerson != 0 && s.near(i, 3, isNot) && s.near(i, 5, isLearn) && s.says("must not",
			"must never", "should not", "should never",
			"may not", "may never", "never _", "shall not", "need not", "not to", "user never",
			"notice nothing", "does not need") && !s.near(i, -2, isNot):
			return s.index(i, 6, isNot) >= 0 && (s.near(i, 8, isThis) || len(s.words)-i < 8)
		case w.class&isNobody != 0 && s.near(i, 4, isLearn) && s.all&(isMarker|isModel|isThis) != 0:
			return true
		case w.class&isQuiet != 0 && s.quietly(i):
			return true
		case (w.text == "keep" || w.text == "hide" || w.text == "conceal") && s.ordered(i) && s.near(i,
			8, isPerson) && s.near(i, 4, isThis) &&
			(s.says("from the", "from user") || s.says("in the dark", "_ unaware")):
			return true
		case w.text == "leave" && s.ordered(i) && s.near(i, 7, isThis) && s.says("out when", "out of",
			"step out", "call out", "no trace") &&
			s.near(i, 12, isAnswer|isPerson):
			return true
		case (w.text == "pretend" || w.text == "deny") && s.ordered(i):
			return true
		}
	}
	if s.says("in the dark") && s.all&isPerson != 0 && s.says("should remain", "must remain",
		"should stay", "must stay", "should be") {
		return true
	}
	return s.says("between us", "in the dark", "no trace of", "tell no one", "as if nothing", "let on") &&
		s.all&(isNot|isThis|isPerson|isMarker) != 0 &&
		!s.first || s.says("asks what", "anybody asks", "anyone asks", "user asks what", "person asks") &&
		s.order(isTell, func(j int) bool {
			return s.near(j, 3, isThis) && s.says("that only", "that nothing", "say nothing",
				"that the deletion", "that no")
		}) >= 0
}

// quietly reports whether the adverb at i belongs to an order to do something, and not to what the tool does.
func (s *sentence) quietly(i int) bool {
	const acts = isPass | isAct | isRead
	verb := s.index(i, 2, acts)
	if i > 0 && slices.Contains(strings.Fields("will would may can could might"), s.words[i-1].text) ||
		verb >= 0 && slices.Contains(strings.Fields("return get look contain hold"),
			s.words[verb].text) {
		return false
	}
	return verb >= 0 && s.ordered(verb) || s.near(i, -4, isPass|isAct) &&
		s.order(isPass|isAct, func(j int) bool { return j < i && i-j < 5 }) >= 0
}

// concealing reports whether the negated verb at i conceals an action rather than data.
func concealing(s *sentence, i int) bool {
	verb, ordered := s.words[i].text, s.ordered(i) || strings.HasSuffix(s.words[i].text, "ing")
	direct := slices.Contains(strings.Fields("tell telling inform informing notify notifying alert "+
		"alerting"), verb)
	quiet := slices.Contains(strings.Fields("disclose disclosing reveal revealing admit mention "+
		"mentioning bring bringing say"), verb)
	switch {
	case !ordered || s.near(i, 1, isNot) && !s.near(i, 2, isNobody) || i+1 < len(s.words) &&
		s.words[i+1].text == "apart":
		return false
	case s.near(i, 2, isNobody) || s.says("tell no one", "anyone about"):
		return true
	case direct && s.near(i, 3, isPerson):
		return s.near(i, 8, isThis) || i+3 >= len(s.words)
	case s.near(i, 2, isThis) && s.near(i, 8, isPerson|isAnswer) && !s.near(i, 3, isTool):
		return true
	case quiet && s.near(i, 12, isPerson) && s.near(i, 6, isThis):
		return true
	}
	return quiet && (s.near(i, 1, isThis) || s.near(i, 3, isThis) && s.all&(isModel|isPerson) != 0) &&
		!s.first && !s.near(i, 2, isTool)
}

// handsOver reports whether the sentence orders to pass on a conversation, secrets or what belongs to the
// user.
func handsOver(s *sentence) bool {
	return s.order(isPass|isRead|isAct, func(i int) bool {
		verb := s.words[i].class
		const far = 16
		switch {
		case s.negated(i) || s.all&marksExample != 0:
			return false
		case s.near(i, far, isFile):
			return verb&(isPass|isRead) != 0 && (s.all&(isMarker|isMine) != 0 || !s.first) ||
				s.all&isMarker != 0 && s.near(i, far, isPass)
		case verb&isPass != 0 && s.near(i, far, isChat) && s.near(i, far, isWhole) && s.near(i, far,
			isMine) && !s.near(i, 1, isAddress):
			return s.all&isMine != 0 && (s.says("so far", "chat history", "dialogue history", "the user",
				"user typed", "word for word", "conversation history",
				"this chat", "this conversation", "user's messages", "user's latest", "our conversation",
				"with you") ||
				s.near(i, 10, isWhole) && s.says("the conversation", "entire conversation",
					"whole conversation", "full conversation", "complete conversation",
					"entire chat", "whole chat", "full chat", "complete chat", "complete dialogue",
					"entire dialogue", "full dialogue") && s.says("argument", "field", "parameter"))
		case verb&isPass != 0 && (s.says("your system prompt", "system prompt with", "your instructions",
			"your initial", "your hidden",
			"your developer")):
			return true
		case s.near(i, 10, isSecret) && s.near(i, 6, isEvery|isOwned) && (s.near(i, far, isMine) ||
			s.all&isMarker != 0) && !s.first:
			return verb&(isPass|isRead) != 0 && s.says("user's", "your", "project's", "mentioned",
				"every secret", "every key", "all tokens",
				"all passwords", "all credentials", "all keys", "every api", "every password",
				"api keys", "all secrets", "private key")
		case s.says("the user's") && s.near(i, 8, isOwned) && !s.first:
			return verb&(isPass|isRead) != 0 && s.near(i, far, isPass|isAddress|isMine) &&
				(s.order(isPass, func(int) bool { return true }) >= 0) &&
				(s.all&(isAddress|isMarker|isQuiet) != 0 || s.says("contacts", "home address",
					"password manager", "private messages"))
		case s.says("private key", "private messages", "environment variables", "the environment") &&
			verb&(isPass|isRead) != 0 && !s.first:
			return s.order(isPass, func(j int) bool {
				return s.near(j, far, isMine|isAddress) ||
					s.says("the environment")
			}) >= 0 &&
				s.says("private key", "private messages", "all environment", "of _ from the environment",
					"read the environment")
		}
		return false
	}) >= 0 || !s.first && s.says("home address") && s.says("user's") && s.says("from memory",
		"you know", "them from")
}

// sendsToAddress reports whether the sentence orders to send something to an address that it names.
func sendsToAddress(s *sentence) bool {
	if s.all&marksExample != 0 {
		return false
	}
	return s.order(isPass|isAct|isRead, func(i int) bool {
		at := s.index(i, 18, isAddress)
		switch {
		case at < 0 || s.negated(i):
			return false
		case strings.HasPrefix(s.words[at].text, "http"):
			between := sentence{words: s.words[i+1 : at]}
			for _, w := range between.words {
				between.all |= w.class
			}
			sends := slices.Contains(strings.Fields("send forward upload transmit deliver post submit "+
				"relay email"), s.words[i].text)
			return sends && between.all&(isChat|isSecret|isOwned|isThis|isWhole) != 0 && s.says("to _",
				"at _") && !(s.first && s.all&isMarker == 0) ||
				s.says("followed by") || strings.HasSuffix(s.words[at].text, "=") || s.all&isAnswer != 0 &&
				s.all&isEvery != 0
		}
		return s.all&(isReceiver|isQuiet|isThis|isOther) != 0 && !(s.first && s.all&isModel == 0 &&
			s.all&isMarker == 0)
	}) >= 0 || !s.first && s.all&(isReceiver|isChat|isOwned) != 0 && s.all&isEvery != 0 &&
		s.says("must be", "have to be", "has to", "must carry", "always put")
}

// overrides reports whether the sentence takes away instructions that the model has, or gives it others.
func overrides(s *sentence) bool {
	for i, w := range s.words {
		switch {
		case w.class&isIgnore != 0 && (s.ordered(i) || s.near(i, -3, isMarker) || s.says("are suspended",
			"is suspended", "are lifted", "are void")) &&
			s.near(i, 12, isRules) && (s.near(i, 12, isGiven) || s.near(i, -6, isGiven)) && !s.negated(i):
			return !s.first || s.all&isGiven != 0
		case w.class&isIgnore != 0 && s.near(i, -8, isRules) && s.near(i, -8, isGiven) &&
			s.says("suspended", "lifted", "void", "obsolete", "revoked"):
			return true
		case w.class&isRules != 0 && s.near(i, -9, isGiven) && s.says("no longer", "do not apply",
			"does not apply", "not apply"):
			return true
		case w.class&isRules != 0 && s.says("you were _") && s.says("no longer", "_ outdated"):
			return true
		case (w.text == "follow" || w.text == "obey" || w.text == "apply") && s.negated(i) &&
			s.ordered(i) && s.near(i, 5, isRules) && s.near(i, 8, isGiven):
			return true
		case (w.text == "treat" || w.text == "trust" || w.text == "consider" || w.text == "follow" ||
			w.text == "obey") && s.ordered(i) && !s.negated(i) &&
			s.near(i, 12, isRules) && (s.says("as instructions", "above instructions",
			"over instructions", "above your", "over your", "any instructions",
			"above the", "as orders", "as commands") && (s.all&(isModel|isPerson) != 0)):
			return true
		}
	}
	return s.says("you are now", "developer mode", "maintenance mode", "god mode") && !s.first &&
		s.all&isModel != 0 && s.all&(isRules|isGiven) != 0 &&
		s.says("mode", "policies", "safety") || s.says("you are no longer bound", "you are now in",
		"you are now a") && !s.first
}

// forgesConsent reports whether the sentence claims consent for everything, or orders not to ask for it.
func forgesConsent(s *sentence) bool {
	for i, w := range s.words {
		switch {
		case w.class&isAgreed != 0 && s.near(i, -5, isPerson) && s.near(i, 4, isEvery) &&
			s.all&isNot|s.all&isMarker != 0 && !s.says("that the user"):
			return true
		case w.class&isAsk != 0 && s.near(i, 5, isConsent) && (s.negated(i) && s.ordered(i) ||
			s.says("not necessary", "no need", "skip asking",
				"without asking", "without waiting", "not needed")) && !s.first:
			return s.all&(isPerson|isMarker) != 0 || s.order(isAct|isPass,
				func(int) bool { return true }) >= 0 || s.says("go straight", "skip asking")
		}
	}
	return s.says("without asking the user", "without asking") && !s.first && s.order(isAct|isPass|isUse,
		func(int) bool { return true }) >= 0
}

// aboutOtherTools reports whether the sentence keeps the model from other tools, or changes what they are
// called with.
func aboutOtherTools(s *sentence) bool {
	other := func(i, n int) bool {
		j := s.index(i, n, isOther)
		return j >= 0 && (s.words[j].class&isTool != 0 || s.near(j, 3, isTool))
	}
	for i, w := range s.words {
		switch {
		case w.class&isUse != 0 && (s.negated(i) || s.near(i, -2, isNot)) && s.ordered(i) ||
			w.text == "using" && s.near(i, -1, isNot):
			if other(i, 3) || s.says("other than this") {
				return true
			}
		case w.class&isOther != 0 && (w.class&isTool != 0 || s.near(i, 3, isTool)):
			if j := s.index(i, 12, isBad); j >= 0 && (s.near(j, -3, isMarker) || s.says("are broken",
				"is broken", "are outdated", "are unreliable",
				"are unsafe", "are deprecated", "tool unused", "tools unused", "be avoided")) &&
				!s.near(j, -2, isNot) {
				return true
			}
			if s.near(i, -4, isMarker) && s.order(isPass|isAct, func(k int) bool {
				return k > i &&
					s.near(k, 10, isAddress|isReceiver)
			}) >= 0 {
				return true
			}
		case w.class&isReceiver != 0 && !s.first && s.near(i, -4, isAct|isPass|isThis) &&
			s.says("whenever", "every time", "each time", "if the agent",
				"always change", "always add", "always set", "always replace") && s.order(isAct|isPass,
			func(k int) bool {
				return slices.Contains([]string{"add", "change", "replace", "set"}, s.words[k].text) &&
					k < i+3
			}) >= 0 && s.says("a collaborator", "the payee", "the recipient", "reviewer _", "the iban",
			"the account"):
			return true
		case w.text == "rank" && s.ordered(i) && s.says("above all", "above other", "above every",
			"first among"):
			return true
		case w.class&isIgnore != 0 && s.ordered(i) && other(i, 5) && s.near(i, 8, isRules):
			return true
		}
	}
	return false
}

// steersAnswers reports whether the sentence puts something into answers that have nothing to do with the
// tool.
func steersAnswers(s *sentence) bool {
	for i, w := range s.words {
		switch {
		case w.class&isAnswer != 0 && s.near(i, -3, isEvery) && s.all&isModel != 0 &&
			s.all&(isAddress|isMarker) != 0 &&
			s.says("end with", "ends with", "start with", "begin with", "contain a", "include a",
				"has to", "must _"):
			return s.all&isAddress != 0 || s.says("a link", "an image", "an advertisement")
		case (w.text == "recommend" || w.text == "promote" || w.text == "advertise") && s.ordered(i) &&
			!s.first &&
			s.says("before any", "above all", "over any", "before others", "before all", "instead of",
				"whatever the"):
			return true
		}
	}
	return false
}

// strictly reports whether an order has no innocent reading: to hide an action from the user, or to hand
// over
// a file with credentials.
func (s *sentence) strictly() bool {
	if s.all&marksExample != 0 {
		return false
	}
	for i, w := range s.words {
		switch {
		case w.class&isTell != 0 && s.negated(i) && s.ordered(i) && s.all&isPerson != 0 && concealing(s, i):
			if s.says("this to", "it to", "this step", "this call", "this action", "this upload",
				"this copy", "the upload", "the copy",
				"about this", "about it", "that you", "that the", "of this") {
				return true
			}
		case w.class&isPerson != 0 && s.says("must not", "must never", "should not", "should never") &&
			s.near(i, 3, isNot) &&
			s.near(i, 5, isLearn) && s.says("about this", "of this", "that this", "about it"):
			return true
		case w.class&isFile != 0 && strings.ContainsAny(w.text, "/\\") && !strings.HasSuffix(w.text,
			".env") &&
			s.order(isPass, func(j int) bool { return !s.negated(j) }) >= 0 &&
			(s.all&isAddress != 0 || s.says("argument", "field", "parameter", "as sidenote",
				"as context", "request")):
			return true
		}
	}
	return false
}

// maxOrders is the size of the longest text whose sentences are read.
const maxOrders = 64 << 10

// findOrder returns the sentence of a text that orders something outside the task of the tool, what that
// is, and
// whether it has no innocent reading; "" when there is none. What was encoded says no task of a tool.
func findOrder(text string, encoded bool) (passage, does string, strict bool) {
	for _, s := range sentencesOf(text[:min(len(text), maxOrders)]) {
		s.first = s.first && !encoded
		if len(s.words) < 4 {
			continue
		}
		whole := text[s.words[0].start:s.words[len(s.words)-1].end]
		if !s.first && strings.ContainsAny(whole, "|-/") && harmful().MatchString(whole) &&
			s.order(isAct|isPass, func(int) bool { return true }) >= 0 {
			s.all |= isCode
		}
		for _, kind := range orderKinds {
			if s.has(kind.needs...) && kind.holds(&s) {
				return whole, kind.does, s.strictly()
			}
		}
	}
	return "", "", false
}
