package wording

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/kit"
	"golang.org/x/text/unicode/norm"
)

// Look returns a name as it looks, in lower case: composed, with plain letters for those that look like them,
// and without invisible characters.
func Look(name string) string {
	return strings.ToLower(strings.Map(Latin, norm.NFC.String(name)))
}

// CodePoints returns the end of a sentence that names the difference of two names of the same look, such as
// " (with U+0430)": the characters beyond ASCII that only the new one has, or else those that only the old
// one has; empty if the names look different.
func CodePoints(old, new string) string {
	if Look(old) != Look(new) {
		return ""
	}
	const most = 8
	for _, side := range [][3]string{{"with", new, old}, {"without", old, new}} {
		beyond := kit.Filter([]rune(side[1]), func(r rune) bool {
			return r >= utf8.RuneSelf && !strings.ContainsRune(side[2], r)
		})
		if len(beyond) > 0 {
			more := ""
			if len(beyond) > most {
				more = " …"
			}
			points := strings.Trim(fmt.Sprintf("%U", beyond[:min(len(beyond), most)]), "[]")
			return " (" + side[0] + " " + points + more + ")"
		}
	}
	return ""
}
