package check

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/wording"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// wordingRules hold what is written for a model against the schema, in phrases that mean one thing alone.
var wordingRules = map[string]look{
	"text-default-differs":        ofDescribed(defaultsInText),
	"text-choices-differ":         ofDescribed(choicesInText),
	"text-limit-differs":          ofDescribed(limitsInText),
	"text-required-differs":       ofProperties(requiredInText),
	"text-names-unknown-argument": unknownArguments,
	"text-names-unknown-tool":     unknownTools,
	"argument-description-placeholder": ofDescribed(func(p *place, text string, at spot) {
		if placeholderText().MatchString(text) {
			at.say("description", rawjson.Quote(text), "The description is %q.", clip(text))
		}
	}),
	"argument-names-confusable":    ofInputs(confusableArguments),
	"argument-asks-for-credential": credentialArguments,
}

// ofDescribed is a rule that looks at each described schema that the arguments of a tool are judged by, but
// the root.
func ofDescribed(f func(p *place, text string, at spot)) look {
	return ofInputs(func(p *place, at spot) {
		if text := p.text("description"); text != "" && p.depth > 0 && p.value {
			f(p, text, at)
		}
	})
}

func (p *place) number() bool { return p.object["type"] == "integer" || p.object["type"] == "number" }

func defaultsInText(p *place, text string, at spot) {
	given, ok := p.object["default"]
	if !ok || given == nil { // null: the text says what takes its place
		return
	}
	if m := standsForDefault().FindStringSubmatch(text); m != nil && sameText(m[1], given) {
		return
	}
	_, boolean := given.(bool)
	said := ""
	for _, d := range wording.Defaults(text) {
		enum, _ := p.object["enum"].([]any)
		bare := d.Bare && !slices.Contains(enum, any(d.Word)) // a word of the sentence, not a value
		switch {
		case sameText(d.Word, given), d.Number && (d.Unit != "" || !isNumber(given)):
			return // it says the same somewhere, or speaks of another unit or of another thing
		case boolean && d.Word != "true" && d.Word != "false": // the default of something else
		case !bare:
			said = cmp.Or(said, d.Word)
		}
	}
	if said != "" {
		at.say("default", encoded(given), "The text says that the default is %s, the schema that it is %s.",
			said, clipped(given))
	}
}

// standsForDefault is a value that means the default, as in "0 for the default of 100".
var standsForDefault = kit.Pattern(
	"(?i)([\\w.-]+)[`'\"]?\\s+(?:for|means|uses|=)\\s+(?:the\\s+)?defaults?\\b")

func isNumber(value any) bool {
	_, err := strconv.ParseFloat(fmt.Sprint(value), 64)
	_, text := value.(string)
	return err == nil && !text
}

// sameText tells whether a written value stands for a value of the schema.
func sameText(word string, value any) bool {
	text := fmt.Sprint(value)
	if _, isText := value.(string); !isText {
		text = string(encoded(value))
	}
	if strings.EqualFold(word, text) {
		return true
	}
	a, errA := strconv.ParseFloat(strings.NewReplacer(",", "", "_", "").Replace(word), 64)
	b, errB := strconv.ParseFloat(text, 64)
	return errA == nil && errB == nil && a == b
}

var (
	choice  = "(?:\"[^\"\\n]{1,40}\"|'[^'\\n]{1,40}'|`[^`\\n]{1,40}`|[A-Za-z0-9_]+(?:[-_.][A-Za-z0-9]+)*)"
	choices = kit.Pattern(
		`(?i)\b(?:(?:must be |has to be |should be |is |either )?one of|(?:allowed|valid|possible|accepted|supported) values(?: are)?|must be either)\s*:?\s*[\[(]?\s*(` +
			choice + `(?:(?:\s*,\s*(?:or\s+|and\s+)?|\s*\|\s*|\s+or\s+)` + choice + `)+)`)
	oneChoice = kit.Pattern(choice)
	joiners   = kit.Pattern(`(?i)^(?:or|and)$`)
)

// choicesOf are the values that a text lists, at least two.
func choicesOf(text string) []string {
	m := choices().FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	quoted := strings.ContainsAny(m[1], "\"'`")
	var found []string
	for _, word := range oneChoice().FindAllString(m[1], -1) {
		bare := strings.Trim(word, "\"'`")
		if joiners().MatchString(word) || quoted && bare == word {
			continue
		}
		found = append(found, bare)
	}
	if len(found) < 2 {
		return nil
	}
	return found
}

func choicesInText(p *place, text string, at spot) {
	enum, ok := p.object["enum"].([]any)
	if !ok || p.object["type"] != "string" && p.object["type"] != nil {
		return
	}
	var strange []string
	words := choicesOf(text)
	for _, word := range words {
		if !slices.ContainsFunc(enum, func(value any) bool { return sameText(word, value) }) {
			strange = append(strange, word)
		}
	}
	// a list that shares nothing with the enum is one of something else
	if len(strange) > 0 && len(strange) < len(words) {
		at.say("enum", encoded(enum), "The text offers %s, and the schema does not allow it.",
			kit.Some(strange))
	}
}

const counted = `\s*[:=]?\s*(\d[\d_]*(?:,\d{3})*)(\s*[%A-Za-z]\w*)?`

var (
	most = kit.Pattern(
		`(?i)\b(?:max(?:imum)?(?:\s+(?:value|is|of|allowed|length|size))*|up to|at most|no more than|not more than)` + counted)
	least = kit.Pattern(
		`(?i)\b(?:min(?:imum)?(?:\s+(?:value|is|of|allowed|length|size))*|at least|no less than|not less than)` + counted)
	between = kit.Pattern(
		`(?i)(?:\bbetween\s+(\d+)\s+and\s+(\d+)|\(\s*(\d+)\s*(?:-|–|to)\s*(\d+)\s*\)|\bfrom\s+(\d+)\s+to\s+(\d+))(\s*[%A-Za-z]\w*)?`)
)

// countable is what a limit in the text of a schema of some type is about: the keywords of its bounds, and
// the words behind a number that mean them.
type countable struct {
	bounds map[string][]string
	means  func(unit string) bool
}

var (
	ofCharacters = kit.Pattern(`(?i)^\s*(?:char(?:acter)?s?|letters)\b`)
	ofElements   = kit.Pattern(`(?i)^(?:\s*(?:items?|elements?|entries|values))?$`)
)

func countableOf(p *place) (c countable, ok bool) {
	switch {
	case p.number():
		return countable{map[string][]string{"maximum": {"maximum", "exclusiveMaximum"},
			"minimum": {"minimum", "exclusiveMinimum"}},
			func(word string) bool {
				return !wording.IsUnit(word) &&
					!ofCharacters().MatchString(word)
			}}, true
	case p.object["type"] == "string":
		return countable{map[string][]string{"maximum": {"maxLength"}, "minimum": {"minLength"}},
			ofCharacters().MatchString}, true
	case p.object["type"] == "array":
		return countable{map[string][]string{"maximum": {"maxItems"}, "minimum": {"minItems"}},
			ofElements().MatchString}, true
	}
	return countable{}, false
}

// limitsOf are the bounds that the text of a place names, by "maximum" and "minimum".
func limitsOf(p *place, text string, means func(unit string) bool) map[string][]string {
	found := map[string][]string{}
	for keyword, pattern := range map[string]lazy{"maximum": most, "minimum": least} {
		for _, m := range pattern().FindAllStringSubmatch(text, -1) {
			if means(m[2]) {
				found[keyword] = append(found[keyword], m[1])
			}
		}
	}
	for _, m := range between().FindAllStringSubmatch(text, -1) {
		if means(m[7]) {
			found["minimum"], found["maximum"] = append(found["minimum"], m[1]+m[3]+m[5]),
				append(found["maximum"], m[2]+m[4]+m[6])
		}
	}
	return found
}

func limitsInText(p *place, text string, at spot) {
	eachLimit(p, text, func(keyword string, words []string, bounds []any) {
		agrees := slices.ContainsFunc(words, func(word string) bool {
			return slices.ContainsFunc(bounds, func(bound any) bool { return sameText(word, bound) })
		})
		if len(bounds) > 0 && !agrees {
			at.say(keyword, encoded(bounds[0]),
				"The text says that the limit is %s, the schema that %s is %s.", words[0], keyword,
				clipped(bounds[0]))
		}
	})
}

// eachLimit calls f with each kind of bound that a text names, and with those of that kind that the schema
// has.
func eachLimit(p *place, text string, f func(keyword string, words []string, bounds []any)) {
	c, ok := countableOf(p)
	if !ok {
		return
	}
	words := limitsOf(p, text, c.means)
	for _, side := range kit.SortedKeys(words) {
		var bounds []any
		keywords := c.bounds[side]
		for _, name := range slices.Backward(keywords) {
			if bound, ok := p.object[name]; ok {
				bounds, keywords = append(bounds, bound), []string{name}
			}
		}
		f(keywords[0], words[side], bounds)
	}
}

var (
	conditional  = kit.Pattern(`(?i)\b(?:for|when|if|unless|only|except|with)\b`)
	saysOptional = kit.Pattern(`(?i)^\W*optional\b|[(\[]optional[)\]]`)
	saysRequired = kit.Pattern(
		`(?i)^\W*(?:required|mandatory)\s*(?:[.:,)\]—-]|$)|[(\[](?:required|mandatory)[)\]]`)
)

func requiredInText(p *place, name string, property map[string]any, at spot) {
	text, _ := property["description"].(string)
	if p.applied || conditional().MatchString(text) {
		return
	}
	required, _ := p.object["required"].([]any)
	must, optional, mandatory := slices.Contains(required, any(name)), saysOptional().MatchString(text),
		saysRequired().MatchString(text)
	switch {
	case must && optional && !mandatory:
		at.say("", nil, "The text says that %q is optional, and the schema requires it.", name)
	case !must && property["default"] == nil && mandatory && !optional && !definedElsewhere(p.object):
		at.say("", nil, "The text says that %q is required, and the schema does not.", name)
	}
}

// confusableArguments tells two arguments of one object that differ in case and separators alone.
func confusableArguments(p *place, at spot) {
	first := map[string]string{}
	for _, name := range kit.SortedKeys(p.properties()) {
		if other, seen := first[skeleton(name)]; seen {
			at.in("properties", name).say("", rawjson.Quote(name), "%q and %q look alike.", other, name)
		}
		first[skeleton(name)] = name
	}
}

var (
	namedArgument = kit.Pattern(
		"(?i)[`'\"]([A-Za-z_][\\w.-]*)[`'\"]\\s+(?:parameter|argument|param)\\b|\\b(?:parameter|argument|param)\\s+[`'\"]([A-Za-z_][\\w.-]*)[`'\"]")
	namedTool = kit.Pattern(
		"\\b(?:[Cc]all|[Ii]nvoke|[Uu]se)\\s+[`'\"]([a-z][a-z0-9]*(?:_[a-z0-9]+)+)[`'\"](?:\\(\\))?\\s+(?:first|to|before|instead)\\b|[`'\"]([A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)+)[`'\"]\\s+(?:MCP\\s+)?tool\\b|\\b([a-z][a-z0-9]*(?:_[a-z0-9]+)+)\\s+(?:MCP\\s+)?tool\\b|\\b[Tt]ool\\s+[`'\"]([A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)+)[`'\"]")
)

// unknownArguments tells the arguments that a tool's texts name and no tool of the server has, unless the
// tool declares none.
func unknownArguments(s *server, report tell) {
	known, declaring := sync.OnceValue(s.vocabulary), map[string]bool{}
	for _, t := range s.tools {
		declaring[t.id] = t.input != nil && len(t.input.places) > 0 && len(t.input.places[0].properties()) > 0
	}
	argumentsInText(s, func(one finding.Finding) {
		word, _ := rawjson.Text(one.New)
		parts := strings.Split(word, ".")
		if declaring[one.Item] && !known()[strings.ToLower(parts[0])] &&
			!known()[strings.ToLower(parts[len(parts)-1])] {
			report(one)
		}
	})
}

// unknownTools tells the tools that a text names, and that the server does not have.
func unknownTools(s *server, report tell) {
	if s.Snapshot.Tools.State != snapshot.Complete {
		return
	}
	known := sync.OnceValue(s.vocabulary)
	toolsInText(s, func(one finding.Finding) {
		word, _ := rawjson.Text(one.New)
		if !known()[strings.ToLower(word)] &&
			!slices.ContainsFunc(s.tools, func(t tool) bool { return strings.HasSuffix(word, t.Key) }) {
			report(one)
		}
	})
}

var (
	argumentsInText = ofNames(namedArgument, "The text names the argument %s, which does not exist.")
	toolsInText     = ofNames(namedTool, "The text names the tool %s, which the server does not have.")
)

// ofNames tells each name that a pattern finds in a text for readers, once for each text.
func ofNames(pattern lazy, message string) look {
	return ofTexts(func(p passage, at spot) {
		if !p.prose || p.short() {
			return
		}
		told := map[string]bool{}
		for _, m := range pattern().FindAllStringSubmatch(p.text, -1) {
			if word := strings.Join(m[1:], ""); !told[word] {
				told[word] = true
				at.say("", rawjson.Quote(word), message, word)
			}
		}
	})
}

// vocabulary are the names that a text may use: of items, of members of objects, and values of choices, in
// small letters.
func (s *server) vocabulary() map[string]bool {
	known := map[string]bool{}
	for _, i := range s.items {
		known[strings.ToLower(i.Key)], known[strings.ToLower(i.text("name"))] = true, true
	}
	for _, w := range s.texts {
		for _, p := range w.texts {
			if p.key || !p.prose {
				known[strings.ToLower(p.text)] = true
			}
		}
	}
	return known
}

// credentialArguments tells the arguments of tools and prompts that are called as what gives access.
func credentialArguments(s *server, report tell) {
	credentialProperties(s, report)
	for _, i := range s.of(snapshot.Prompts) {
		for n, name := range i.argumentNames() {
			credentialNamed(name, spot{i.id, nil, report}.in("arguments", strconv.Itoa(n)))
		}
	}
}

var credentialProperties = ofProperties(func(_ *place, name string, property map[string]any, at spot) {
	if kind, ok := property["type"].(string); !ok || kind == "string" {
		credentialNamed(name, at)
	}
})

func credentialNamed(name string, at spot) {
	if givesAccess(name) {
		at.say("", rawjson.Quote(name), "The argument %q makes a model handle a credential.", name)
	}
}

// givesAccess reports whether a name is, or ends with, one of credentialNames.
func givesAccess(name string) bool {
	words := wordsOf(name)
	for i := range words {
		if slices.Contains(credentialNames, strings.Join(words[i:], "")) {
			return true
		}
	}
	return false
}

// credentialNames are what arguments that give access are called, without case and separators.
var credentialNames = []string{"apikey", "apitoken", "apisecret", "accesstoken", "accesskey",
	"secretaccesskey", "authtoken", "bearertoken", "refreshtoken",
	"clientsecret", "secretkey", "privatekey", "personalaccesstoken", "githubtoken", "sessiontoken",
	"password", "passwd",
	"passphrase", "sessioncookie", "authcookie", "pat", "jwt", "jwttoken", "bearer", "idtoken", "oauthtoken",
	"bottoken", "webhooksecret", "signingkey"}
