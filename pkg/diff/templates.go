package diff

import (
	"regexp"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

// expression is one part of a URI template (RFC 6570): a fixed text, or variables under an operator.
type expression struct {
	text      string // of a fixed part
	operator  string
	variables []string // with their modifiers, such as "path*" or "id:3"
}

var templatePart = regexp.MustCompile(`\{([+#./;?&]?)([^{}]*)\}|[^{}]+|[{}]`)

// parseTemplate splits a URI template; what is no expression is fixed text.
func parseTemplate(template string) []expression {
	var parts []expression
	for _, m := range templatePart.FindAllStringSubmatch(template, -1) {
		if m[2] == "" {
			parts = append(parts, expression{text: m[0]})
			continue
		}
		parts = append(parts, expression{operator: m[1], variables: strings.Split(m[2], ",")})
	}
	return parts
}

// uriTemplate reports how one URI template became another.
func (c *comparison) uriTemplate(f finding.Finding, old, new string) {
	before, after := parseTemplate(old), parseTemplate(new)
	oldVariables, oldShape := required(before)
	newVariables, newShape := required(after)
	switch {
	case slices.Equal(oldShape, newShape) && !slices.Equal(oldVariables, newVariables):
		c.report("template-variable-renamed", f)
	case len(newVariables) > len(oldVariables) && contains(newVariables, oldVariables):
		c.report("template-variable-added", f)
	case len(newVariables) < len(oldVariables) && contains(oldVariables, newVariables):
		c.report("template-variable-removed", f)
	case !slices.Equal(oldShape, newShape):
		c.report("template-uri-changed", f)
	}
	c.queryVariables(f, query(before), query(after))
}

// queryVariables compares variables that a URI can leave out.
func (c *comparison) queryVariables(f finding.Finding, old, new []string) {
	f.Level = finding.Info
	if !contains(old, new) {
		c.report("template-variable-added", f)
	}
	f.Level = finding.Breaking
	if !contains(new, old) {
		c.report("template-variable-removed", f)
	}
}

// required are the variables that every URI of the template has, and the template with a mark in the place of each.
func required(parts []expression) (variables, shape []string) {
	for _, part := range parts {
		switch part.operator {
		case "?", "&":
		default:
			shape = append(shape, part.operator+part.text)
			for _, variable := range part.variables {
				name := strings.TrimRight(strings.SplitN(variable, ":", 2)[0], "*")
				variables = append(variables, name)
				shape = append(shape, "{"+strings.TrimPrefix(variable, name)+"}")
			}
		}
	}
	return variables, shape
}

// query are the variables of a template that stand in its query.
func query(parts []expression) []string {
	var variables []string
	for _, part := range parts {
		if part.operator == "?" || part.operator == "&" {
			variables = append(variables, part.variables...)
		}
	}
	return variables
}

// contains tells whether all parts are in the whole.
func contains(whole, parts []string) bool {
	return !slices.ContainsFunc(parts, func(part string) bool { return !slices.Contains(whole, part) })
}
