package config

import (
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/redact"
)

// mostReadings is how many readings of one text are tried.
const mostReadings = 256

// readings returns what a text can become, as far as its file decides that. A variable with a default stands
// for that, or as ${NAME} if it is set; an input for its default, an option, or itself. The first reading has
// only defaults. A path can also end the host of a URL before an "@". all is false if there are more readings
// than are returned.
func (x expander) readings(s string) (texts []string, all bool) {
	var open []string
	x.addOpen(&open, s)
	chosen := map[string]int{}
	for {
		text := x.reading(s, chosen)
		texts = append(texts, text)
		for _, at := range variables().FindAllStringIndex(text, -1) {
			name, _, _ := innerOf(text[at[0]:at[1]])
			if strings.Contains(text[at[1]:], "@") && (everyday().MatchString(name) || redact.IsPlace(name)) {
				texts = append(texts, text[:at[0]]+"?"+text[at[1]:])
			}
		}
		next := slices.IndexFunc(open, func(inner string) bool { return chosen[inner]+1 < x.choices(inner) })
		switch {
		case next < 0:
			return kit.Distinct(texts), true
		case len(texts) >= mostReadings:
			return kit.Distinct(texts), false
		}
		chosen[open[next]]++ // as a number whose digits are the choices
		for _, inner := range open[:next] {
			chosen[inner] = 0
		}
	}
}

// defaults returns the first reading of a text.
func (x expander) defaults(s string) string { return x.reading(s, nil) }

// addOpen adds the variables in a text that have several readings, also those in defaults.
func (x expander) addOpen(open *[]string, s string) {
	for s != "" {
		_, token, rest := x.next(s)
		s = rest
		if token == "" {
			continue
		}
		inner, fallback, has := innerOf(token)
		isInput := strings.HasPrefix(inner, "input:")
		if (has || isInput && x.choices(inner) > 1) && !slices.Contains(*open, inner) {
			*open = append(*open, inner)
		}
		if x.depth < maxDefaults {
			x.depth++
			x.addOpen(open, fallback)
			x.depth--
		}
	}
}

// innerOf returns the name in a variable, or input:ID, and its default.
func innerOf(token string) (inner, fallback string, has bool) {
	inner = strings.TrimPrefix(strings.TrimSuffix(strings.TrimLeft(token, "${"), "}"), "env:")
	return strings.Cut(inner, ":-")
}

// choices returns how many readings a variable has.
func (x expander) choices(inner string) int {
	if id, ok := strings.CutPrefix(inner, "input:"); ok {
		return len(x.answers(id))
	}
	return 2
}

// answers returns what may stand for an input, its default first.
func (x expander) answers(id string) []string {
	in, itself := x.inputs[id], "${input:"+id+"}"
	values := []string{itself}
	if in.Default != "" {
		values = []string{in.Default, itself}
	}
	return append(values, kit.Map(in.Options, func(o Option) string { return o.Value })...)
}

// reading returns a text with what was chosen for its variables; 0 is the default.
func (x expander) reading(s string, chosen map[string]int) string {
	var out strings.Builder
	for s != "" {
		literal, token, rest := x.next(s)
		out.WriteString(literal)
		s = rest
		if token == "" {
			continue
		}
		inner, fallback, has := innerOf(token)
		folder, isFolder := x.directory(inner)
		id, isInput := strings.CutPrefix(inner, "input:")
		switch {
		case isFolder:
			out.WriteString(folder)
		case isInput:
			out.WriteString(x.answers(id)[chosen[inner]])
		case chosen[inner] == 0 && has && x.depth < maxDefaults:
			x.depth++
			out.WriteString(x.reading(fallback, chosen))
			x.depth--
		default:
			out.WriteString("${" + inner + "}")
		}
	}
	return out.String()
}
