package diff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/wording"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// maxQuoted is the longest text in bytes that a finding shows whole: it may name thousands of things.
const maxQuoted = 4 << 10

type passage struct {
	pointer string
	text    string
}

// extended returns a pointer with further steps, up to a length in bytes. Deeper texts are reported at a
// value around them: a long name over many short texts would be repeated.
func extended(pointer string, steps []string) string {
	const longest = 1 << 10
	for _, step := range steps {
		if len(pointer)+len(step) >= longest {
			continue
		}
		if inner := rawjson.Join(pointer, step); len(inner) <= longest {
			pointer = inner
		}
	}
	return pointer
}

// textsOf returns the texts inside a value at a pointer and under a key, sorted by place: those that a model
// reads, and those with invisible characters, which may be names of members.
func textsOf(pointer, key string, raw json.RawMessage) (read, hiding []passage) {
	rawjson.Strings(raw, func(steps []string, text string, isName bool) {
		member := key
		if len(steps) > 0 {
			member = steps[len(steps)-1]
		}
		if !isName && (member == "description" || member == "title") {
			read = append(read, passage{extended(pointer, steps), text})
		}
		if len(snapshot.Hidden(text)) > 0 {
			hiding = append(hiding, passage{extended(pointer, steps), text})
		}
	})
	byPlace := func(a, b passage) int { return strings.Compare(a.pointer, b.pointer) }
	slices.SortStableFunc(read, byPlace)
	slices.SortStableFunc(hiding, byPlace)
	return read, hiding
}

// compareTexts looks at what the texts of an item say on the new side only. path is the JSON pointer of the
// values.
func compareTexts(c *comparison, item, path string, old, new json.RawMessage) {
	was, hidden := textsOf(path, "description", old)
	is, hiding := textsOf(path, "description", new)
	findHidden(c, item, new, hidden, hiding)
	findNew(c, "text-url-added", item, was, is, hostsIn,
		func(host string) string { return host })
	otherTools := func(text string) []string {
		return kit.Filter(words(text), func(name string) bool {
			return c.names[name] && item != snapshot.Tools.ID(name)
		})
	}
	findNew(c, "text-tool-reference-added", item, was, is, otherTools, code)
	findOrders(c, item, path, old, new)
	findUnreported(c, item, was, is, newDefinitions(old, new))
}

// findInNew looks for what may attack the model in a value that is new, beside the finding that it is.
func findInNew(c *comparison, item, path string, new json.RawMessage) {
	_, hiding := textsOf(path, "", new)
	findHidden(c, item, new, nil, hiding)
	findOrders(c, item, path, nil, new)
}

// findInServer does so for all that a new server says.
func findInServer(c *comparison, new *snapshot.Snapshot) {
	findInNew(c, "", instructions, rawjson.Quote(new.Instructions))
	findInNew(c, "", "/serverInfo", new.Server)
	for _, kind := range snapshot.Kinds() {
		for _, item := range new.List(kind).Items() {
			findInNew(c, kind.ID(item.Key), "", item.Raw)
		}
	}
}

// said is a text of an item, and what it is.
type said struct {
	passage
	prose bool // a description, title or instructions
}

// shortestSaid is the size in bytes of the shortest text that can give an order.
const shortestSaid = 7

// saidIn returns all texts inside a value at a pointer, names included, that others do not have.
func saidIn(path string, raw json.RawMessage, others map[string]bool) (all []said) {
	rawjson.Strings(raw, func(steps []string, text string, isName bool) {
		if len(text) < shortestSaid || others[text] {
			return
		}
		last := path // instructions are a text by themselves
		if len(steps) > 0 {
			last = steps[len(steps)-1]
		}
		prose := !isName && (last == "description" || last == "title" || last == instructions)
		all = append(all, said{passage{extended(path, steps), text}, prose})
	})
	return all
}

// findOrders looks for texts of an item that read like orders to the model, as check reads them, where no
// text of the old side gives that order. Only texts that are new are read, and of each its worst order is
// reported.
func findOrders(c *comparison, item, path string, old, new json.RawMessage) {
	before := map[string]bool{}
	rawjson.Strings(old, func(_ []string, text string, _ bool) { before[text] = true })
	known := sync.OnceValue(func() map[string]bool { // orders of the old side, if there is one to look for
		orders := map[string]bool{}
		for _, was := range saidIn(path, old, nil) {
			for _, o := range wording.Commands(was.text, was.prose) {
				orders[strings.ToLower(o.Passage)] = true
			}
		}
		return orders
	})
	for _, s := range saidIn(path, new, before) {
		if c.ctx.Err() != nil {
			return
		}
		for _, o := range wording.Commands(s.text, s.prose) {
			if known()[strings.ToLower(o.Passage)] {
				continue
			}
			shown := o.Passage
			if len(s.text) <= maxQuoted && len(rawjson.Quote(s.text)) <= maxQuoted {
				shown = s.text
			}
			c.reportOn(either(o.Strict, unexcused, byRule), "text-instruction-cue-added",
				finding.Finding{Item: item, Path: s.pointer, New: rawjson.Quote(shown), Passage: o.Passage,
					Message: o.String()})
			break
		}
	}
}

// findUnreported looks for texts of a tool's schemas that are new and that no finding shows, such as those
// below a part that was replaced. Texts of new definitions belong to the finding of what refers to them.
func findUnreported(c *comparison, item string, old, new []passage, definitions map[string]bool) {
	known, before := map[string]bool{"": true}, map[string]json.RawMessage{}
	for _, p := range old {
		known[normal(p.text)], before[p.pointer] = true, rawjson.Quote(p.text)
	}
	for _, f := range c.findings {
		shown, _ := textsOf("", "description", f.New)
		for _, p := range shown {
			known[normal(p.text)] = true
		}
	}
	count := 0
	for _, p := range new {
		if known[normal(p.text)] || repeatsItsName(p) || count == maxListed ||
			definitions[definition().FindString(p.pointer)] ||
			!strings.HasPrefix(p.pointer, "/inputSchema/") &&
				!strings.HasPrefix(p.pointer, "/outputSchema/") {
			continue
		}
		known[normal(p.text)] = true
		count++
		isNew := before[p.pointer] == nil
		rules := propertyDescriptions.of(either(strings.HasPrefix(p.pointer, "/input"), finding.Input,
			finding.Output))
		c.report(either(isNew, rules.added, rules.changed), finding.Finding{
			Item: item, Path: parent(p.pointer), Member: p.pointer[len(parent(p.pointer))+1:],
			Old: before[p.pointer], New: rawjson.Quote(p.text),
			Message: "A text in the schema " + either(isNew, "is new.", "changed."),
			Cause:   "Texts in schemas changed",
		})
	}
}

// definition matches the pointer of the definition that a text is in.
var definition = kit.Pattern(`^/(inputSchema|outputSchema)/(\$defs|definitions)/[^/]*`)

// newDefinitions returns the pointers of the definitions that a tool has now, and that what is not in
// definitions refers to, directly or by others.
func newDefinitions(old, new json.RawMessage) map[string]bool {
	if !bytes.Contains(new, []byte(`"$defs"`)) && !bytes.Contains(new, []byte(`"definitions"`)) {
		return nil
	}
	had, all, refers := map[string]bool{}, map[string]bool{}, map[string][]string{}
	rawjson.Strings(old, func(steps []string, _ string, _ bool) {
		had[definition().FindString(extended("", steps))] = true
	})
	rawjson.Strings(new, func(steps []string, text string, isName bool) {
		if local, is := strings.CutPrefix(text, "#/"); is && !isName && steps[len(steps)-1] == "$ref" {
			from := definition().FindString(extended("", steps))
			refers[from] = append(refers[from], definition().FindString("/"+steps[0]+"/"+local))
		}
	})
	for open := refers[""]; len(open) > 0; open = open[1:] {
		if d := open[0]; !all[d] && d != "" {
			all[d] = true
			open = append(open, refers[d]...)
		}
	}
	maps.DeleteFunc(all, func(d string, _ bool) bool { return had[d] })
	return all
}

// repeatsItsName reports whether a text is the title that a generator makes of the name of a property.
func repeatsItsName(p passage) bool {
	steps := rawjson.Split(p.pointer)
	n := len(steps)
	return n > 2 && steps[n-1] == "title" && steps[n-3] == "properties" && repeatsName(p.text, steps[n-2])
}

// findHidden looks for texts of an item in which invisible characters are new. whole is all of the item.
func findHidden(c *comparison, item string, whole json.RawMessage, old, new []passage) {
	before := map[string]string{}
	for _, p := range old {
		before[p.pointer] += string(snapshot.Hidden(p.text))
	}
	const rule = "text-hidden-characters-added"
	texts := 0
	for _, p := range new {
		hidden := slices.DeleteFunc(snapshot.Hidden(p.text),
			func(r rune) bool { return strings.ContainsRune(before[p.pointer], r) })
		if len(hidden) == 0 {
			continue
		}
		if texts++; texts <= maxListed {
			c.report(rule, finding.Finding{Item: item, Path: p.pointer, New: rawjson.Quote(p.text),
				Message: fmt.Sprintf("The text now contains %s (first: %U).",
					kit.Counted(len(hidden), "invisible character"), hidden[0])})
		}
	}
	if texts > maxListed {
		c.report(rule, finding.Finding{Item: item, New: whole, Message: fmt.Sprintf(
			"%s now contain invisible characters.", kit.Counted(texts-maxListed, "more text"))})
	}
}

var address = kit.Pattern(`(?i)\bhttps?://([^\s/?#"'<>()\[\]{}\\` + "`" + `,;|]+)`)

// findNew looks for what the texts of an item name now and none of them named before, each once. written
// returns a name as it is in the message.
func findNew(c *comparison, rule, item string, old, new []passage, named func(text string) []string,
	written func(name string) string) {
	known := map[string]bool{}
	for _, p := range old {
		for _, name := range named(p.text) {
			known[strings.ToLower(name)] = true
		}
	}
	for _, p := range new {
		for _, name := range named(p.text) {
			if !known[strings.ToLower(name)] {
				known[strings.ToLower(name)] = true
				shown := name
				if len(p.text) <= maxQuoted && len(rawjson.Quote(p.text)) <= maxQuoted {
					shown = p.text
				}
				f := finding.Finding{Item: item, Path: p.pointer, New: rawjson.Quote(shown), Passage: name}
				c.report(rule, f, "name", written(name))
			}
		}
	}
}

// hostsIn returns the hosts that a text names, without user information and a trailing dot.
func hostsIn(text string) []string {
	return kit.Map(address().FindAllStringSubmatch(text, -1), func(m []string) string {
		host := m[1][strings.LastIndex(m[1], "@")+1:]
		return strings.ToLower(strings.TrimRight(host, ".:"))
	})
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
	before, after := rawjson.Size(old), rawjson.Size(new)
	if c.ItemBudget > 0 && before <= c.ItemBudget && after > c.ItemBudget {
		c.report("text-size-grew", finding.Finding{
			Item: item, Old: json.RawMessage(strconv.Itoa(before)), New: json.RawMessage(strconv.Itoa(after)),
			Message: fmt.Sprintf("The item takes %d bytes, more than the budget of %d.", after, c.ItemBudget),
		})
	}
}
