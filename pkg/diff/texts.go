package diff

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// passage is one text of an item, with its JSON pointer.
type passage struct {
	pointer string
	text    string
	raw     json.RawMessage
}

// naming is the text that names something; of a long one, which may name thousands, the name alone.
func (p passage) naming(name string) json.RawMessage {
	const long = 4 << 10
	if len(p.raw) > long {
		return rawjson.Quote(name)
	}
	return p.raw
}

// passages are the texts inside a value that are wanted by the member that holds them, keys of objects included under
// the member "". They come in the order of their pointers.
func passages(pointer, key string, tree any, wanted func(key, text string) bool) []passage {
	c := collector{wanted: wanted, way: []string{pointer}}
	c.collect(key, tree)
	slices.SortStableFunc(c.found, func(a, b passage) int { return cmp.Compare(a.pointer, b.pointer) })
	return c.found
}

// collector is on its way through a tree. The pointers of what is not wanted are not written out: in what is nested deep they
// take more room than the texts.
type collector struct {
	wanted func(key, text string) bool
	way    []string
	length int // of the way, in bytes
	found  []passage
}

func (c *collector) collect(key string, tree any) {
	switch t := tree.(type) {
	case leaf:
		if text, ok := rawjson.Text(json.RawMessage(t.Text)); ok && c.wanted(key, text) {
			c.found = append(c.found, passage{strings.Join(c.way, ""), text, json.RawMessage(t.Text)})
		}
	case object:
		for name, member := range t {
			c.in(rawjson.Join("", name), func() {
				if c.wanted("", name) {
					c.found = append(c.found, passage{strings.Join(c.way, ""), name, rawjson.Quote(name)})
				}
				c.collect(name, member)
			})
		}
	case array:
		for i, element := range t {
			c.in("/"+strconv.Itoa(i), func() { c.collect("", element) })
		}
	}
}

// longestPointer is the length up to which pointers are written out, in bytes. What lies deeper is told at the nearest value
// around it: a long name over many short texts would be repeated for each.
const longestPointer = 1 << 10

// in goes on inside of a member or element.
func (c *collector) in(token string, collect func()) {
	if c.length+len(token) <= longestPointer {
		c.way, c.length = append(c.way, token), c.length+len(token)
		defer func() { c.way, c.length = c.way[:len(c.way)-1], c.length-len(token) }()
	}
	collect()
}

// isProse tells the members that a model reads as text.
func isProse(key, _ string) bool { return key == "description" || key == "title" }

// compareTexts looks at what the texts of an item say on the new side only. path is the JSON pointer of the values.
func compareTexts(c *comparison, item, path string, old, new json.RawMessage) {
	if path != "" {
		path = "/" + path
	}
	findHidden(c, item, path, old, new)
	before, after := passages(path, "description", treeOf(old), isProse), passages(path, "description", treeOf(new), isProse)
	findHosts(c, item, before, after)
	findReferences(c, item, before, after)
	findCues(c, item, before, after)
}

// isRead tells the members of a schema that say something to a model and accept nothing.
func isRead(key, text string) bool { return isProse(key, text) || key == "$comment" }

// findUntold looks for texts of a tool's schemas that are new and that no finding showed: where what they describe says the
// same as before in other words, they are the only thing that changed.
func findUntold(c *comparison, item string, old, new json.RawMessage) {
	known := map[string]bool{}
	before := map[string]json.RawMessage{} // by place
	for _, p := range passages("", "", treeOf(old), isRead) {
		known[normal(p.text)], before[p.pointer] = true, p.raw
	}
	fresh := slices.DeleteFunc(passages("", "", treeOf(new), isRead), func(p passage) bool {
		return known[normal(p.text)] || normal(p.text) == "" || !strings.HasPrefix(p.pointer, "/inputSchema/") && !strings.HasPrefix(p.pointer, "/outputSchema/")
	})
	if len(fresh) == 0 {
		return
	}
	for _, f := range c.findings {
		if f.Item == item && f.New != nil {
			for _, p := range passages("", "description", treeOf(f.New), isRead) {
				known[normal(p.text)] = true
			}
		}
	}
	count := 0
	for _, p := range fresh {
		if known[normal(p.text)] || count == mostTold {
			continue
		}
		known[normal(p.text)] = true
		count++
		isNew := before[p.pointer] == nil
		c.report(either(strings.HasPrefix(p.pointer, "/input"), "input", "output")+either(isNew, "-property-description-added", "-property-description-changed"), finding.Finding{
			Item: item, Path: parent(p.pointer), Member: p.pointer[len(parent(p.pointer))+1:], Old: before[p.pointer], New: p.raw,
			Message: "A text in the schema " + either(isNew, "is new.", "changed."), Cause: "Texts in schemas changed",
		})
	}
}

// findHidden looks for invisible characters in any text of a value.
func findHidden(c *comparison, item, path string, old, new json.RawMessage) {
	if !mayHide(new) {
		return
	}
	var before []passage
	if old != nil {
		before = passages(path, "", treeOf(old), hides)
	}
	findHiddenIn(c, item, before, passages(path, "", treeOf(new), hides))
}

func hides(_, text string) bool { return len(snapshot.Hidden(text)) > 0 }

// mayHide tells whether a JSON text can hold an invisible character at all: one beyond ASCII, or an escaped one.
func mayHide(raw json.RawMessage) bool {
	return bytes.ContainsFunc(raw, func(r rune) bool { return r >= 0x7F }) || bytes.Contains(raw, []byte(`\u`)) ||
		bytes.Contains(raw, []byte(`\b`)) || bytes.Contains(raw, []byte(`\f`))
}

func findHiddenIn(c *comparison, item string, old, new []passage) {
	type place struct {
		pointer string
		hidden  rune
	}
	before := map[place]bool{}
	for _, p := range old {
		for _, r := range snapshot.Hidden(p.text) {
			before[place{p.pointer, r}] = true
		}
	}
	told, more := 0, 0
	var others finding.Others
	for _, p := range new {
		hidden := slices.DeleteFunc(snapshot.Hidden(p.text), func(r rune) bool { return before[place{p.pointer, r}] })
		if len(hidden) == 0 {
			continue
		}
		if told++; told > mostTold {
			more += len(hidden)
			others.Add(p.pointer, p.text)
			continue
		}
		c.report("text-hidden-characters-added", finding.Finding{
			Item: item, Path: p.pointer, New: p.raw,
			Message: fmt.Sprintf("%s appeared in a text; the first is %U.", match.Counted(len(hidden), "invisible character"), hidden[0]),
		})
	}
	if more > 0 {
		c.report("text-hidden-characters-added", finding.Finding{
			Item: item, New: others.Value(), Message: fmt.Sprintf("%s appeared in %s.", match.Counted(more, "more invisible character"), match.Counted(others.Count, "more text")),
		})
	}
}

var address = match.Pattern(`(?i)\bhttps?://([^\s/?#"'<>()\[\]{}\\` + "`" + `,;|]+)`)

// findHosts looks for hosts that no text of the item named before.
func findHosts(c *comparison, item string, old, new []passage) {
	named := map[string]bool{}
	for _, p := range old {
		for _, m := range address().FindAllStringSubmatch(p.text, -1) {
			named[host(m[1])] = true
		}
	}
	for _, p := range new {
		for _, m := range address().FindAllStringSubmatch(p.text, -1) {
			if h := host(m[1]); !named[h] {
				named[h] = true
				c.report("text-url-added", finding.Finding{
					Item: item, Path: p.pointer, New: p.naming(h), Message: fmt.Sprintf("The text now names the host %s.", h),
				})
			}
		}
	}
}

// host is the host of an address without what stands before an @, and without a dot that ends a sentence.
func host(authority string) string {
	return strings.ToLower(strings.TrimRight(authority[strings.LastIndex(authority, "@")+1:], ".:"))
}

// findReferences looks for names of other tools that no text of the item named before.
func findReferences(c *comparison, item string, old, new []passage) {
	before := words(old)
	for _, p := range new {
		for _, name := range slices.Sorted(maps.Keys(words([]passage{p}))) {
			if !slices.Contains(c.names, name) || item == snapshot.Tools.ID(name) || before[name] {
				continue
			}
			before[name] = true
			c.report("text-tool-reference-added", finding.Finding{
				Item: item, Path: p.pointer, New: p.naming(name), Message: fmt.Sprintf("The text now names the tool %s.", code(name)),
			})
		}
	}
}

var (
	composedName = match.Pattern(`[A-Za-z0-9]+(?:[_.-][A-Za-z0-9]+)+|[a-z0-9]+[A-Z][A-Za-z0-9]*`)
	quotedName   = match.Pattern("[`\"']([A-Za-z0-9_.-]+)[`\"']")
)

// words are the parts of texts that may be the name of a tool: no plain word, or one in quotes.
func words(passages []passage) map[string]bool {
	found := map[string]bool{}
	for _, p := range passages {
		for _, m := range composedName().FindAllString(p.text, -1) {
			found[m] = true
		}
		for _, m := range quotedName().FindAllStringSubmatch(p.text, -1) {
			found[m[1]] = true
		}
	}
	return found
}

var cue = match.Pattern(`(?i)ignore (?:all |any )?(?:previous|prior|other)|disregard|do not (?:tell|mention|inform|reveal)|don't (?:tell|mention)|without (?:telling|asking)|before (?:using|calling) any|<important>|<system>|system prompt`)

// findCues looks for phrases that give orders behind the user's back.
func findCues(c *comparison, item string, old, new []passage) {
	before := map[string]bool{}
	for _, p := range old {
		for _, phrase := range cue().FindAllString(p.text, -1) {
			before[strings.ToLower(phrase)] = true
		}
	}
	for _, p := range new {
		phrase := cue().FindString(p.text)
		if phrase == "" || before[strings.ToLower(phrase)] {
			continue
		}
		c.report("text-instruction-cue-added", finding.Finding{
			Item: item, Path: p.pointer, New: p.raw, Message: fmt.Sprintf("The text now says %q.", phrase),
		})
	}
}

// compareSize looks at how much room the item takes.
func compareSize(c *comparison, item string, old, new json.RawMessage) {
	if c.ItemBudget <= 0 {
		return
	}
	before, after := rawjson.Size(old), rawjson.Size(new)
	if before <= c.ItemBudget && after > c.ItemBudget {
		c.report("text-size-grew", finding.Finding{
			Item: item, Old: json.RawMessage(strconv.Itoa(before)), New: json.RawMessage(strconv.Itoa(after)),
			Message: fmt.Sprintf("The item takes %d bytes, more than the budget of %d.", after, c.ItemBudget),
		})
	}
}
