package usage

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/pkg/schema"
)

// Shape is what is kept of a value: its type, members and items; of a text its length and format, unless it is a choice.
type Shape struct {
	Type    string           `json:"type"`             // "null", "boolean", "integer", "fraction" (a number that is none), "number" (either), "string", "array", "object"
	Value   json.RawMessage  `json:"value,omitempty"`  // the value itself, where it is kept
	Low     json.Number      `json:"from,omitempty"`   // the least that a number may have been, or a text of code points
	High    json.Number      `json:"to,omitempty"`     // the greatest
	Format  string           `json:"format,omitempty"` // of a text, as schema.FormatOf names it
	Members map[string]Shape `json:"members,omitzero"` // of an object; absent = its members are not kept
	Items   []Shape          `json:"items,omitzero"`   // of an array; absent = its items are not kept

	except []string // texts that a text is not
}

// Bounds of what is kept in detail. What is beyond is kept by its type alone, so that schemas that look inside cannot be decided.
const (
	mostDepth   = 16
	mostMembers = 64
	mostItems   = 64
	longestName = 40  // of a member
	longestWord = 24  // of a text that may turn out to be a choice
	longestKept = 200 // of a text that is kept on request
)

// Keep says which texts are kept.
type Keep struct {
	Known map[string]bool // the choices that the tool's schema lists
	All   bool            // keep short texts that hold no secret, as somebody asked
}

// shapeOf is what is kept of the arguments of a call. What is no JSON, or was not recorded, is an object of which nothing is known.
func (k Keep) shapeOf(arguments json.RawMessage) Shape {
	value, err := rawjson.Decode(arguments)
	if err != nil || value == nil {
		return Shape{Type: "object"}
	}
	return k.shape(value, "", 0)
}

func (k Keep) shape(value any, name string, depth int) Shape {
	switch v := value.(type) {
	case nil:
		return Shape{Type: "null"}
	case bool:
		return Shape{Type: "boolean", Value: json.RawMessage(strconv.FormatBool(v))}
	case json.Number:
		return numberShape(v)
	case string:
		return k.text(v, name)
	case []any:
		return k.array(v, name, depth)
	case map[string]any:
		return k.object(v, depth)
	}
	return Shape{Type: "object"}
}

func (k Keep) array(items []any, name string, depth int) Shape {
	if len(items) > mostItems || depth == mostDepth {
		return Shape{Type: "array"}
	}
	kept := lists.Map(items, func(item any) Shape { return k.shape(item, name, depth+1) })
	return Shape{Type: "array", Items: append([]Shape{}, kept...)}
}

// nameLike are the names that people give to members and projects: words, and few digits.
var nameLike = match.Pattern(`^[$@_]?[A-Za-z]+(?:[_.-]?[A-Za-z]+|[_.-]?[0-9]{1,3}){0,8}_?$`)

func (k Keep) object(members map[string]any, depth int) Shape {
	if len(members) > mostMembers || depth == mostDepth {
		return Shape{Type: "object"}
	}
	kept := map[string]Shape{}
	for name, member := range members {
		if !plainName(name) {
			return Shape{Type: "object"} // the name is data
		}
		kept[name] = k.shape(member, name, depth+1)
	}
	return Shape{Type: "object", Members: kept}
}

// plainName tells whether a name is one that somebody gave, and not data.
func plainName(name string) bool {
	digits := 0
	for _, r := range name {
		if r >= '0' && r <= '9' {
			digits++
		}
	}
	return len(name) <= longestName && digits <= 4 && nameLike().MatchString(name) && redact.MaskText(name) == name
}

// wordLike are texts that may be choices.
var wordLike = match.Pattern(`^[A-Za-z][A-Za-z_-]*[0-9]{0,2}$`)

// text keeps a text that is a choice, or may turn out to be one.
func (k Keep) text(text, name string) Shape {
	word := len(text) <= longestWord && wordLike().MatchString(text)
	asked := k.All && len(text) <= longestKept && redact.MaskText(text) == text
	if k.Known[text] || (word || asked) && !redact.Sensitive(name, text) {
		return Shape{Type: "string", Value: rawjson.Quote(text)}
	}
	return hidden(text)
}

func hidden(text string) Shape {
	low, high := lengthRange(utf8.RuneCountInString(text))
	return Shape{Type: "string", Low: low, High: high, Format: schema.FormatOf(text)}
}

// edges are the lengths at which schemas like to end texts: of a text that is not kept it is known between which two of them
// its length is, so that hardly any bound falls between.
var edges = []int{16, 20, 24, 30, 32, 36, 40, 50, 60, 63, 64, 80, 100, 120, 127, 128, 140, 150, 160, 200, 250, 253, 254, 255, 256, 300, 400, 500, 511, 512,
	1000, 1023, 1024, 1500, 2000, 2047, 2048, 2083, 3000, 4000, 4095, 4096, 5000, 8000, 8191, 8192, 10000, 16384, 20000, 32767, 32768, 50000, 65535, 65536, 100000, 131072, 262144, 500000, 1000000}

func lengthRange(n int) (low, high json.Number) {
	from, to := n, n
	if at, _ := slices.BinarySearch(edges, n); at == len(edges) {
		from, to = edges[at-1]+1, max(n, 1<<30)
	} else if at > 0 {
		from, to = edges[at-1]+1, edges[at]
	}
	return json.Number(strconv.Itoa(from)), json.Number(strconv.Itoa(to))
}

// exactDigits is how many digits a number may have that is kept as it is; of others the first two are.
const exactDigits = 3

// longestNumber bounds the numbers that are looked at, in bytes.
const longestNumber = 40

// numberShape keeps a small or round number, and of others a range.
func numberShape(n json.Number) Shape {
	text, exponent, _ := strings.Cut(strings.ToLower(string(n)), "e")
	r, ok := new(big.Rat).SetString(text)
	if len(n) > longestNumber || len(exponent) > 0 || !ok {
		return Shape{Type: "number"}
	}
	if r.IsInt() {
		return ranged("integer", n, r.Num(), r.Num())
	}
	floor := new(big.Int).Div(r.Num(), r.Denom())
	if len(strings.TrimLeft(strings.ReplaceAll(text, ".", ""), "-0")) <= 2 {
		return Shape{Type: "fraction", Value: json.RawMessage(n)}
	}
	return ranged("fraction", n, floor, new(big.Int).Add(floor, big.NewInt(1)))
}

// ranged is a number between two integers, or the number itself where they are one that may be kept.
func ranged(kind string, n json.Number, from, to *big.Int) Shape {
	low, _ := around(from)
	_, high := around(to)
	if low.Cmp(high) == 0 {
		return Shape{Type: kind, Value: json.RawMessage(n)}
	}
	return Shape{Type: kind, Low: json.Number(low.String()), High: json.Number(high.String())}
}

// around is the range of the integers that begin with the same two digits; a small or round one is alone.
func around(n *big.Int) (low, high *big.Int) {
	text := new(big.Int).Abs(n).String()
	if rest := len(text) - 2; len(text) > exactDigits && strings.Trim(text[2:], "0") != "" {
		low, _ = new(big.Int).SetString(text[:2]+strings.Repeat("0", rest), 10)
		high, _ = new(big.Int).SetString(text[:2]+strings.Repeat("9", rest), 10)
	} else {
		low, _ = new(big.Int).SetString(text, 10)
		high = low
	}
	if n.Sign() < 0 {
		return new(big.Int).Neg(high), new(big.Int).Neg(low)
	}
	return low, high
}

// value is the shape as a value that a schema can judge, with schema.Partial for what is not kept.
func (s Shape) value() any {
	return s.filled(func(s Shape) any {
		return schema.Partial{Kind: s.Type, Low: s.Low, High: s.High, Format: s.Format, Except: s.except}
	})
}

// Example is a value of the shape for people to read: what is not kept is told in angle brackets.
func (s Shape) Example() json.RawMessage {
	raw, _ := rawjson.Encode(s.filled(func(s Shape) any { return "<" + s.words() + ">" })) // which always has a JSON
	return raw
}

// filled is the shape as a decoded value, with something in the place of what is not kept.
func (s Shape) filled(with func(Shape) any) any {
	switch {
	case s.Value != nil:
		if value, err := rawjson.Decode(s.Value); err == nil {
			return value
		}
	case s.Type == "null":
		return nil
	case s.Items != nil:
		return append([]any{}, lists.Map(s.Items, func(item Shape) any { return item.filled(with) })...)
	case s.Members != nil:
		members := map[string]any{}
		for name, member := range s.Members {
			members[name] = member.filled(with)
		}
		return members
	}
	return with(s)
}

// each is the shape with what is made of its texts, in order, each with its place; all items of an array are at one.
func (s Shape) each(pointer string, made func(pointer string, text Shape) Shape) Shape {
	if s.Type == "string" {
		return made(pointer, s)
	}
	s.Items = slices.Clone(s.Items)
	for i, item := range s.Items {
		s.Items[i] = item.each(rawjson.Join(pointer, "*"), made)
	}
	members := s.Members
	s.Members = maps.Clone(members)
	for _, name := range lists.SortedKeys(members) {
		s.Members[name] = members[name].each(rawjson.Join(pointer, name), made)
	}
	return s
}

// words say what is known of a value that is not kept.
func (s Shape) words() string {
	between := string(s.Low)
	if s.Low != s.High {
		between += "–" + string(s.High)
	}
	switch {
	case s.Type == "string" && s.Format != "":
		return s.Format
	case s.Type == "string" && s.Low != "":
		return fmt.Sprintf("text of %s characters", between)
	case s.Low != "":
		return s.Type + " " + between
	}
	return s.Type
}

// Bounds of the results that are looked at, and of what is kept of one.
const (
	longestAnswer = 4 << 20
	mostPlaces    = 400
)

// unkept stands for members that are not kept.
const unkept = "…"

// held are places in a result at which there was something, as JSON pointers with * for every item of an array.
type held map[string]bool

// heldIn is where a result held something, sorted; nil = it is no structured one, or is not recorded.
func heldIn(result json.RawMessage) []string {
	if len(result) > longestAnswer {
		return nil
	}
	value, _ := rawjson.Decode(result) // what is none has no structure
	h := held{}
	switch value = structured(value); value.(type) {
	case []any, map[string]any:
		h.add("", value, 0)
		return append([]string{}, lists.SortedKeys(h)...)
	}
	return nil
}

// structured is what a program reads of a result: its structured content, or the one text in which servers are to repeat it.
func structured(value any) any {
	switch v := value.(type) {
	case string:
		value, _ := rawjson.Decode([]byte(v)) // mostly prose
		if _, again := value.(string); !again {
			return structured(value)
		}
		return nil
	case map[string]any:
		content, isList := v["content"].([]any)
		if v["structuredContent"] != nil {
			return v["structuredContent"]
		}
		if isList && blocks(content) {
			return structured(content)
		}
	case []any:
		if len(v) > 0 && blocks(v) {
			one, _ := v[0].(map[string]any)
			if len(v) > 1 {
				return nil
			}
			return structured(one["text"])
		}
	}
	return value
}

// blocks tells whether items are the blocks of content of which the protocol makes results.
func blocks(items []any) bool {
	return !slices.ContainsFunc(items, func(item any) bool {
		block, _ := item.(map[string]any)
		kind, _ := block["type"].(string)
		return !slices.Contains([]string{"text", "image", "audio", "resource", "resource_link"}, kind)
	})
}

func (h held) add(at string, value any, depth int) {
	items, _ := value.([]any)
	members, _ := value.(map[string]any)
	named := lists.SortedKeys(members)
	data := len(named) > mostMembers || slices.ContainsFunc(named, func(name string) bool { return !plainName(name) })
	switch inside := len(items)+len(named) > 0; {
	case len(h) >= mostPlaces:
		h["/"+unkept] = true
		return
	case inside && (depth == mostDepth || data):
		h[at+"/"+unkept] = true
		return
	}
	for _, item := range items {
		h[at+"/*"] = true
		h.add(at+"/*", item, depth+1)
	}
	for _, name := range named {
		place := rawjson.Join(at, name)
		h[place] = true
		h.add(place, members[name], depth+1)
	}
}

// held tells whether there was something at a place of the answer, and whether that is known; * in it is every item and member.
func (r *Record) held(steps []string) (held, known bool) {
	known = true
	for _, place := range r.Answer {
		at := rawjson.Split(place)
		last := len(at) - 1
		switch {
		case at[last] != unkept:
			held = held || len(at) == len(steps) && along(at, steps)
		case last < len(steps):
			known = known && !along(at[:last], steps)
		}
	}
	return held, held || known
}

// along tells whether a place lies on the way.
func along(at, steps []string) bool {
	for i, step := range at {
		if step != "*" && steps[i] != "*" && step != steps[i] {
			return false
		}
	}
	return true
}
