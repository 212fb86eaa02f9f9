package check

import (
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// Orders to the model are recognized by the parts that an attack must have, sentence by sentence: an order,
// and an object outside the task of the tool, such as another tool, what the user said or owns, an address,
// the rules that the model was given, or silence. A description that says what the tool itself does
// ("Sends ...") holds no order.

var (
	isAddressed = kit.Pattern(`^(?:https?://\S+|\S+@[\w-]+\.[\w.-]*\w|\+\d[\d-]{6,}|` +
		`[A-Z]{2}\d{2}[A-Z\d]{8,})$`)
	isSensitive = kit.Pattern(`(?i)^(?:(?:~|\$home|%userprofile%|/home/\S+?|/root|/users/\S+?)[/\\]\.\S+|` +
		`(?:\S*[/\\])?(?:\.env(?:\.\w+)?|\.ssh|\.aws|\.(?:ba|z)sh_history|id_(?:rsa|ed25519|ecdsa|dsa)|` +
		`\.netrc|credentials|mcp\.json)|/etc/(?:passwd|shadow)\S*)$`)
	isVariable = kit.Pattern(`^(?:[A-Z][A-Z0-9]*)?(?:_[A-Z0-9]+)*_(?:KEY|TOKEN|SECRET|PASSWORD)$`)
	harmful    = kit.Pattern(`(?i)\brm -rf\b|\|\s*(?:ba|z)?sh\b|\b(?:curl|wget)\b[^.\n]{0,40}\shttps?://|` +
		`\bchmod\s+(?:-R\s+)?777`)
)

// orderKinds are what sentences order.
var orderKinds = []struct {
	does  string
	holds func(s *sentence) bool
}{
	{"to hide something from the user", hides},
	{"to hand over what the user did not give to the tool", handsOver},
	{"to send something to an address", sendsToAddress},
	{"against the instructions of the model", overrides},
	{"that forges the consent of the user", forgesConsent},
	{"about other tools", aboutOtherTools},
	{"to run a harmful command", func(s *sentence) bool { return s.all&isCode != 0 }},
	{"about every answer of the model", steersAnswers},
}

func always(int) bool { return true }

// affirmed reports whether the verb at i is not negated.
func (s *sentence) affirmed(i int) bool { return !s.negated(i) }

// spoken reports whether the sentence may speak to the model: the first one only by words that do.
func (s *sentence) spoken() bool { return !s.first || s.all&isModel != 0 }

// event reports whether the sentence may order something on an event.
func (s *sentence) event() bool { return !s.first || s.all&isMarker != 0 }

// hides reports whether the sentence orders silence, or to lie.
func hides(s *sentence) bool {
	tells := func(i int) bool {
		direct := slices.ContainsFunc([]string{"tell", "inform", "notif", "alert"},
			func(stem string) bool { return strings.HasPrefix(s.words[i].text, stem) })
		// "do not mention that you see an image" is about what is shown, not about what is done
		seen := !s.near(i, 3, isPerson) && s.says("that you see", "that you can", "that you cannot",
			"that you can't", "that you are", "that you received")
		return !seen && (s.negated(i) || s.near(i, 2, isNot)) &&
			(direct && s.near(i, 3, isPerson) || s.near(i, 3, isThis) && !s.near(i, 2, isOther))
	}
	shows := func(i int) bool {
		return s.negated(i) && s.near(i, 2, isThis) && s.all&(isPerson|isAnswer) != 0
	}
	quietly := func(i int) bool {
		at := s.index(-1, len(s.words), isQuiet)
		will := at > 0 && s.words[at-1].in("will would may can could might")
		return at >= 0 && !will && !s.negated(i)
	}
	conceals := func(i int) bool { return !s.negated(i) && s.near(i, 12, isPerson|isThis) }
	return s.orders(isSay, tells) || s.orders(isShow, shows) || s.orders(isConceal, conceals) ||
		s.orders(isPass|isAct|isRead|isAlter, quietly) ||
		s.all&isAsked != 0 && s.orders(isSay|isLie, always) ||
		s.has(isModel, isAnswer) && s.orders(isOmit, s.affirmed) ||
		!s.first && (s.orders(isLie, s.affirmed) || s.has(isQuiet, isMust, isPerson)) ||
		s.spoken() && s.keepsUnaware()
}

// keepsUnaware reports whether someone must not learn something, as in "the user must not notice".
func (s *sentence) keepsUnaware() bool {
	for i, w := range s.words {
		not := s.index(i-1, 8, isNot)
		if w.class&isPerson == 0 || not < 0 || !s.near(i-1, 8, isMust) && !s.near(i, -3, isMust) {
			continue
		}
		learns := s.index(not-1, 6, isLearn)
		// "need not know the coordinates"
		spared := s.says("need to", "need not", "needs to") && !s.near(learns, 3, isThis)
		if learns > 0 && !spared && !slices.Contains([]string{"the", "a"}, s.words[learns-1].text) {
			return true
		}
	}
	return false
}

// handsOver reports whether the sentence orders to pass on a conversation, secrets or what belongs to the
// user.
func handsOver(s *sentence) bool {
	const far = 16
	mine := func(i int) bool {
		at := s.index(i, far, isMine)
		return !s.negated(i) && at > 0 && !s.near(at, -3, isNot) && !s.words[at-1].in("in into to within")
	}
	secret := func(i int) bool {
		if s.negated(i) || s.all&marksExample != 0 {
			return false
		}
		if s.all&isFile != 0 {
			return s.all&(isMarker|isSlot|isPass) != 0 || !s.first
		}
		at := s.index(i, far, isSecret)
		return at >= 0 && !s.first && (s.near(at, -4, isOwner|isFound) || s.near(at, 5, isFound|isMine))
	}
	if s.orders(isPass, mine) || s.orders(isPass|isRead|isUse, secret) || s.demandsToPass() {
		return true
	}
	whole := slices.IndexFunc(s.words, func(w token) bool { return w.in("whole entire full complete") })
	return !s.first && (s.has(isMine, isSlot, isWhole) || s.has(isHold, isMine, isSlot|isWhole) ||
		s.has(isHold, isSlot, isSecret, isOwner) ||
		whole >= 0 && s.near(whole, 3, isChat) && s.has(isHold, isSlot))
}

// demandsToPass reports whether the sentence demands in the passive to pass on what the user did not give to
// the tool, as in "the content of ~/.netrc is to be supplied as `auth`".
func (s *sentence) demandsToPass() bool {
	const far = 16
	if s.first || s.all&marksExample != 0 || s.says("must not be", "should not be", "never be") {
		return false
	}
	for i, w := range s.words {
		if !passed[w.text] || !s.demanded(i) {
			continue
		}
		file := s.near(i, -far, isFile)
		own := s.near(i, -far, isMine) && s.near(i, -far, isWhole) || s.says("all environment variables")
		read := w.in("read opened loaded") && (file || s.near(i, 4, isFile))
		content := func(w token) bool { return w.in("content contents values line lines text") }
		if own || read || file && slices.ContainsFunc(s.words, content) {
			return true
		}
	}
	return false
}

var passed = kit.Set(strings.Fields("sent passed supplied provided included attached forwarded copied " +
	"uploaded pasted submitted handed transmitted appended written put given read opened loaded"))

// sendsToAddress reports whether the sentence orders to send something to an address that it names.
func sendsToAddress(s *sentence) bool {
	at := s.index(-1, len(s.words), isAddress)
	if at < 0 || !s.event() || s.all&marksExample != 0 {
		return false
	}
	verbs := isPass | isAlter
	if s.all&(isOwner|isMine|isSecret) != 0 {
		verbs |= isRead
	}
	mailed := strings.Contains(s.words[at].text, "@")
	sends := func(i int) bool {
		guides := s.near(i, 2, isPerson) && !s.near(i, 2, isOwner) // "send the user to"
		return i < at && at-i < 18 && !s.negated(i) && !guides
	}
	return s.orders(verbs, sends) ||
		(!s.first && mailed || s.has(isEvery, isMust)) && s.says("sent to", "forwarded to", "posted to",
			"copied to", "go to", "goes to", "shared with", "mailed to")
}

// overrides reports whether the sentence takes away instructions that the model has, or gives it others.
func overrides(s *sentence) bool {
	cancels := func(i int) bool {
		at := s.index(i, 12, isRules)
		return !s.negated(i) && at >= 0 && (s.near(i, 12, isGiven) || s.near(i, -6, isGiven))
	}
	disobeys := func(i int) bool { return s.negated(i) && s.near(i, 6, isRules) }
	return s.orders(isCancel, cancels) || s.has(isRules, isGiven) && s.orders(isObey, disobeys) ||
		s.spoken() && (s.has(isVoid, isRules, isGiven, isModel) || s.has(isObey, isAbove))
}

// forgesConsent reports whether the sentence claims consent for everything, or orders not to ask for it.
func forgesConsent(s *sentence) bool {
	agreed := s.index(-1, len(s.words), isAgreed)
	claims := func(i int) bool {
		return s.near(i, 4, isPerson) && s.says("user asked", "user requested", "user wanted")
	}
	return !s.first && s.orders(isSay, claims) || s.spoken() &&
		(s.all&isUnasked != 0 && s.orders(isVerb, always) ||
			agreed >= 0 && s.all&(isEvery|isUnasked|isNot) != 0 && !s.near(agreed, -4, isUnless))
}

// aboutOtherTools reports whether the sentence keeps the model from other tools, or changes what they are
// called with.
func aboutOtherTools(s *sentence) bool {
	refuses := func(i int) bool {
		return s.negated(i) && s.near(i, 3, isOther) && !s.says("until") &&
			!s.says("same time", "in parallel", "same file")
	}
	for i, w := range s.words {
		if w.class&isOther != 0 && (w.class&isTool != 0 || s.near(i, 4, isTool)) && s.all&isOurs == 0 &&
			(s.orders(isUse|isOmit, refuses) ||
				s.near(i, 12, isBad) && (!s.first || s.all&(isMust|isMarker|isNot) != 0)) {
			return true
		}
	}
	for i, w := range s.words {
		if strings.HasPrefix(w.text, "replaced") && s.demanded(i) && !s.first &&
			s.near(i, -6, isReceiver) && s.near(i, 4, isAddress) {
			return true
		}
	}
	redirects := func(i int) bool {
		return s.near(i, 8, isReceiver) && s.words[i].in("change replace set add swap")
	}
	return s.has(isReceiver, isMarker) && s.orders(isAlter|isPass, redirects) &&
		s.says("whenever", "every time", "each time", "if the agent", "always")
}

// steersAnswers reports whether the sentence puts something into answers that have nothing to do with the
// tool.
func steersAnswers(s *sentence) bool {
	return s.spoken() && s.has(isAnswer, isEvery, isOpen) &&
		(s.all&(isMust|isAddress) != 0 || !s.first && s.orders(isAct, s.affirmed))
}

// strictly reports whether an order has no innocent reading: to hide an action from the user, or to hand over
// a file with credentials.
func (s *sentence) strictly() bool {
	if s.all&marksExample != 0 {
		return false
	}
	conceals := func(i int) bool {
		return s.negated(i) && s.near(i, 6, isPerson) && s.says("about this", "about it",
			"of this", "that you", "this to", "this step", "this call", "this action", "this upload",
			"this copy", "the upload", "the copy")
	}
	file := slices.ContainsFunc(s.words, func(w token) bool {
		return w.class&isFile != 0 && strings.ContainsAny(w.text, "/\\") && !strings.HasSuffix(w.text, ".env")
	})
	return s.orders(isSay, conceals) ||
		file && s.all&(isAddress|isSlot) != 0 && s.orders(isPass, s.affirmed)
}

// maxOrders is the size of the longest text whose sentences are read.
const maxOrders = 64 << 10

// findOrder returns the sentence of a text that orders something outside the task of the tool, what that is,
// and whether it has no innocent reading; "" when there is none. What was encoded says no task of a tool.
func findOrder(text string, encoded bool) (passage, does string, strict bool) {
	for _, s := range sentencesOf(text[:min(len(text), maxOrders)]) {
		s.first = s.first && !encoded
		if len(s.words) < 4 || s.describes() {
			continue
		}
		whole := text[s.words[0].start:s.words[len(s.words)-1].end]
		if !s.first && strings.ContainsAny(whole, "|-/") && harmful().MatchString(whole) &&
			s.orders(isAct|isPass, always) {
			s.all |= isCode
		}
		for _, kind := range orderKinds {
			if kind.holds(&s) {
				return whole, kind.does, s.strictly()
			}
		}
	}
	return "", "", false
}

// describes reports whether a sentence begins with a verb that says what the tool does, such as "Returns",
// and not with a plural, as "Results of".
func (s *sentence) describes() bool {
	w := s.words[0]
	return thirdPerson(w.text) && w.class == 0 && len(w.text) > 3 && w.text != "unless" && w.text != "plus" &&
		!s.words[1].in("of in inside within are were must should may")
}
