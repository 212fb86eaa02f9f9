package redact

import (
	"encoding/json"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
)

var (
	userInfo     = kit.Pattern(`(://)[A-Za-z0-9._~%+!*-]*:[A-Za-z0-9._~%+!*=-]+@`)
	namedLiteral = kit.Pattern(
		`(?i)([A-Za-z0-9_-]*(?:token|secret|passw|pwd|api-?_?key|credential|authorization|cookie)` +
			`[A-Za-z0-9_-]*["']?(?:\s*[:=]\s*|\s+)["']?(?:(?:bearer|basic)\s+)?|\b(?:bearer|basic)\s+)` +
			`([A-Za-z0-9_+=~.-]{6,})([(/]?)`)
	withDefault = kit.Pattern(`\$\{[^{}]*\}`)
	pathLike    = kit.Pattern("^(?:~|[.]{1,2}|[A-Za-z]:)?[/\\\\][^\n\r;]*$")
)

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
