package check

import (
	_ "embed" // for the lexicon
	"slices"
	"strings"
	"sync"
)

// class is what a word or phrase may be a part of.
type class uint64

const (
	isSay        class = 1 << iota // to say or report something
	isShow                         // to let something be seen
	isLearn                        // to learn something
	isPerson                       // the user, or who may ask
	isOwner                        // the user's
	isQuiet                        // in secret
	isConceal                      // to keep something from someone
	isOmit                         // to leave something out
	isAnswer                       // what the model says
	isChat                         // a conversation
	isMine                         // this conversation, or what the model was given
	isWhole                        // all of it
	isSlot                         // an argument
	isHold                         // must have, goes into
	isSecret                       // passwords, keys
	isFile                         // a file with secrets
	isFound                        // that the model comes across
	isPass                         // to hand something over
	isRead                         // to get something
	isAct                          // to do something else
	isAlter                        // to change something
	isAddress                      // a URL, an e-mail address, a number of a telephone or an account
	marksExample                   // marks an example
	isReceiver                     // who gets something
	isOther                        // other than this tool
	isTool                         // tools, servers
	isBad                          // worse than this tool
	isOurs                         // of this server
	isCancel                       // to set aside
	isVoid                         // set aside
	isRules                        // instructions, rules
	isGiven                        // that the model has
	isObey                         // to follow
	isAbove                        // more than the user
	isAgreed                       // has agreed to everything
	isUnasked                      // without consent
	isNot                          // a negation
	isThis                         // what the text is about
	isMarker                       // of an order that belongs to an event
	isModel                        // the reader
	isUse                          // to choose a tool
	isLie                          // to say what is not so
	isMust                         // a duty
	isEvery                        // without exception
	isCode                         // a command that does harm
	isOpen                         // begins, or must have
	isAsked                        // a question about what happens
	isUnless                       // a condition

	isVerb = isSay | isShow | isPass | isRead | isAct | isAlter | isUse | isCancel | isObey | isConceal |
		isOmit
)

//go:embed lexicon.txt
var lexiconText string

// phrase is several words in a row.
type phrase struct {
	words []string
	class class
}

// classNames are the names of the classes in lexicon.txt, in their order. What is in "file", "address" and
// "code" is recognized by patterns.
var classNames = strings.Fields(`
	say show learn person owner quiet conceal omit answer chat mine whole slot hold secret file found
	pass read act alter address example receiver other tool bad ours cancel void rules given obey above
	agreed unasked not this marker model use lie must every code open asked unless`)

// lexicon returns the classes of single words, and the phrases by their first words.
var lexicon = sync.OnceValue(func() (l struct {
	words   map[string]class
	phrases map[string][]phrase
}) {
	l.words, l.phrases = map[string]class{}, map[string][]phrase{}
	for paragraph := range strings.SplitSeq(lexiconText, "\n\n") {
		name, list, _ := strings.Cut(paragraph, ": ")
		i := slices.Index(classNames, name)
		if i < 0 {
			continue // the heading
		}
		c := class(1) << i
		for entry := range strings.SplitSeq(list, ",") {
			if words := strings.Fields(entry); len(words) == 1 {
				l.words[words[0]] |= c
			} else {
				l.phrases[words[0]] = append(l.phrases[words[0]], phrase{words, c})
			}
		}
	}
	return l
})
