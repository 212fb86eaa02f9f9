package check

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

// fleetRows are about servers that one client has at the same time.
func fleetRows() []row {
	return []row{
		{Rule: finding.Rule{
			ID: "tool-name-shared", Level: finding.Warning,
			Title:   "Several servers have a tool of this name",
			Doc:     "A client that does not put the server's name before the tool's offers one of them only, or refuses to start. Which one is not defined; the first by the servers' names is told.",
			Example: `files has search, notes has search`,
			Instead: "Give the tool a name that says what it belongs to, or switch it off in one of the servers.",
		}, together: sharedNames},
		{Rule: finding.Rule{
			ID: "tool-name-confusable", Level: finding.Warning,
			Title:   "Two tools have names that look alike",
			Doc:     "The names differ in case, separators or letters of another script that look the same. A model mixes them up, and one can be made to be taken for the other.",
			Example: `read_file and readFile; "pay" with a Cyrillic "а"`,
			Instead: "Rename one of them.",
		}, together: confusableNames},
		{Rule: finding.Rule{
			ID: "text-names-other-server", Level: finding.Warning,
			Title:   "A text names a tool of another server",
			Doc:     "A description that speaks of another server's tool can change how that one is used: the way that published attacks take over a trusted server (tool shadowing, Invariant Labs, 2025-04-01).",
			Example: `"Before send_email is used, …" in a server that has no send_email`,
			Instead: "Speak of the server's own tools only.",
		}, together: foreignTools},
		{Rule: finding.Rule{
			ID: "fleet-too-many-tools", Level: finding.Warning,
			Title:   "The servers have more tools than clients take",
			Doc:     fmt.Sprintf("GitHub Copilot in VS Code and JetBrains refuses a request with more than %d tools (microsoft/vscode-copilot-release#9375, 2025-05-10; microsoft/copilot-intellij-feedback#1842, 2026-06-21).", clientTools),
			Example: `three servers with 50 tools each`,
			Instead: "Switch off servers and toolsets that are not needed.",
		}, together: tooManyTools},
	}
}

const clientTools = 128

// server is the name of the server that a surface is of. A client has one of its variants at a time.
func (s *subject) server() string { return cmp.Or(s.Variant, s.Name) }

// among tells whether one of subjects is of the same server.
func (s *subject) among(subjects []*subject) bool {
	return slices.ContainsFunc(subjects, func(other *subject) bool { return other.server() == s.server() })
}

// owners are the servers that have a tool, by its name. A server counts once.
func (f fleet) owners() map[string][]*subject {
	owners := map[string][]*subject{}
	for _, s := range f.subjects {
		for _, t := range s.tools {
			if t.Key != "" && !s.among(owners[t.Key]) {
				owners[t.Key] = append(owners[t.Key], s)
			}
		}
	}
	return owners
}

// sharedNames tells every server but the first by name.
func sharedNames(f fleet, report tell) {
	for name, servers := range f.owners() {
		slices.SortStableFunc(servers, func(a, b *subject) int { return cmp.Compare(a.Name, b.Name) })
		for _, s := range servers[1:] {
			report(finding.Finding{Server: s.Name, Item: "tool/" + name, Path: "/name", New: quoted(name), Message: fmt.Sprintf("%s has a tool of the same name, and comes first by name.", servers[0].Name)})
		}
	}
}

func confusableNames(f fleet, report tell) {
	owners := f.owners()
	first := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(owners)) {
		other, seen := first[skeleton(name)]
		if !seen {
			first[skeleton(name)] = name
			continue
		}
		s := owners[name][0]
		report(finding.Finding{Server: s.Name, Item: "tool/" + name, Path: "/name", New: quoted(name), Message: fmt.Sprintf("The name looks like %q of %s.", other, owners[other][0].Name)})
	}
}

// skeleton is a name without what eyes and models pass over: case, separators, and letters of other scripts that look Latin.
func skeleton(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 0xFF01 && r <= 0xFF5E { // full width
			r -= 0xFEE0
		}
		if latin, ok := lookAlikes[r]; ok {
			r = latin
		}
		if strings.ContainsRune("_-. ", r) {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// lookAlikes are small letters of Cyrillic and Greek, and signs, by the Latin letter that they are taken for (after
// Unicode's confusables.txt).
var lookAlikes = map[rune]rune{
	'а': 'a', 'с': 'c', 'ԁ': 'd', 'е': 'e', 'һ': 'h', 'і': 'i', 'ј': 'j', 'ӏ': 'l', 'о': 'o', 'р': 'p', 'ԛ': 'q', 'ѕ': 's', 'у': 'y', 'х': 'x', 'ѵ': 'v', 'ԝ': 'w',
	'α': 'a', 'ι': 'i', 'κ': 'k', 'ν': 'v', 'ο': 'o', 'ρ': 'p', 'τ': 't', 'υ': 'u', 'χ': 'x', 'γ': 'y',
	'ı': 'i', 'ɡ': 'g', '0': 'o', '1': 'l',
}

// composed are words that nobody writes by chance: parts joined by an underscore, or by a capital inside.
var composed = expression(`[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)+|[a-z0-9]+[A-Z][A-Za-z0-9]*`)

func foreignTools(f fleet, report tell) {
	owners := f.owners()
	for _, s := range f.subjects {
		told := map[string]bool{}
		for _, p := range s.texts {
			if !p.prose {
				continue
			}
			for _, word := range composed().FindAllString(p.text, -1) {
				servers := owners[word]
				if len(servers) == 0 || s.among(servers) || told[p.item+word] {
					continue
				}
				told[p.item+word] = true
				report(finding.Finding{Server: s.Name, Item: p.item, Path: p.path(), New: quoted(word), Message: fmt.Sprintf("The text names %s, a tool of %s.", word, servers[0].Name)})
			}
		}
	}
}

func tooManyTools(f fleet, report tell) {
	total, most := f.cost(func(s *subject) int { return len(s.tools) })
	f.over(report, total, clientTools, "tools, more than the %d that some clients take", most)
}
