package call

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/yosida95/uritemplate/v3"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Expand fills in a URI template (RFC 6570). A URI without variables stays as it is. A variable without a value is a
// problem, except in a query, where templates have what may be left out.
func Expand(text string, values map[string]string) (uri string, problems []Problem) {
	if !strings.Contains(text, "{") && len(values) == 0 {
		return text, nil
	}
	template, err := uritemplate.New(text)
	if err != nil {
		return text, []Problem{{Message: fmt.Sprintf("is no URI template: %v", err)}}
	}
	known := uritemplate.Values{}
	names := template.Varnames()
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if known.Set(name, uritemplate.String(values[name])); !slices.Contains(names, name) {
			problems = append(problems, Problem{Path: pointer(name), Message: "is no variable of the template", Word: name, Words: names})
		}
	}
	for _, name := range names {
		if _, given := values[name]; !given && !optional(text, name) {
			problems = append(problems, Problem{Path: pointer(name), Message: "is required, and missing"})
		}
	}
	uri, err = template.Expand(known)
	if err != nil {
		return text, append(problems, Problem{Message: fmt.Sprintf("cannot be expanded: %v", err)})
	}
	return uri, problems
}

// optional tells whether a variable stands in a query only: {?name} or {&name}.
func optional(template, name string) bool {
	for part := range strings.SplitSeq(template, "{") {
		inside, _, ok := strings.Cut(part, "}")
		if !ok || !slices.ContainsFunc(strings.Split(strings.TrimLeft(inside, "+#./;?&"), ","), func(v string) bool {
			v, _, _ = strings.Cut(strings.TrimSuffix(v, "*"), ":")
			return v == name
		}) {
			continue
		}
		if inside[0] != '?' && inside[0] != '&' {
			return false
		}
	}
	return true
}

// CheckPrompt is what is wrong with the arguments of a prompt: all are texts, and the item says which ones there are. One
// that declares none at all may take some.
func CheckPrompt(prompt snapshot.Item, values map[string]string) (problems []Problem) {
	var names []string
	arguments, _ := rawjson.Elements(prompt.Arguments())
	for _, raw := range arguments {
		argument := fields(raw)
		name := word(argument["name"])
		names = append(names, name)
		if _, given := values[name]; !given && string(argument["required"]) == "true" {
			problems = append(problems, Problem{Path: pointer(name), Message: "is required, and missing"})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if len(names) > 0 && !slices.Contains(names, name) {
			problems = append(problems, Problem{Path: pointer(name), Message: "is no argument of this prompt", Word: name, Words: names})
		}
	}
	return problems
}
