package diff

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/wording"
)

// codePoints names the characters beyond ASCII of a new name that looks like the old one, or else those that
// are gone, for the end of a sentence; empty if the names look different.
func codePoints(old, new string) string {
	latin := func(name string) string { return strings.ToLower(strings.Map(wording.Latin, name)) }
	if latin(old) != latin(new) {
		return ""
	}
	const most = 8
	named := func(name string) string {
		beyond := kit.Filter([]rune(name), func(r rune) bool { return r >= utf8.RuneSelf })
		points := kit.Map(beyond[:min(len(beyond), most)],
			func(r rune) string { return fmt.Sprintf("U+%04X", r) })
		return strings.Join(points, " ") + either(len(beyond) > most, " …", "")
	}
	switch is, was := named(new), named(old); {
	case is != "":
		return " (with " + is + ")"
	case was != "":
		return " (without " + was + ")"
	}
	return ""
}
