package report

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// document adds a page about servers that their authors can publish: an index of the items, and a section for
// each of them.
func (c *comment) document(r *Report) {
	for _, s := range r.Servers {
		c.add(chapter{},
			"<h3>"+string(prose(strings.TrimSpace(s.Name+" "+serverName(rawjson.ObjectOf(s.ServerInfo)))))+
				"</h3>\n"+paragraphs(s.Instructions))
		for _, k := range snapshot.Kinds() {
			index := chapter{"<p><b>" + strings.ToLower(heading(k)) + "</b></p>\n<ul>\n", "</ul>\n"}
			for _, raw := range *s.Items(k) {
				c.add(index, fmt.Sprintf("<li>%s %s</li>\n", code(key(k, raw)), prose(firstLine(about(raw)))))
			}
		}
		for _, k := range snapshot.Kinds() {
			for _, raw := range *s.Items(k) {
				head := fmt.Sprintf("<h3>%s</h3>\n", code(key(k, raw)+takes(k, raw)))
				head += paragraphs(about(raw)) + paragraphs(strings.Trim(hintsInBrackets(k, raw), "[]"))
				c.add(chapter{}, head+parameterTable("Argument", argumentsOf(k, raw))+
					resultTable(k, raw), head)
			}
		}
	}
}

// paragraphs returns the lines of a text.
func paragraphs(text string) string {
	return strings.Join(kit.Map(lines(text), func(l string) string {
		if l == "" {
			return ""
		}
		return "<p>" + string(prose(l)) + "</p>\n"
	}), "")
}

func resultTable(k snapshot.Kind, raw json.RawMessage) string {
	if k != snapshot.Tools {
		return ""
	}
	return parameterTable("Result", propertiesOf(rawjson.ObjectOf(rawjson.ObjectOf(raw)["outputSchema"])))
}

// parameterTable returns a table of what an item takes or returns; of nothing it is empty.
func parameterTable(title string, all []parameter) string {
	if len(all) == 0 {
		return ""
	}
	table := "<table>\n<tr><th>" + title +
		"</th><th>Type</th><th>Required</th><th>Default</th><th>Description</th></tr>\n"
	for _, one := range requiredFirst(all) {
		cells := kit.Map(parameterRow(one), func(cell span) string { return string(prose(cell.text)) })
		cells[0], cells[1] = string(code(one.Name)), string(code(one.Type()))
		table += "<tr><td>" + strings.Join(cells, "</td><td>") + "</td></tr>\n"
	}
	return table + "</table>\n"
}
