package wording

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// Deprecation is the announcement that an item will be removed.
type Deprecation struct {
	Sunset      time.Time // when it may be removed; zero = not announced
	Place       string    // of the first announcement, as a JSON pointer
	Replacement string    // what to use instead; empty = not announced
}

// Passed reports whether the announced date has come.
func (d Deprecation) Passed(now time.Time) bool {
	return !d.Sunset.IsZero() && !now.IsZero() && !now.Before(d.Sunset)
}

// Date returns the announced date, such as 2026-12-31.
func (d Deprecation) Date() string { return d.Sunset.Format(time.DateOnly) }

// The protocol does not define deprecation. These are the members that servers use, in the item, its
// annotations, its _meta (there also with prefixes) and the frontmatter of a skill; in lower case and without
// - and _.
var (
	deprecationKeys = []string{"deprecated", "deprecation", "isdeprecated"}
	sunsetKeys      = []string{"sunset", "sunsetdate", "sunsetat", "sunseton", "removaldate", "removalafter",
		"removedafter", "removeafter", "removedat", "removeat", "endoflife", "eol"}
	successorKeys = []string{"replacement", "replacementtool", "replacedby", "replacewith", "supersededby",
		"successor", "useinstead"}
)

// Announcements in texts: "DEPRECATED: use b instead", "[Deprecated - use b - sunset 2026-12-31]", "Read File
// (Deprecated)". A text about deprecated things is not one.
var (
	announcement = kit.Pattern(`(?:^\W*(?i:deprecated)|[(\[](?i:deprecated)|\bDEPRECATED)\s*` +
		`(?:$|[])*_:.!,;—–-]|(?i:since|in favou?r of|and will|use)\b)`)
	sunsetText = kit.Pattern(`(?i)\b(?:sunset|remov(?:ed|al)|retired?|until|end of life|eol)\b` +
		`[^.\n]{0,40}?(\d{4}-\d{2}-\d{2})`)
	successors = kit.Pattern("(?i)\\b(?:use|call|in favou?r of|replaced by|superseded by)\\s+(?:the\\s+)?" +
		"(?:[`'\"*]+([\\w./-]+)[`'\"*]|(\\w+[_./-][\\w./-]*\\w))")
)

// DeprecationOf returns the deprecation of an item; ok is false when it announces none.
func DeprecationOf(item rawjson.Object) (d Deprecation, ok bool) {
	front := rawjson.ObjectOf(item["frontmatter"])
	add := func(place string, announced bool) {
		if announced && !ok {
			d.Place, ok = place, true
		}
	}
	add("", d.readMembers(item))
	add("/annotations", d.readMembers(rawjson.ObjectOf(item["annotations"])))
	add("/_meta", d.readMembers(rawjson.ObjectOf(item["_meta"])))
	add("/frontmatter", d.readMembers(front))
	add("/frontmatter/metadata", d.readMembers(rawjson.ObjectOf(front["metadata"])))
	add("/title", d.readText(item.Text("title")))
	add("/description", d.readText(item.Text("description")))
	add("/frontmatter/description", d.readText(front.Text("description")))
	return d, ok
}

var withoutSeparators = strings.NewReplacer("-", "", "_", "")

// readMembers reads the members of an object and reports whether they announce a deprecation.
func (d *Deprecation) readMembers(members rawjson.Object) (announced bool) {
	for _, name := range kit.SortedKeys(members) {
		value, text := members[name], members.Text(name)
		switch key := withoutSeparators.Replace(strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])); {
		case slices.Contains(deprecationKeys, key):
			inner := rawjson.ObjectOf(value)
			d.readMembers(inner)
			d.readText("deprecated: " + text)
			announced = announced || string(value) == "true" || text != "" || len(inner) > 0
		case slices.Contains(sunsetKeys, key):
			d.Sunset = parseDay(text)
			announced = announced || !d.Sunset.IsZero()
		case slices.Contains(successorKeys, key):
			d.Replacement = cmp.Or(text, d.Replacement)
		case key == "status" || key == "stability" || key == "lifecycle":
			announced = announced || text == "deprecated"
		}
	}
	return announced
}

// readText reads a text and reports whether it announces a deprecation. Members take precedence.
func (d *Deprecation) readText(text string) bool {
	at := announcement().FindStringIndex(text)
	if at == nil {
		return false
	}
	text = text[at[0]:]
	if date := sunsetText().FindStringSubmatch(text); d.Sunset.IsZero() && date != nil {
		d.Sunset = parseDay(date[1])
	}
	if name := successors().FindStringSubmatch(text); name != nil {
		d.Replacement = cmp.Or(d.Replacement, name[1], name[2])
	}
	return true
}

// parseDay parses a date in the formats of ISO 8601 and RFC 8594; zero = invalid.
func parseDay(text string) time.Time {
	for _, layout := range []string{time.DateOnly, time.RFC3339, time.RFC1123} {
		if day, err := time.Parse(layout, text); err == nil {
			return day
		}
	}
	return time.Time{}
}
