package report

import (
	"cmp"
	"encoding/json"
	"strings"
)

// narrow is the page width below which parameters stand one below the other instead of in a grid.
const narrow = 64

// parameters writes what an item takes or gives: name, type, whether it is required, default and description.
func (p *page) parameters(label safe, all []parameter) error {
	if len(all) == 0 {
		return nil
	}
	p.line(4, span{label, dim})
	if p.Width > 0 && p.Width < narrow {
		for _, one := range all {
			p.stacked(one)
		}
		return nil
	}
	g := grid{wrapped: true, columns: []column{{title: "NAME", least: 10}, {title: "TYPE", least: 10},
		{title: "REQUIRED"}, {title: "DEFAULT"}, {title: "DESCRIPTION", least: 14}}}
	for _, one := range all {
		g.rows = append(g.rows, one.row())
	}
	return p.grid(6, g)
}

func (p parameter) row() []span {
	needed := span{"no", dim}
	if p.required {
		needed = span{"yes", noInk}
	}
	return []span{
		{visible(p.name), bold},
		{visible(p.kind()), noInk},
		needed,
		{visible(compact(parse(p.schema)["default"])), noInk},
		{oneLine(parse(p.schema).text("description")), noInk},
	}
}

func (p *page) stacked(one parameter) {
	row := one.row()
	facts := row[1].text
	if one.required {
		facts += ", required"
	}
	if row[3].text != "" {
		facts += ", default " + row[3].text
	}
	p.text(6, 2, row[0], span{"  " + facts, noInk})
	if row[4].text != "" {
		p.text(8, 0, row[4])
	}
}

// oneLine is all of a text with each run of white space, line breaks included, as one space.
func oneLine(s string) safe { return visible(strings.Join(strings.Fields(s), " ")) }

// kind is the type of a parameter with the limits that its schema sets.
func (p parameter) kind() string {
	s := parse(p.schema)
	kind := strings.TrimSpace(shape(p.schema, shapeDepth) + " " + interval(s["minimum"], s["maximum"]))
	return strings.Join(append([]string{kind}, limits(s)...), ", ")
}

// limits are the bounds that a schema sets beside its type: "length ≤ 5", "pattern ^a".
func limits(s object) []string {
	var all []string
	for _, l := range []struct{ label, least, most string }{
		{"exclusive ", "exclusiveMinimum", "exclusiveMaximum"}, {"length ", "minLength", "maxLength"}, {"items ", "minItems", "maxItems"}, {"members ", "minProperties", "maxProperties"},
	} {
		if bounds := interval(s[l.least], s[l.most]); bounds != "" {
			all = append(all, l.label+bounds)
		}
	}
	for _, keyword := range []string{"multipleOf", "format", "pattern"} {
		if value := cmp.Or(s.text(keyword), compact(s[keyword])); value != "" {
			all = append(all, keyword+" "+value)
		}
	}
	return all
}

// interval is a range whose ends are raw numbers; nil = no end.
func interval(least, most json.RawMessage) string {
	switch {
	case least != nil && most != nil:
		return compact(least) + ".." + compact(most)
	case least != nil:
		return "≥ " + compact(least)
	case most != nil:
		return "≤ " + compact(most)
	}
	return ""
}
