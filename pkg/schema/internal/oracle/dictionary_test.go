package oracle

import (
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/pkg/schema/internal/pattern"
)

// A dictionary is what two schemas mention: values, names, and what lies at and beside their bounds. Random
// values are made of it, so that they meet the places where the schemas differ.
type dictionary struct {
	values, numbers []any
	texts, names    []string
}

// read adds what a part of a schema mentions; keyword is where it stands.
func (d *dictionary) read(part any, keyword string) {
	switch v := part.(type) {
	case map[string]any:
		if keyword == "const" || keyword == "enum" {
			d.values = append(d.values, v)
			return
		}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			switch keyword {
			case "properties", "dependentRequired", "dependentSchemas", "dependencies":
				d.names = append(d.names, k)
				d.read(v[k], "")
			case "patternProperties":
				d.names = append(d.names, samples(k)...)
				d.read(v[k], "")
			default:
				d.read(v[k], k)
			}
		}
	case []any:
		for _, item := range v {
			d.read(item, keyword)
		}
	case json.Number:
		d.bound(v, keyword)
	case string:
		switch keyword {
		case "pattern":
			d.texts = append(d.texts, samples(v)...)
			d.names = append(d.names, samples(v)...)
		case "required", "":
			d.names = append(d.names, v)
		case "const", "enum":
			d.texts = append(d.texts, v)
			d.names = append(d.names, v)
		}
	case nil, bool:
		if keyword == "const" || keyword == "enum" {
			d.values = append(d.values, v)
		}
	}
}

// bound adds a number and its neighbours, and texts as long.
func (d *dictionary) bound(n json.Number, keyword string) {
	r, ok := new(big.Rat).SetString(string(n))
	if !ok || !writable(n) {
		return
	}
	d.numbers = append(d.numbers, n)
	for _, step := range []*big.Rat{big.NewRat(-1, 1), big.NewRat(1, 1), big.NewRat(1, 2), big.NewRat(-1, 1000)} {
		near := new(big.Rat).Add(r, step)
		if digits, exact := near.FloatPrec(); exact {
			d.numbers = append(d.numbers, json.Number(near.FloatString(digits)))
		}
	}
	if keyword == "multipleOf" {
		d.numbers = append(d.numbers, json.Number(new(big.Rat).Mul(r, big.NewRat(3, 1)).FloatString(6)))
	}
	if strings.HasSuffix(keyword, "Length") && r.IsInt() && r.Num().IsInt64() && r.Num().Int64() < 300 {
		for length := max(0, r.Num().Int64()-1); length < r.Num().Int64()+2; length++ {
			d.texts = append(d.texts, strings.Repeat("a", int(length)), strings.Repeat("é", int(length)))
		}
	}
}

// samples returns a few strings that a pattern matches.
func samples(source string) []string {
	p, err := pattern.Parse(source)
	if err != nil {
		return nil
	}
	return p.Samples(8)
}
