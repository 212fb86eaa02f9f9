package wording

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// Deprecation is what an item says of its own end.
type Deprecation struct {
	Sunset      time.Time // from when on it may be gone; zero = no date is announced
	Place       string    // where it says so first, as a JSON pointer
	Replacement string    // what to use instead; empty = that is not said
}

// Passed tells whether the date has come that was announced.
func (d Deprecation) Passed(now time.Time) bool {
	return !d.Sunset.IsZero() && !now.IsZero() && !now.Before(d.Sunset)
}

// Date is the date that was announced, as it is written in a sentence.
func (d Deprecation) Date() string { return d.Sunset.Format(time.DateOnly) }

// The protocol has no words for it. These are the members that servers use, in the item, its annotations, its
// _meta (there with prefixes, too) and the frontmatter of a skill; spelled in small letters and without - and
// _.
var (
	deprecationKeys = []string{"deprecated", "deprecation", "isdeprecated"}
	sunsetKeys      = []string{"sunset", "sunsetdate", "sunsetat", "sunseton", "removaldate", "removalafter",
		"removedafter", "removeafter", "removedat", "removeat", "endoflife", "eol"}
	successorKeys = []string{"replacement", "replacementtool", "replacedby", "replacewith", "supersededby",
		"successor", "useinstead"}
)

// What the phrases are by which texts announce it: "DEPRECATED: use b instead", "[Deprecated - use b - sunset
// 2026-12-31]", "Read File (Deprecated)". A text about things that are deprecated is none of them.
var (
	announcement = kit.Pattern(
		`(?:^\W*(?i:deprecated)|[(\[](?i:deprecated)|\bDEPRECATED)\s*(?:$|[])*_:.!,;—–-]|(?i:since|in favou?r of|and will|use)\b)`)
	sunsetText = kit.Pattern(
		`(?i)\b(?:sunset|remov(?:ed|al)|retired?|until|end of life|eol)\b[^.\n]{0,40}?(\d{4}-\d{2}-\d{2})`)
	successors = kit.Pattern("(?i)\\b(?:use|call|in favou?r of|replaced by|superseded " +
		"by)\\s+(?:the\\s+)?(?:[`'\"*]+([\\w./-]+)[`'\"*]|(\\w+[_./-][\\w./-]*\\w))")
)

// DeprecationOf reads what an item says of its own end; told = it says that there will be one.
func DeprecationOf(o rawjson.Object) (d Deprecation, told bool) {
	front := rawjson.ObjectOf(o["frontmatter"])
	d.note("", d.read(o), &told)
	d.note("/annotations", d.read(rawjson.ObjectOf(o["annotations"])), &told)
	d.note("/_meta", d.read(rawjson.ObjectOf(o["_meta"])), &told)
	d.note("/frontmatter", d.read(front), &told)
	d.note("/frontmatter/metadata", d.read(rawjson.ObjectOf(front["metadata"])), &told)
	d.note("/title", d.heed(o.Text("title")), &told)
	d.note("/description", d.heed(o.Text("description")), &told)
	d.note("/frontmatter/description", d.heed(front.Text("description")), &told)
	return d, told
}

// note keeps the first place that announces it.
func (d *Deprecation) note(place string, announces bool, told *bool) {
	if announces && !*told {
		d.Place, *told = place, true
	}
}

// unjoined makes one name of the ways in which its words are joined.
var unjoined = strings.NewReplacer("-", "", "_", "")

// read takes what members say, and tells whether that is an announcement.
func (d *Deprecation) read(members rawjson.Object) (told bool) {
	for _, name := range kit.SortedKeys(members) {
		value, text := members[name], members.Text(name)
		switch key := unjoined.Replace(strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])); {
		case slices.Contains(deprecationKeys, key):
			inner := rawjson.ObjectOf(value)
			d.read(inner)
			d.heed("deprecated: " + text)
			told = told || string(value) == "true" || text != "" || len(inner) > 0
		case slices.Contains(sunsetKeys, key):
			d.Sunset = day(text)
			told = told || !d.Sunset.IsZero()
		case slices.Contains(successorKeys, key):
			d.Replacement = cmp.Or(text, d.Replacement)
		case key == "status" || key == "stability" || key == "lifecycle":
			told = told || text == "deprecated"
		}
	}
	return told
}

// heed takes what a text says, and tells whether that is an announcement. What members say is not changed by
// it.
func (d *Deprecation) heed(text string) bool {
	at := announcement().FindStringIndex(text)
	if at == nil {
		return false
	}
	text = text[at[0]:]
	if date := first(sunsetText(), text); d.Sunset.IsZero() && date != "" {
		d.Sunset = day(date)
	}
	d.Replacement = cmp.Or(d.Replacement, first(successors(), text))
	return true
}

// first is what a group of an expression found first.
func first(e *regexp.Regexp, text string) string {
	if found := e.FindStringSubmatch(text); found != nil {
		return cmp.Or(found[1:]...)
	}
	return ""
}

// day reads a date as ISO 8601 and RFC 8594 write it; zero = it is none.
func day(text string) time.Time {
	for _, layout := range []string{time.DateOnly, time.RFC3339, time.RFC1123} {
		if at, err := time.Parse(layout, text); err == nil {
			return at
		}
	}
	return time.Time{}
}
