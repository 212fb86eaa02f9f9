package report

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// found is a text of an item that matches a pattern, and its place, such as "search(query).description".
type found struct{ place, text string }

// writeMatches writes a line for each item: its server, its name, and the lines of its texts that match, each
// behind its place. A terminal shows what fits.
func writeMatches(p *page, servers []server, pattern *regexp.Regexp) {
	m := matcher{p.Options, pattern}
	defer writeFailures(p, servers)
	if !slices.ContainsFunc(servers, server.offers) &&
		slices.ContainsFunc(servers, func(s server) bool { return s.State == seen.OK }) {
		p.line(0, span{"no items", plain})
	}
	for _, s := range servers {
		for _, k := range snapshot.Kinds() {
			for _, raw := range *s.Items(k) {
				p.print(line{hang: 4, rows: m.rows(), spans: m.matchingItem(s.Name, k, raw)})
			}
		}
	}
}

// matcher shows what matches a pattern.
type matcher struct {
	Options
	*regexp.Regexp
}

// rows returns how many rows an item may take: one where long texts are shown in part.
func (m matcher) rows() int {
	if m.folds() {
		return 1
	}
	return 0
}

// matchingItem returns the line of an item that matches.
func (m matcher) matchingItem(server string, k snapshot.Kind, raw json.RawMessage) []span {
	name, spans := key(k, raw), []span{{server + "  ", dim}}
	if m.MatchString(name) {
		spans = append(spans, m.matching(name)...)
	} else {
		spans = append(spans, span{name, bold})
	}
	separator := "  "
	for _, f := range m.matches(k, raw) {
		if f.place == name {
			continue
		}
		place := strings.TrimPrefix(strings.TrimPrefix(f.place, name), ".")
		spans = append(spans, span{separator, plain}, span{place + ": ", dim})
		spans = append(spans, m.matching(f.text)...)
		separator = "; "
	}
	return spans
}

// offers reports whether s has items of any kind.
func (s server) offers() bool {
	return slices.ContainsFunc(snapshot.Kinds(), func(k snapshot.Kind) bool { return len(*s.Items(k)) > 0 })
}

// matches returns the names and texts of an item that match the pattern, in their order; at least the name
// of the item.
func (m matcher) matches(k snapshot.Kind, raw json.RawMessage) (all []found) {
	name, arguments := key(k, raw), seen.Arguments(k, raw)
	add := func(place, text string) {
		if m.MatchString(text) && !slices.Contains(all, found{place, text}) {
			all = append(all, found{place, text})
		}
	}
	for _, argument := range arguments {
		add(name+"("+argument.Name+")", argument.Name)
	}
	rawjson.Strings(raw, func(steps []string, text string, isName bool) {
		switch last := len(steps) - 1; {
		case last < 0 || isName:
		case last == 0 && steps[0] == k.KeyField():
			add(name, text)
		case k == snapshot.Prompts && last > 1 && steps[0] == "arguments":
			i, err := strconv.Atoi(steps[1])
			if err == nil && i < len(arguments) && steps[last] != "name" {
				add(name+"("+arguments[i].Name+")."+steps[last], text)
			}
		default:
			add(placeIn(name, steps), text)
		}
	})
	if len(all) == 0 { // the name of a member matches
		all = []found{{place: name}}
	}
	return all
}

// placeIn returns a place in an item as a person names it: "search(query).description".
func placeIn(name string, steps []string) string {
	if names := rawjson.Properties(steps); len(names) > 0 {
		name += "(" + strings.Join(names, ".") + ")"
	}
	last := steps[len(steps)-1]
	if _, err := strconv.Atoi(last); err == nil && len(steps) > 1 { // an element of a list
		last = steps[len(steps)-2]
	}
	return name + "." + last
}

// matching returns the line of a text that matches, with some of its context, and what matches in it marked.
func (m matcher) matching(text string) []span {
	at := m.FindStringIndex(text)
	if at == nil {
		return nil
	}
	before, after := text[:at[0]], text[at[1]:]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	after, _, _ = strings.Cut(after, "\n")
	if m.folds() {
		before, after = nearWords(before, false, true), nearWords(after, true, false)
	}
	return []span{{strings.TrimLeft(before, " \t"), plain}, {text[at[0]:at[1]], yellow}, {after, plain}}
}
