package check

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/wording"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// wordingRules hold what is written for a model against what the schema says. They read phrases that mean one thing alone,
// and are silent about all others.
var wordingRules = map[string]func(*server, tell){
	"text-default-differs":         defaultsInText,
	"text-choices-differ":          choicesInText,
	"text-choices-only":            choicesOnlyInText,
	"text-limit-differs":           limitsInText,
	"text-limit-only":              limitsOnlyInText,
	"text-required-differs":        requiredInText,
	"text-names-unknown-argument":  unknownArguments,
	"text-names-unknown-tool":      unknownTools,
	"argument-asks-for-credential": credentialArguments,
}

// eachDescribed calls f with every described schema that the arguments of a tool are judged by, but the root.
func (s *server) eachDescribed(f func(t tool, p *place, text string)) {
	s.eachInput(func(t tool, p *place) {
		if text := p.text("description"); text != "" && p.depth > 0 && p.value {
			f(t, p, text)
		}
	})
}

// units after a number make it another one than the schema's.
var unit = match.Pattern(`(?i)^\s*(?:%|[kmg]i?b\b|ms\b|s\b|secs?\b|seconds?\b|m\b|mins?\b|minutes?\b|h\b|hours?\b|d\b|days?\b|weeks?\b|months?\b|years?\b|k\b|million|thousand|bytes?\b|x\b|px\b|tokens?\b)`)

func defaultsInText(s *server, report tell) {
	s.eachDescribed(func(t tool, p *place, text string) {
		given, ok := p.object["default"]
		if !ok {
			return
		}
		var said []string
		for _, d := range wording.Defaults(text) {
			enum, _ := p.object["enum"].([]any)
			bare := d.Bare && !slices.Contains(enum, any(d.Word)) // a word of the sentence, not a value
			switch {
			case sameText(d.Word, given), d.Number && (unit().MatchString(d.Unit) || !isNumber(given)):
				return // it says the same somewhere, or speaks of another unit or of another thing
			case d.Word != "" && !bare:
				said = append(said, d.Word)
			}
		}
		if len(said) > 0 {
			report(finding.Finding{Item: t.id, Path: p.path(), Member: "default", New: encoded(given), Message: fmt.Sprintf("The text says that the default is %s, the schema that it is %s.", said[0], clipped(given))})
		}
	})
}

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
	choices = match.Pattern(`(?i)\b(?:(?:must be |has to be |should be |is |either )?one of|(?:allowed|valid|possible|accepted|supported) values(?: are)?|must be either)\s*:?\s*[\[(]?\s*(` +
		choice + `(?:(?:\s*,\s*(?:or\s+|and\s+)?|\s*\|\s*|\s+or\s+)` + choice + `)+)`)
	oneChoice = match.Pattern(choice)
	joiners   = match.Pattern(`(?i)^(?:or|and)$`)
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

func choicesInText(s *server, report tell) {
	s.eachDescribed(func(t tool, p *place, text string) {
		enum, ok := p.object["enum"].([]any)
		if !ok || p.object["type"] != "string" && p.object["type"] != nil {
			return
		}
		var strange, shared []string
		for _, word := range choicesOf(text) {
			if slices.ContainsFunc(enum, func(value any) bool { return sameText(word, value) }) {
				shared = append(shared, word)
			} else {
				strange = append(strange, word)
			}
		}
		if len(strange) > 0 && len(shared) > 0 { // a list that shares nothing with the enum is one of something else
			report(finding.Finding{Item: t.id, Path: p.path(), Member: "enum", New: encoded(enum), Message: fmt.Sprintf("The text offers %s, and the schema does not allow it.", some(strange))})
		}
	})
}

func choicesOnlyInText(s *server, report tell) {
	s.eachDescribed(func(t tool, p *place, text string) {
		if p.object["type"] != "string" || has(p.object, "enum", "const", "pattern", "oneOf", "anyOf", "format") {
			return
		}
		if words := choicesOf(text); words != nil {
			report(finding.Finding{Item: t.id, Path: p.path(), New: encoded(words)})
		}
	})
}

var (
	most    = match.Pattern(`(?i)\b(?:max(?:imum)?(?:\s+(?:value|is|of|allowed))*|up to|at most|no more than|not more than)\s*[:=]?\s*(\d[\d_]*(?:,\d{3})*)(\s*[%A-Za-z]\w*)?`)
	least   = match.Pattern(`(?i)\b(?:min(?:imum)?(?:\s+(?:value|is|of|allowed))*|at least|no less than|not less than)\s*[:=]?\s*(\d[\d_]*(?:,\d{3})*)(\s*[%A-Za-z]\w*)?`)
	between = match.Pattern(`(?i)(?:\bbetween\s+(\d+)\s+and\s+(\d+)|\(\s*(\d+)\s*(?:-|–|to)\s*(\d+)\s*\)|\bfrom\s+(\d+)\s+to\s+(\d+))(\s*[%A-Za-z]\w*)?`)
)

// limit is a bound of a number that a text names.
type limit struct {
	keyword string // "minimum" or "maximum"
	word    string
}

// limitsOf are the bounds that a text names for a number.
func limitsOf(text string) []limit {
	var found []limit
	for keyword, pattern := range map[string]lazy{"maximum": most, "minimum": least} {
		for _, m := range pattern().FindAllStringSubmatch(text, -1) {
			if !unit().MatchString(m[2]) {
				found = append(found, limit{keyword, m[1]})
			}
		}
	}
	for _, m := range between().FindAllStringSubmatch(text, -1) {
		if !unit().MatchString(m[7]) {
			found = append(found, limit{"minimum", m[1] + m[3] + m[5]}, limit{"maximum", m[2] + m[4] + m[6]})
		}
	}
	return found
}

func limitsInText(s *server, report tell) {
	s.eachLimit(func(t tool, p *place, keyword string, words []string, bounds []any) {
		agrees := slices.ContainsFunc(words, func(word string) bool {
			return slices.ContainsFunc(bounds, func(bound any) bool { return sameText(word, bound) })
		})
		if len(bounds) > 0 && !agrees {
			report(finding.Finding{Item: t.id, Path: p.path(), Member: keyword, New: encoded(bounds[0]), Message: fmt.Sprintf("The text says that the %s is %s, the schema that it is %s.", keyword, words[0], clipped(bounds[0]))})
		}
	})
}

func limitsOnlyInText(s *server, report tell) {
	s.eachLimit(func(t tool, p *place, keyword string, words []string, bounds []any) {
		if len(bounds) == 0 && !has(p.object, "enum", "const", "anyOf", "oneOf", "allOf") {
			report(finding.Finding{Item: t.id, Path: p.path(), Member: keyword, New: rawjson.Quote(words[0])})
		}
	})
}

// eachLimit calls f with each number whose text names a bound, and with the bounds of that kind that its schema has.
func (s *server) eachLimit(f func(t tool, p *place, keyword string, words []string, bounds []any)) {
	s.eachDescribed(func(t tool, p *place, text string) {
		if p.object["type"] != "integer" && p.object["type"] != "number" {
			return
		}
		words := map[string][]string{}
		for _, l := range limitsOf(text) {
			words[l.keyword] = append(words[l.keyword], l.word)
		}
		for _, keyword := range slices.Sorted(maps.Keys(words)) {
			var bounds []any
			for _, name := range []string{keyword, "exclusiveM" + keyword[1:]} {
				if bound, ok := p.object[name]; ok {
					bounds = append(bounds, bound)
				}
			}
			f(t, p, keyword, words[keyword], bounds)
		}
	})
}

var (
	conditional  = match.Pattern(`(?i)\b(?:for|when|if|unless|only|except|with)\b`)
	saysOptional = match.Pattern(`(?i)^\W*optional\b|[(\[]optional[)\]]`)
	saysRequired = match.Pattern(`(?i)^\W*(?:required|mandatory)\s*(?:[.:,)\]—-]|$)|[(\[](?:required|mandatory)[)\]]`)
)

func requiredInText(s *server, report tell) {
	s.eachInput(func(t tool, p *place) {
		if p.applied {
			return
		}
		required, _ := p.object["required"].([]any)
		for _, name := range slices.Sorted(maps.Keys(p.properties())) {
			property, _ := p.properties()[name].(map[string]any)
			text, _ := property["description"].(string)
			must, says := slices.Contains(required, any(name)), ""
			if conditional().MatchString(text) {
				continue
			}
			switch {
			case must && saysOptional().MatchString(text) && !saysRequired().MatchString(text):
				says = "The text says that %q is optional, and the schema requires it."
			case !must && property["default"] == nil && saysRequired().MatchString(text) && !saysOptional().MatchString(text) && !definedElsewhere(p.object):
				says = "The text says that %q is required, and the schema does not."
			default:
				continue
			}
			report(finding.Finding{Item: t.id, Path: p.way.to("properties", name).String(), Message: fmt.Sprintf(says, name)})
		}
	})
}

var (
	namedArgument = match.Pattern("(?i)[`'\"]([A-Za-z_][\\w.-]*)[`'\"]\\s+(?:parameter|argument|param)\\b|\\b(?:parameter|argument|param)\\s+[`'\"]([A-Za-z_][\\w.-]*)[`'\"]")
	namedTool     = match.Pattern("[`'\"]([A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)+)[`'\"]\\s+(?:MCP\\s+)?tool\\b|\\b([a-z][a-z0-9]*(?:_[a-z0-9]+)+)\\s+(?:MCP\\s+)?tool\\b|\\b[Tt]ool\\s+[`'\"]([A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)+)[`'\"]")
)

// unknownArguments tells the arguments that the texts of a tool name, and that no tool of the server has. Of a tool that
// declares none it is not known which it takes.
func unknownArguments(s *server, report tell) {
	known, declaring := s.vocabulary(), map[string]bool{}
	for _, t := range s.tools {
		declaring[t.id] = t.input != nil && len(t.input.places) > 0 && len(t.input.places[0].properties()) > 0
	}
	s.eachProse(namedArgument, func(p passage, word string) {
		parts := strings.Split(word, ".")
		if !declaring[p.item] || known[strings.ToLower(parts[0])] || known[strings.ToLower(parts[len(parts)-1])] {
			return
		}
		report(finding.Finding{Item: p.item, Path: p.path(), New: rawjson.Quote(word), Message: fmt.Sprintf("The text names the argument %s, which does not exist.", word)})
	})
}

// unknownTools tells the tools that a text names, and that the server does not have.
func unknownTools(s *server, report tell) {
	if s.Snapshot.Tools.State != snapshot.Complete {
		return
	}
	known := s.vocabulary()
	s.eachProse(namedTool, func(p passage, word string) {
		if known[strings.ToLower(word)] || slices.ContainsFunc(s.tools, func(t tool) bool { return strings.HasSuffix(word, t.Key) }) {
			return
		}
		report(finding.Finding{Item: p.item, Path: p.path(), New: rawjson.Quote(word), Message: fmt.Sprintf("The text names the tool %s, which the server does not have.", word)})
	})
}

// eachProse calls f with each name that a pattern finds in a text for readers, once for each text.
func (s *server) eachProse(pattern lazy, f func(p passage, word string)) {
	for _, p := range s.texts {
		if !p.prose {
			continue
		}
		told := map[string]bool{}
		for _, m := range pattern().FindAllStringSubmatch(p.text, -1) {
			word := strings.Join(m[1:], "")
			if !told[word] {
				told[word] = true
				f(p, word)
			}
		}
	}
}

// vocabulary are the names that a text may use: of items, of members of objects, and values of choices, in small letters.
func (s *server) vocabulary() map[string]bool {
	known := map[string]bool{}
	for _, i := range s.items {
		known[strings.ToLower(i.Key)], known[strings.ToLower(i.text("name"))] = true, true
	}
	for _, p := range s.texts {
		if p.key || !p.prose {
			known[strings.ToLower(p.text)] = true
		}
	}
	return known
}

func credentialArguments(s *server, report tell) {
	s.eachInput(func(t tool, p *place) {
		for _, name := range slices.Sorted(maps.Keys(p.properties())) {
			property, _ := p.properties()[name].(map[string]any)
			if kind, ok := property["type"].(string); ok && kind != "string" {
				continue
			}
			if words := strings.Join(wordsOf(name), ""); slices.Contains(credentialNames, words) {
				report(finding.Finding{Item: t.id, Path: p.way.to("properties", name).String(), New: rawjson.Quote(name), Message: fmt.Sprintf("The argument %q makes a model handle a credential.", name)})
			}
		}
	})
}

// credentialNames are what arguments that give access are called, without case and separators.
var credentialNames = []string{"apikey", "apitoken", "apisecret", "accesstoken", "accesskey", "secretaccesskey", "authtoken", "bearertoken", "refreshtoken",
	"clientsecret", "secretkey", "privatekey", "personalaccesstoken", "githubtoken", "sessiontoken", "password", "passwd"}
