package check

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/wording"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// textRules compare descriptions with the schema, for phrases that have only one meaning.
var textRules = map[string]rule{
	"text-default-differs":        eachDescription(defaultDiffers),
	"text-choices-differ":         eachDescription(choicesDiffer),
	"text-limit-differs":          eachDescription(limitDiffers),
	"text-required-differs":       eachArgument(requiredDiffers),
	"text-names-unknown-argument": unknownArgument,
	"text-names-unknown-tool":     unknownTool,
	"argument-names-confusable": eachInput(func(s *subschema, at location) {
		first := map[string]string{}
		for _, name := range kit.SortedKeys(s.properties()) {
			if other, seen := first[skeleton(name)]; seen {
				points := wording.CodePoints(other, name)
				at := at.at("properties", name)
				at.report(finding.Finding{Item: at.item, Path: at.path.String(), New: rawjson.Quote(name),
					Message: fmt.Sprintf("%q and %q%s look alike.", other, name, points),
					Cause:   "Arguments have names that look like another argument's" + points})
			}
			first[skeleton(name)] = name
		}
	}),
	"argument-asks-for-credential": combined(
		eachArgument(func(_ *subschema, name string, property map[string]any, at location) {
			asksForCredential(name, property, at)
		}),
		eachPromptArgument(asksForCredential)),
}

// eachDescription makes a rule that is applied to each schema that validates an argument, or a part of one,
// and has a description.
func eachDescription(apply func(s *subschema, text string, at location)) rule {
	return eachInput(func(s *subschema, at location) {
		if text := s.string("description"); text != "" && s.depth > 0 && s.typed {
			apply(s, text, at)
		}
	})
}

// defaultDiffers looks for a description with another default than the schema, such as "defaults to 10" where
// default is 20. Where one default of the text agrees, or may be about something else, it reports nothing.
func defaultDiffers(s *subschema, text string, at location) {
	value, number, scalar := scalarText(s.object["default"])
	if !scalar { // for null the text says what is used in its place
		return
	}
	if m := meansDefault().FindStringSubmatch(text); m != nil && wording.SameValue(m[1], value) {
		return
	}
	_, isText := s.object["default"].(string)
	differs := ""
	for _, d := range wording.Defaults(text) {
		bare := d.Bare && !slices.Contains(s.enum(), any(d.Word)) // a word of the sentence, not a value
		boolean := d.Word == "true" || d.Word == "false"
		switch {
		case wording.SameValue(d.Word, value), d.Number && (d.Unit != "" || !number):
			return // the text agrees, or is about another unit or another thing
		case bare, !isText && number != d.Number, !isText && !number && !boolean: // of another thing
		default:
			differs = cmp.Or(differs, d.Word)
		}
	}
	if differs != "" {
		at.add("default", encoded(s.object["default"]), "The description has the default %s, the schema %s.",
			differs, clipped(s.object["default"]))
	}
}

// meansDefault matches a value that stands for the default, as in "0 for the default of 100".
var meansDefault = kit.Pattern(
	"(?i)([\\w.-]+)[`'\"]?\\s*(?:\\b(?:for|means|uses)\\b|=)\\s*(?:the\\s+)?defaults?\\b")

// scalarText returns a string, number or boolean as a text writes it.
func scalarText(value any) (text string, number, ok bool) {
	switch v := value.(type) {
	case string:
		return v, false, true
	case bool:
		return strconv.FormatBool(v), false, true
	case nil, []any, map[string]any:
		return "", false, false
	}
	return fmt.Sprint(value), true, true
}

var (
	choice  = "(?:\"[^\"\\n]{1,40}\"|'[^'\\n]{1,40}'|`[^`\\n]{1,40}`|[A-Za-z0-9_]+(?:[-_.][A-Za-z0-9]+)*)"
	choices = kit.Pattern(
		`(?i)\b(?:(?:must be |has to be |should be |is |either )?one of|` +
			`(?:allowed|valid|possible|accepted|supported) values(?: are)?|` +
			`must be either)\s*:?\s*[\[(]?\s*(` + choice +
			`(?:(?:\s*,\s*(?:or\s+|and\s+)?|\s*\|\s*|\s+or\s+)` + choice + `)+)`)
	oneChoice   = kit.Pattern(choice)
	conjunction = kit.Pattern(`(?i)^(?:or|and)$`)
)

// wholeList matches the words before a list of all values, listEnds what follows one.
var (
	wholeList  = kit.Pattern(`(?i)\bone of\s*(?::|[\["'\x60(])`)
	listEnds   = kit.Pattern(`^[\s)\]]*(?:[.;\n](?:\s|$)|$)`)
	openEnd    = kit.Pattern(`(?i)^(?:others?|more|etc|any|custom)$`)
	forExample = kit.Pattern(`(?i)(?:\be\.?g\.|\bexample|\bsuch as|\bi\.e\.)[^.]*$`)
)

// choicesOf returns the values that a text lists, at least two, and whether it says that these are all.
func choicesOf(text string) (found []string, all bool) {
	m := choices().FindStringSubmatchIndex(text)
	if m == nil {
		return nil, false
	}
	list := text[m[2]:m[3]]
	quoted := strings.ContainsAny(list, "\"'`")
	for _, word := range oneChoice().FindAllString(list, -1) {
		bare := strings.Trim(word, "\"'`")
		if !conjunction().MatchString(word) && !(quoted && bare == word) {
			found = append(found, bare)
		}
	}
	open := kit.Filter(found, openEnd().MatchString)
	found = kit.Filter(found, func(word string) bool { return !slices.Contains(open, word) })
	if len(found) < 2 {
		return nil, false
	}
	return found, len(open) == 0 && wholeList().MatchString(text[m[0]:m[1]]) &&
		listEnds().MatchString(text[m[1]:]) && !forExample().MatchString(text[:m[0]])
}

// choicesDiffer looks for a description that offers a value that enum lacks, such as "one of: asc, desc,
// none", or that says to list all values and leaves one out. After other words than "one of:" a list of
// unknown values is about something else.
func choicesDiffer(s *subschema, text string, at location) {
	listed := s.choices()
	if listed == nil || s.object["type"] == "array" || s.object["type"] == "object" {
		return
	}
	words, all := choicesOf(text)
	lists := func(value any) bool {
		return value == nil ||
			slices.ContainsFunc(words, func(word string) bool { return sameValue(word, value) })
	}
	unknown := kit.Filter(words, func(word string) bool {
		return !slices.ContainsFunc(listed, func(value any) bool { return sameValue(word, value) })
	})
	missing := kit.Filter(listed, func(value any) bool { return !lists(value) })
	switch {
	case len(unknown) > 0 && (all || len(unknown) < len(words)):
		at.add("enum", encoded(listed), "The description offers %s, which the schema does not allow.",
			kit.Some(unknown))
	case all && len(unknown) == 0 && len(missing) > 0:
		at.report(lowered(finding.Finding{Item: at.item, Path: at.path.String(),
			Member: "enum", New: encoded(listed),
			Message: fmt.Sprintf("The description leaves out %s, which the schema allows.",
				kit.Some(kit.Map(missing, clipped)))}, leavesOut))
	}
}

// sameValue reports whether a text writes a value.
func sameValue(word string, value any) bool {
	text, _, scalar := scalarText(value)
	return scalar && wording.SameValue(word, text)
}

var (
	most = kit.Pattern(`(?i)\b(?:max(?:imum)?(?:\s+(?:value|is|of|allowed|length|size))*|` +
		`up to|at most|no more than|not more than)\s*[:=]?\s*`)
	least = kit.Pattern(`(?i)\b(?:min(?:imum)?(?:\s+(?:value|is|of|allowed|length|size))*|` +
		`at least|no less than|not less than)\s*[:=]?\s*`)
	between    = kit.Pattern(`(?i)\bbetween\s+|\bfrom\s+|\(\s*`)
	to         = kit.Pattern(`(?i)^\s*(?:and|to|-|–)\s*`)
	closes     = kit.Pattern(`^\s*\)`)
	word       = kit.Pattern(`^\s*[%A-Za-z]\w*`)
	span       = kit.Pattern(`^\s*[-–]\s*\d`)
	characters = kit.Pattern(`(?i)^\s*(?:char(?:acter)?s?|letters)\b`)
	elements   = kit.Pattern(`(?i)^(?:\s*(?:items?|elements?|entries|values))?$`)
)

// limitKeywords returns the keywords that bound a schema, and whether the word behind a number means them.
func (s *subschema) limitKeywords() (maximum, minimum []string, means func(unit string) bool) {
	switch s.object["type"] {
	case "integer", "number":
		return []string{"maximum", "exclusiveMaximum"}, []string{"minimum", "exclusiveMinimum"},
			func(unit string) bool { return !wording.IsUnit(unit) && !characters().MatchString(unit) }
	case "string":
		return []string{"maxLength"}, []string{"minLength"}, characters().MatchString
	case "array":
		return []string{"maxItems"}, []string{"minItems"}, elements().MatchString
	}
	return nil, nil, nil
}

// limitDiffers looks for a description with another limit than the schema, such as "at most 100" where
// maximum is 50. The unit in the text must fit the type: characters for a string, items for an array.
func limitDiffers(s *subschema, text string, at location) {
	maximum, minimum, means := s.limitKeywords()
	if means == nil || !s.has(maximum...) && !s.has(minimum...) || !strings.ContainsAny(text, "0123456789") {
		return
	}
	numbers := func(pattern lazy) (found []wording.Number) {
		for _, m := range pattern().FindAllStringIndex(text, -1) {
			n, rest, ok := wording.ReadNumber(text[m[1]:])
			if ok && !n.Part && !(n.Unit == "" && span().MatchString(rest)) && means(n.Unit) {
				found = append(found, n)
			}
		}
		return found
	}
	atMost, atLeast := numbers(most), numbers(least)
	for _, m := range between().FindAllStringIndex(text, -1) {
		if low, high, ok := rangeIn(text[m[1]:], text[m[0]] == '(', means); ok {
			atLeast, atMost = append(atLeast, low), append(atMost, high)
		}
	}
	compareLimit(s, at, maximum, atMost)
	compareLimit(s, at, minimum, atLeast)
}

// rangeIn returns the two numbers at the start of a text, such as "1 and 10", if they have units that mean
// the limits of a schema. In brackets the unit of the second one may follow.
func rangeIn(text string, inBrackets bool, means func(unit string) bool) (low, high wording.Number, ok bool) {
	low, rest, isLow := wording.ReadNumber(text)
	and := to().FindString(rest)
	if strings.TrimSpace(low.Unit) == "and" || strings.TrimSpace(low.Unit) == "to" { // read as a unit
		low.Unit, and = "", low.Unit
		rest = and + rest
		and = to().FindString(rest)
	}
	if !isLow || low.Part || and == "" || low.Unit != "" && !means(low.Unit) {
		return low, high, false
	}
	high, rest, isHigh := wording.ReadNumber(rest[len(and):])
	unit := high.Unit
	if inBrackets {
		end := closes().FindString(rest)
		if end == "" {
			return low, high, false
		}
		unit = cmp.Or(unit, word().FindString(rest[len(end):]))
	}
	return low, high, isHigh && !high.Part && means(unit)
}

// compareLimit reports limits of a description when none of them is one of the schema.
func compareLimit(s *subschema, at location, keywords []string, limits []wording.Number) {
	keywords = kit.Filter(keywords, func(keyword string) bool { return s.has(keyword) })
	same := func(keyword string) bool {
		value, _, ok := wording.ReadNumber(fmt.Sprint(s.object[keyword]))
		return !ok || slices.ContainsFunc(limits, value.Equals)
	}
	if len(keywords) > 0 && len(limits) > 0 && !slices.ContainsFunc(keywords, same) {
		value := s.object[keywords[0]]
		at.add(keywords[0], encoded(value), "The description has the limit %s, the schema %s %s.",
			limits[0].Text, keywords[0], clipped(value))
	}
}

var (
	conditional   = kit.Pattern(`(?i)\b(?:for|when|if|unless|only|except|with)\b`)
	textOptional  = kit.Pattern(`(?i)^\W*optional\b|[(\[]optional[)\]]`)
	textMandatory = kit.Pattern(`(?i)^\W*(?:required|mandatory)\s*(?:[.:,)\]—-]|$)|` +
		`[(\[](?:required|mandatory)[)\]]`)
	// what stands before "name (required)" in a text about the members of a value
	ofMembers = kit.Pattern(`(?i)\b(?:each|every|objects?|items?|elements?|entry|entries|members?|fields?|` +
		`propert(?:y|ies)|keys?|includ(?:es?|ing)|contain(?:s|ing)?|consist\w*|ha(?:s|ve))\b[^.]*` +
		`[(\[](?:required|mandatory|optional)[)\]]|` +
		`(?s)[(\[](?:required|mandatory|optional)[)\]].*[(\[](?:required|mandatory|optional)[)\]]`)
)

// structured reports whether values of a schema may have members or elements.
func structured(property map[string]any) bool {
	switch property["type"] {
	case "string", "integer", "number", "boolean", "null":
		return false
	}
	return true
}

// requiredDiffers looks for a description that says the opposite of required, such as "Optional. The branch."
// of a required argument. A text with a condition, such as "required if", or about members is not judged.
func requiredDiffers(parent *subschema, name string, property map[string]any, at location) {
	text, _ := property["description"].(string)
	if parent.part || conditional().MatchString(text) {
		return
	}
	if structured(property) && ofMembers().MatchString(text) {
		return
	}
	required := parent.required(name)
	optional, mandatory := textOptional().MatchString(text), textMandatory().MatchString(text)
	switch {
	case required && optional && !mandatory:
		at.add("", nil, "The description says that %q is optional, but the schema requires it.", name)
	case !required && property["default"] == nil && mandatory && !optional && !parent.definesElsewhere():
		at.add("", nil, "The description says that %q is required, but the schema does not require it.", name)
	}
}

var (
	argumentInText = kit.Pattern("(?i)[`'\"]([A-Za-z_][\\w.-]*)[`'\"]\\s+(?:parameter|argument|param)\\b|" +
		"\\b(?:parameter|argument|param)\\s+[`'\"]([A-Za-z_][\\w.-]*)[`'\"]")
	snakeName  = `([a-z][a-z0-9]*(?:_[a-z0-9]+)+)`
	anyName    = `([A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)+)`
	toolInText = kit.Pattern("\\b(?:[Cc]all|[Ii]nvoke)\\s+[`'\"]" + snakeName + "[`'\"](?:\\(\\))?" +
		"\\s+(?:first|to|before|instead)\\b|[`'\"]" + anyName + "[`'\"]\\s+(?:MCP\\s+)?tool\\b|" +
		"\\b" + snakeName + "\\s+(?:MCP\\s+)?tool\\b|\\b[Tt]ool\\s+[`'\"]" + anyName + "[`'\"]")
	// fields of results are used as well
	usedInText = kit.Pattern("\\b[Uu]se\\s+[`'\"]" + snakeName + "[`'\"](?:\\(\\))?\\s+" +
		"(?:first|to|before|instead)\\b")
)

// unknownArgument reports arguments that the texts of a tool name and no tool of the server has, unless the
// tool declares none.
func unknownArgument(s *server, report reporter) {
	declares := map[string]bool{}
	for _, t := range s.tools {
		declares[t.id] = t.input != nil && len(t.input.subschemas) > 0 &&
			len(t.input.subschemas[0].properties()) > 0
	}
	eachName(argumentInText, func(t text, name string, at location) {
		if ofFunction(t, name) {
			return
		}
		steps := strings.Split(name, ".")
		if declares[t.item] && !s.vocabulary()[strings.ToLower(steps[0])] &&
			!s.vocabulary()[strings.ToLower(steps[len(steps)-1])] {
			at.add("", rawjson.Quote(name), "The text names the argument %s, which does not exist.", name)
		}
	})(s, report)
}

// ofFunction reports whether the sentence that names an argument is about code or a request, which have
// arguments of their own. The whole text of an argument is about one thing.
func ofFunction(t text, name string) bool {
	sentences := []string{t.value}
	if !strings.Contains(t.path.String(), "/properties/") {
		sentences = strings.FieldsFunc(t.value, func(r rune) bool { return strings.ContainsRune(".!?\n", r) })
	}
	return slices.ContainsFunc(sentences, func(sentence string) bool {
		return strings.Contains(sentence, name) &&
			code().MatchString(strings.ReplaceAll(sentence, name, ""))
	})
}

var code = kit.Pattern(`(?i)\b(?:functions?|call(?:ed )?backs?|methods?|lambdas?|scripts?|snippets?|code|` +
	`handlers?|constructors?|macros?|closures?|hooks?|urls?|query string|webhooks?|command line|cli|` +
	`components?|decorators?|templates?|query param\w*)\b|(?:^|[\s\x60"'])/[\w{}.-]+/[\w{}.-]+|\w\(\)`)

// unknownTool reports tools that texts name and the server does not have.
func unknownTool(s *server, report reporter) {
	if s.Snapshot.Tools.State != snapshot.Complete {
		return
	}
	add := func(t text, name string, at location) {
		prefixed := func(t *item) bool { return t.Key != "" && strings.HasSuffix(name, t.Key) }
		if !s.vocabulary()[strings.ToLower(name)] && !slices.ContainsFunc(s.tools, prefixed) {
			at.add("", rawjson.Quote(name), "The text names the tool %s, which the server does not have.",
				name)
		}
	}
	eachName(toolInText, add)(s, report)
	eachName(usedInText, func(t text, name string, at location) {
		if slices.Contains(slices.Concat(reading, writing, destroying), wording.Words(name)[0]) {
			add(t, name, at)
		}
	})(s, report)
}

// eachName makes a rule that is applied to each name that a pattern finds in prose, once for each text.
func eachName(pattern lazy, apply func(t text, name string, at location)) rule {
	return eachPhrase(func(t text, at location) {
		if !t.prose || !wording.MayMatch(pattern(), strings.ToLower(t.value)) {
			return
		}
		seen := map[string]bool{}
		for _, m := range pattern().FindAllStringSubmatch(t.value, -1) {
			if name := strings.Join(m[1:], ""); !seen[name] {
				seen[name] = true
				apply(t, name, at)
			}
		}
	})
}

// collectVocabulary returns the names that a text may use, in lower case: of items, of members of objects,
// and choices.
func (s *server) collectVocabulary() map[string]bool {
	known := map[string]bool{}
	for _, i := range s.items {
		known[strings.ToLower(i.Key)], known[strings.ToLower(i.string("name"))] = true, true
	}
	for _, t := range s.texts {
		if t.key || !t.prose {
			known[strings.ToLower(t.value)] = true
		}
	}
	return known
}

// credentialNames are names of credentials, without case and separators.
var credentialNames = []string{"apikey", "apitoken", "apisecret", "accesstoken", "accesskey",
	"secretaccesskey", "authtoken", "bearertoken", "refreshtoken", "clientsecret", "secretkey", "privatekey",
	"personalaccesstoken", "githubtoken", "sessiontoken", "password", "passwd", "passphrase", "sessioncookie",
	"authcookie", "pat", "jwt", "jwttoken", "bearer", "idtoken", "oauthtoken", "bottoken", "webhooksecret",
	"signingkey", "sshkey", "authkey", "otp", "otpcode", "mfacode", "totp", "openaikey", "anthropickey",
	"credentials", "serviceaccountkey"}

// asksForCredential looks for an argument named like a credential, such as github_api_key: the words of its
// name from any of them to the last must be a known name.
func asksForCredential(name string, definition map[string]any, at location) {
	if t, ok := definition["type"].(string); ok && t != "string" {
		return
	}
	words := wording.Words(name)
	for i := range words {
		if slices.Contains(credentialNames, strings.Join(words[i:], "")) {
			at.add("", rawjson.Quote(name), "The argument %q is a credential, which the model would see.",
				name)
			return
		}
	}
}

// bytesPerToken is the average number of bytes of canonical JSON per token. On 186 published servers the
// estimate differs from the exact count in o200k_base by 4 % (median) and 9 % (90th percentile); vendors
// differ by more.
const bytesPerToken = 4.4

// Tokens estimates the tokens of a server in every conversation: its instructions and its tools, without
// those that hosts keep from the model.
func Tokens(s *snapshot.Snapshot) int {
	size := len(s.Instructions)
	for _, t := range s.Tools.Items() {
		if forModel(t) {
			size += promptBytes(t)
		}
	}
	return estimate(size)
}

// ToolTokens estimates the tokens of a tool: its name, description and arguments; 0 for one that hosts keep
// from the model.
func ToolTokens(tool snapshot.Item) int {
	if !forModel(tool) {
		return 0
	}
	return estimate(promptBytes(tool))
}

// estimate returns the tokens of a text with some bytes, rounded.
func estimate(bytes int) int { return int(float64(bytes)/bytesPerToken + 0.5) }

// promptBytes returns the size of what clients pass to the model of a tool, as canonical JSON.
func promptBytes(tool snapshot.Item) int {
	var parts []rawjson.Member
	o := rawjson.ObjectOf(tool.Raw)
	for _, name := range []string{"name", "description", "inputSchema"} {
		if value := o[name]; value != nil {
			parts = append(parts, rawjson.Member{Key: name, Value: value})
		}
	}
	canonical, err := rawjson.Canonical(rawjson.Build(parts...))
	if err != nil {
		return len(tool.Raw)
	}
	return len(canonical)
}
