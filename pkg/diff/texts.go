package diff

import (
	"bytes"
	"encoding/json"
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

type passage struct {
	pointer string
	text    string
	raw     json.RawMessage
}

// naming returns the text that names something, or the name alone if the text is long and may name thousands.
func (p passage) naming(name string) json.RawMessage {
	const long = 4 << 10
	if len(p.raw) > long {
		return rawjson.Quote(name)
	}
	return p.raw
}

// texts are those inside a value: that a model reads, and that hide something.
type texts struct{ read, hiding []passage }

// textsOf returns the texts inside a tree at a pointer and under a key; with hiding, also those with
// invisible characters.
func textsOf(pointer, key string, tree any, hiding bool) texts {
	c := collector{hides: hiding, way: []string{pointer}}
	c.collect(key, tree)
	return c.texts
}

// collector is on its way through a tree. The pointers of what is not wanted are not written out: in what is
// nested deep they take more room than the texts.
type collector struct {
	hides  bool
	way    []string // tokens of pointers
	length int      // of the way, in bytes
	texts
}

// collect adds the texts of a tree under a key. Names of members may hide something too. On return the way is
// what it was on entry.
func (c *collector) collect(key string, tree any) {
	way, length := c.way, c.length
	switch t := tree.(type) {
	case string:
		if isRead(key) {
			c.read = append(c.read, c.passage(key, t))
		}
		c.hide(t)
	case map[string]any:
		for _, name := range kit.SortedKeys(t) {
			c.enter(rawjson.Join("", name))
			c.hide(name)
			c.collect(name, t[name])
			c.way, c.length = way, length
		}
	case []any:
		for i, element := range t {
			c.enter("/" + strconv.Itoa(i))
			c.collect("", element)
			c.way, c.length = way, length
		}
	}
}

// longestPointer is the length up to which pointers are written out, in bytes. Deeper
// texts are reported at the nearest value around them: a long name over many short texts would be repeated.
const longestPointer = 1 << 10

func (c *collector) enter(token string) {
	if c.length+len(token) <= longestPointer {
		c.way, c.length = append(c.way, token), c.length+len(token)
	}
}

func (c *collector) hide(text string) {
	if c.hides && len(snapshot.Hidden(text)) > 0 {
		c.hiding = append(c.hiding, c.passage("", text))
	}
}

// passage returns a text at the place of the collector.
func (c *collector) passage(key, text string) passage {
	return passage{pointer: strings.Join(c.way, ""), text: text, raw: rawjson.Quote(text)}
}

// isRead reports whether a model reads a member as text.
func isRead(key string) bool { return key == "description" || key == "title" }

// compareTexts looks at what the texts of an item say on the new side only. path is the JSON pointer of the
// values.
func compareTexts(c *comparison, item, path string, old, new json.RawMessage) {
	if path != "" {
		path = "/" + path
	}
	hiding := mayHide(new)
	before, after := textsOf(path, "description", treeOf(old), hiding),
		textsOf(path, "description", treeOf(new), hiding)
	findHidden(c, item, new, before.hiding, after.hiding)
	was, is := before.read, after.read
	findNew(c, "text-url-added", item, was, is, hostsIn,
		func(host string) string { return "The text now names the host " + host + "." })
	findNew(c, "text-tool-reference-added", item, was, is, c.toolsIn(item),
		func(tool string) string { return "The text now names the tool " + code(tool) + " of this server." })
	findNew(c, "text-instruction-cue-added", item, was, is, ordersIn,
		func(order string) string { return fmt.Sprintf("The text now says %q.", order) })
	findUntold(c, item, before.read, after.read)
}

// findUntold looks for texts of a tool's schemas that are new and that no finding showed.
func findUntold(c *comparison, item string, old, new []passage) {
	known := map[string]bool{}
	before := map[string]json.RawMessage{} // by place
	for _, p := range old {
		known[normal(p.text)], before[p.pointer] = true, p.raw
	}
	definitions := map[string]bool{} // that were there before
	for _, p := range old {
		definitions[definitionOf(p.pointer)] = true
	}
	fresh := slices.DeleteFunc(slices.Clone(new), func(p passage) bool {
		if d := definitionOf(p.pointer); d != "" && !definitions[d] || repeatsItsName(p) {
			return true // it belongs to what brought the definition
		}
		return known[normal(p.text)] || normal(p.text) == "" ||
			!strings.HasPrefix(p.pointer, "/inputSchema/") && !strings.HasPrefix(p.pointer, "/outputSchema/")
	})
	if len(fresh) == 0 {
		return
	}
	for _, f := range c.findings {
		if f.Item == item && f.New != nil {
			for _, p := range textsOf("", "description", treeOf(f.New), false).read {
				known[normal(p.text)] = true
			}
		}
	}
	count := 0
	for _, p := range fresh {
		if known[normal(p.text)] || count == maxListed {
			continue
		}
		known[normal(p.text)] = true
		count++
		isNew := before[p.pointer] == nil
		c.report(either(strings.HasPrefix(p.pointer, "/input"), "input", "output")+
			either(isNew, "-property-description-added", "-property-description-changed"), finding.Finding{
			Item: item, Path: parent(p.pointer), Member: p.pointer[len(parent(p.pointer))+1:],
			Old: before[p.pointer], New: p.raw,
			Message: "A text in the schema " + either(isNew, "is new.", "changed."),
			Cause:   "Texts in schemas changed",
		})
	}
}

var definition = kit.Pattern(`^/(inputSchema|outputSchema)/(\$defs|definitions)/[^/]*`)

// definitionOf returns the pointer of the definition that a text is in; empty if there is none.
func definitionOf(pointer string) string { return definition().FindString(pointer) }

// repeatsItsName reports whether a text is the title that a generator makes of the name of a property.
func repeatsItsName(p passage) bool {
	steps := rawjson.Split(p.pointer)
	n := len(steps)
	return n > 2 && steps[n-1] == "title" && steps[n-3] == "properties" && repeatsName(p.text, steps[n-2])
}

// mayHide reports whether a JSON text can hold an invisible character: one beyond ASCII, or an escaped one.
func mayHide(raw json.RawMessage) bool {
	return bytes.ContainsFunc(raw, func(r rune) bool { return r >= 0x7F }) ||
		bytes.Contains(raw, []byte(`\u`)) ||
		bytes.Contains(raw, []byte(`\b`)) || bytes.Contains(raw, []byte(`\f`))
}

// findHidden looks for texts of an item in which invisible characters are new. whole is all of the item.
func findHidden(c *comparison, item string, whole json.RawMessage, old, new []passage) {
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
	count, more := 0, 0
	for _, p := range new {
		hidden := slices.DeleteFunc(snapshot.Hidden(p.text),
			func(r rune) bool { return before[place{p.pointer, r}] })
		if len(hidden) == 0 {
			continue
		}
		if count++; count > maxListed {
			more += len(hidden)
			continue
		}
		c.report("text-hidden-characters-added", finding.Finding{
			Item: item, Path: p.pointer, New: p.raw,
			Message: fmt.Sprintf("The text now contains %s (first: %U).",
				kit.Counted(len(hidden), "invisible character"), hidden[0]),
		})
	}
	if more > 0 {
		c.report("text-hidden-characters-added", finding.Finding{
			Item: item, New: whole,
			Message: fmt.Sprintf("%s appeared in %s.", kit.Counted(more, "more invisible character"),
				kit.Counted(count-maxListed, "more text")),
		})
	}
}

var address = kit.Pattern(`(?i)\bhttps?://([^\s/?#"'<>()\[\]{}\\` + "`" + `,;|]+)`)

// findNew looks for what the texts of an item name now and none of them named before, each once.
func findNew(c *comparison, rule, item string, old, new []passage, named func(passage) []string,
	says func(name string) string) {
	known := map[string]bool{}
	for _, p := range old {
		for _, name := range named(p) {
			known[strings.ToLower(name)] = true
		}
	}
	for _, p := range new {
		for _, name := range named(p) {
			if !known[strings.ToLower(name)] {
				known[strings.ToLower(name)] = true
				c.report(rule, finding.Finding{Item: item, Path: p.pointer, New: p.naming(name),
					Message: says(name), Passage: name})
			}
		}
	}
}

// ordersIn returns the phrases of a text that give orders to the model.
func ordersIn(p passage) []string { return wording.Read(p.text).Orders() }

// hostsIn returns the hosts that a text names.
func hostsIn(p passage) []string {
	return kit.Map(address().FindAllStringSubmatch(p.text, -1), func(m []string) string { return host(m[1]) })
}

// host returns the host of an address, without user information and a trailing dot.
func host(authority string) string {
	return strings.ToLower(strings.TrimRight(authority[strings.LastIndex(authority, "@")+1:], ".:"))
}

// toolsIn returns the tools of the server that a text of an item names, apart from the item itself.
func (c *comparison) toolsIn(item string) func(passage) []string {
	return func(p passage) []string {
		return kit.Filter(words(p.text), func(name string) bool {
			_, known := slices.BinarySearch(c.names, name)
			return known && item != snapshot.Tools.ID(name)
		})
	}
}

var (
	composedName = kit.Pattern(`[A-Za-z0-9]+(?:[_.-][A-Za-z0-9]+)+|[a-z0-9]+[A-Z][A-Za-z0-9]*`)
	quotedName   = kit.Pattern("[`\"']([A-Za-z0-9_.-]+)[`\"']")
)

// words returns the parts of a text that may be the name of a tool, sorted: composed words, and words in
// quotes.
func words(text string) []string {
	found := composedName().FindAllString(text, -1)
	for _, m := range quotedName().FindAllStringSubmatch(text, -1) {
		found = append(found, m[1])
	}
	return slices.Compact(slices.Sorted(slices.Values(found)))
}

// compareSize reports an item that has grown over the budget. One that was larger already is not reported
// again, and a budget of 0 turns the rule off.
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
