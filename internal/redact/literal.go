package redact

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// What a person agrees to is shown in full: only literal secrets are masked, and of code nothing that could
// be a part of it.

var (
	// command is what a shell would take for a command inside of a word: $(x, `x`, ;x, |x.
	command = kit.Pattern("[$<>]\\([A-Za-z./ " +
		"]|`[A-Za-z./][^`]*`|[;|&]\\s*[A-Za-z./~][\\w./~-]*(?:[\\s$;|&<>]|$)")
	code         = kit.Pattern("[;|<>()`'\"\\\\{}]|\\$[A-Za-z_(]|&(?:&|\\s|$)")
	userInfo     = kit.Pattern(`(://)[A-Za-z0-9._~%+!*-]*:[A-Za-z0-9._~%+!*=-]+@`)
	namedLiteral = kit.Pattern(
		`(?i)([A-Za-z0-9_-]*(?:token|secret|passw|pwd|api-?_?key|credential|authorization|cookie)` +
			`[A-Za-z0-9_-]*["']?(?:\s*[:=]\s*|\s+)["']?(?:(?:bearer|basic)\s+)?|\b(?:bearer|basic)\s+)` +
			`([A-Za-z0-9_+=~.-]{6,})([(/]?)`)
	wholeLong   = kit.Pattern(`^[A-Za-z0-9_+=-]{24,}$`)
	withDefault = kit.Pattern(`\$\{[^{}]*\}`)
	pathLike    = kit.Pattern("^(?:~|[.]{1,2}|[A-Za-z]:)?[/\\\\][^\n\r;]*$")
	plainWord   = kit.Pattern(`^(?:[A-Z]?[a-z]{0,16}(?:[A-Z][a-z]{2,15})*|[A-Z]{1,16})[0-9]{0,8}[a-z]{0,2}$`)
	aroundWords = kit.Pattern(`\$\{[A-Za-z0-9_.:]*-|[ ,./:=@_*}\\+-]`)
	schemeWord  = kit.Pattern(`(?i)^\s*(bearer|basic|token|digest)\s+`)
)

// Literals returns a command line in which only literal secrets are replaced; isCode reports which arguments
// may be code.
func Literals(argv []string, isCode func(i int) bool) []string {
	shown := argStyle{named: literalNamed, other: literalWord}.show(argv)
	for i, arg := range argv {
		if isCode(i) {
			shown[i] = Literal(arg)
		}
	}
	return shown
}

// literalNamed returns the shown value of a flag. One that may be a command is shown, under any name.
func literalNamed(name, value string, _ bool) string {
	if !SecretName(name) || command().MatchString(withDefault().ReplaceAllString(value, "")) {
		return literalWord(value)
	}
	return LiteralValue(name, value)
}

// LiteralValue shows variables, and what is literal unless name or text may be a secret's. Nothing in it is
// taken for code.
func LiteralValue(name, value string) string {
	hide := hideUnlikePlain
	if SecretName(name) {
		hide = hidePart
	} else if address().FindString(value) == value && !strings.ContainsAny(value, ";\"'") {
		return MaskTokens(MaskURL(value))
	}
	scheme := schemeWord().FindString(value)
	if scheme != "" {
		hide = hidePart
	}
	return scheme + besidesVariables(value[len(scheme):], hide)
}

// besidesVariables returns a text in which everything but its variables, their defaults included, is hidden
// by a function.
func besidesVariables(rest string, hide func(string) string) string {
	var out strings.Builder
	for rest != "" {
		at := withDefault().FindStringIndex(rest)
		if at == nil {
			at = []int{len(rest), len(rest)}
		}
		out.WriteString(hide(rest[:at[0]]))
		name, fallback, has := strings.Cut(rest[at[0]:at[1]], ":-")
		if has {
			name += ":-" + hide(strings.TrimSuffix(fallback, "}")) + "}"
		}
		out.WriteString(MaskTokens(name))
		rest = rest[at[1]:]
	}
	return out.String()
}

// hideUnlikePlain hides what may be a secret by its look: all but paths, and words and numbers as people
// write them.
func hideUnlikePlain(part string) string {
	unlike := func(word string) bool { return !plainWord().MatchString(word) }
	isPath := pathLike().MatchString(part) && maskPath(part) == part
	if literalWord(part) != part || !isPath && slices.ContainsFunc(aroundWords().Split(part, -1), unlike) {
		return Mask
	}
	return part
}

// hidePart hides a part of a secret, unless it is nothing but punctuation.
func hidePart(part string) string {
	if strings.Trim(part, " \t:;,.-_/=@") == "" {
		return part
	}
	return Mask
}

// literalWord returns one shown argument or value; one with code in it is treated as code.
func literalWord(text string) string {
	switch bare := withDefault().ReplaceAllString(text, ""); {
	case code().MatchString(bare), strings.ContainsAny(bare, " \t\n"):
		return Literal(text)
	case address().MatchString(text) && address().FindStringIndex(text)[0] == 0:
		return MaskURL(text)
	case secretValue().MatchString(text), wholeLong().MatchString(text) && maskLong(text) == Mask:
		return Mask
	}
	return Literal(maskPairs(text))
}

// Literal replaces literal secrets alone: known tokens, passwords in addresses, and what is called a secret,
// looks like one and is not used by its name in the same text.
func Literal(text string) string {
	if privateKey().MatchString(text) {
		return Mask
	}
	text = userInfo().ReplaceAllString(MaskTokens(text), "${1}"+Mask+"@")
	return namedLiteral().ReplaceAllStringFunc(text, func(found string) string {
		parts := namedLiteral().FindStringSubmatch(found)
		name, value := strings.TrimRight(parts[1], " \t:=\"'"), parts[2]
		used := name != "" && (strings.Contains(text, "$"+name) || strings.Contains(text, "${"+name))
		if parts[3] != "" || used || !strings.ContainsAny(value, "0123456789") ||
			strings.Trim(value, "0123456789.") == "" {
			return found
		}
		return parts[1] + Mask
	})
}

// JSON returns a value in which strings and numbers that look secret are replaced, by their names or their
// looks; nil for what is not JSON.
func JSON(raw json.RawMessage) json.RawMessage {
	value, err := rawjson.Decode(raw)
	if err != nil {
		return nil
	}
	clean, _ := rawjson.Encode(maskValue("", value)) // decoded JSON can be encoded
	return clean
}

// maskValue returns a value with its secrets masked; objects and arrays are changed in place. name is the key
// of the value, or of the array that it is in; empty = none.
func maskValue(name string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key := range v {
			v[key] = maskValue(key, v[key])
		}
	case []any:
		for i := range v {
			v[i] = maskValue(name, v[i])
		}
	case string, json.Number:
		if name != "" && SecretName(name) {
			return Mask
		}
		if text, ok := v.(string); ok {
			return Literal(text)
		}
	}
	return value
}
