package diff

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// passage is one text of an item, with its JSON pointer.
type passage struct {
	pointer string
	key     string // the member that holds it; empty for an element of an array
	text    string
	raw     json.RawMessage
}

// passages are all texts inside a value, keys of objects included, in the order of their pointers.
func passages(pointer, key string, raw json.RawMessage) []passage {
	var found []passage
	collectPassages(pointer, key, treeOf(raw), &found)
	slices.SortStableFunc(found, func(a, b passage) int { return cmp.Compare(a.pointer, b.pointer) })
	return found
}

func collectPassages(pointer, key string, tree any, found *[]passage) {
	switch t := tree.(type) {
	case leaf:
		if text, ok := snapshot.Text(json.RawMessage(t.Text)); ok {
			*found = append(*found, passage{pointer, key, text, json.RawMessage(t.Text)})
		}
	case object:
		for _, name := range slices.Sorted(maps.Keys(t)) {
			inner := pointer + "/" + snapshot.PointerToken(name)
			*found = append(*found, passage{inner, "", name, quoted(name)})
			collectPassages(inner, name, t[name], found)
		}
	case array:
		for i, element := range t {
			collectPassages(pointer+"/"+strconv.Itoa(i), "", element, found)
		}
	}
}

// texts looks at what the texts of an item say on the new side only. path is the JSON pointer of the values.
func (c *comparison) texts(item, path string, old, new json.RawMessage) {
	if path != "" {
		path = "/" + path
	}
	before, after := passages(path, "description", old), passages(path, "description", new)
	c.hiddenIn(item, before, after)
	c.hosts(item, prose(before), prose(after))
	c.references(item, prose(before), prose(after))
	c.cues(item, prose(before), prose(after))
}

// prose are the passages that a model reads as text.
func prose(passages []passage) []passage {
	return slices.DeleteFunc(slices.Clone(passages), func(p passage) bool { return p.key != "description" && p.key != "title" })
}

// hidden looks for invisible characters in a new item.
func (c *comparison) hidden(item, path string, old, new json.RawMessage) {
	c.hiddenIn(item, passages(path, "", old), passages(path, "", new))
}

func (c *comparison) hiddenIn(item string, old, new []passage) {
	before := map[string][]rune{}
	for _, p := range old {
		before[p.pointer] = append(before[p.pointer], snapshot.Hidden(p.text)...)
	}
	for _, p := range new {
		hidden := slices.DeleteFunc(snapshot.Hidden(p.text), func(r rune) bool { return slices.Contains(before[p.pointer], r) })
		if len(hidden) == 0 {
			continue
		}
		c.report("text-hidden-characters-added", finding.Finding{
			Item: item, Path: p.pointer, New: p.raw,
			Message: fmt.Sprintf("%d invisible characters appeared in a text, the first is %U.", len(hidden), hidden[0]),
		})
	}
}

var address = regexp.MustCompile(`(?i)\bhttps?://([^\s/?#"'<>()\[\]{}\\` + "`" + `,;|]+)`)

// hosts looks for hosts that no text of the item named before.
func (c *comparison) hosts(item string, old, new []passage) {
	named := map[string]bool{}
	for _, p := range old {
		for _, m := range address.FindAllStringSubmatch(p.text, -1) {
			named[host(m[1])] = true
		}
	}
	for _, p := range new {
		for _, m := range address.FindAllStringSubmatch(p.text, -1) {
			if h := host(m[1]); !named[h] {
				named[h] = true
				c.report("text-url-added", finding.Finding{
					Item: item, Path: p.pointer, New: p.raw, Message: fmt.Sprintf("The text names the host %s, which it did not name before.", h),
				})
			}
		}
	}
}

// host is the host of an address without what stands before an @, and without a dot that ends a sentence.
func host(authority string) string {
	return strings.ToLower(strings.TrimRight(authority[strings.LastIndex(authority, "@")+1:], ".:"))
}

// references looks for names of other tools that no text of the item named before.
func (c *comparison) references(item string, old, new []passage) {
	before := words(old)
	for _, p := range new {
		for _, name := range slices.Sorted(maps.Keys(words([]passage{p}))) {
			if !slices.Contains(c.names, name) || item == snapshot.Tools.ID(name) || before[name] {
				continue
			}
			before[name] = true
			c.report("text-tool-reference-added", finding.Finding{
				Item: item, Path: p.pointer, New: p.raw, Message: fmt.Sprintf("The text names the tool %s, which it did not name before.", name),
			})
		}
	}
}

var (
	composedName = regexp.MustCompile(`[A-Za-z0-9]+(?:[_.-][A-Za-z0-9]+)+|[a-z0-9]+[A-Z][A-Za-z0-9]*`)
	quotedName   = regexp.MustCompile("[`\"']([A-Za-z0-9_.-]+)[`\"']")
)

// words are the parts of texts that may be the name of a tool: no plain word, or one in quotes.
func words(passages []passage) map[string]bool {
	found := map[string]bool{}
	for _, p := range passages {
		for _, m := range composedName.FindAllString(p.text, -1) {
			found[m] = true
		}
		for _, m := range quotedName.FindAllStringSubmatch(p.text, -1) {
			found[m[1]] = true
		}
	}
	return found
}

var cue = regexp.MustCompile(`(?i)ignore (?:all |any )?(?:previous|prior|other)|disregard|do not (?:tell|mention|inform|reveal)|don't (?:tell|mention)|without (?:telling|asking)|before (?:using|calling) any|<important>|<system>|system prompt`)

// cues looks for phrases that give orders behind the user's back.
func (c *comparison) cues(item string, old, new []passage) {
	before := map[string]bool{}
	for _, p := range old {
		for _, phrase := range cue.FindAllString(p.text, -1) {
			before[strings.ToLower(phrase)] = true
		}
	}
	for _, p := range new {
		phrase := cue.FindString(p.text)
		if phrase == "" || before[strings.ToLower(phrase)] {
			continue
		}
		c.report("text-instruction-cue-added", finding.Finding{
			Item: item, Path: p.pointer, New: p.raw, Message: fmt.Sprintf("The text says %q, which it did not say before.", phrase),
		})
	}
}

// size looks at how much room the item takes.
func (c *comparison) size(item string, old, new json.RawMessage) {
	if c.ItemBudget <= 0 {
		return
	}
	before, after := compactSize(old), compactSize(new)
	if before <= c.ItemBudget && after > c.ItemBudget {
		c.report("text-size-grew", finding.Finding{
			Item: item, Old: json.RawMessage(strconv.Itoa(before)), New: json.RawMessage(strconv.Itoa(after)),
			Message: fmt.Sprintf("The item takes %d bytes, more than the budget of %d.", after, c.ItemBudget),
		})
	}
}

func compactSize(raw json.RawMessage) int {
	compact, err := snapshot.Canonical(raw)
	if err != nil {
		return len(raw)
	}
	return len(compact)
}
