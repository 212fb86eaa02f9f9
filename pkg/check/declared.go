package check

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Declared is what one file says of a server: server.json, a manifest of a bundle, a server card or
// package.json.
type Declared struct {
	File       string                           // or its URL
	Name       Said                             // in the registry
	Version    Said                             // of the server
	Title      Said                             // for people
	Transports []Said                           // as the protocol calls them
	Items      map[snapshot.Kind][]DeclaredItem // a kind that is missing is not listed
	AtLeast    map[snapshot.Kind]bool           // the server may offer more of them than are listed
	Packages   []DeclaredPackage
	// it is the package's own file: its version is that of the release, whatever the server says
	Versioned bool
	Variables []DeclaredVariable
	Faults    []Said // what is wrong with the file alone, as clauses
}

// Said is a text with the line of the file that it stands on; an empty one is not said.
type Said struct {
	Text string
	Line int
}

// DeclaredItem is a tool or prompt that a file lists.
type DeclaredItem struct {
	Name, Description Said
	Arguments         []string // of a prompt; nil = not told
	// of a text for people, which of its lists it stands in: one may be about something else; 0 = it is
	// surely a tool or prompt
	List int
}

// DeclaredPackage is a package that a file names, or is.
type DeclaredPackage struct{ Type, Name, Version Said }

// DeclaredVariable is an environment variable that a file asks its reader to set.
type DeclaredVariable struct {
	Name     Said
	Required bool
}

// declaredRules hold what files say of a server to what it says of itself, and to each other.
var declaredRules = map[string]look{
	"declared-item-missing":        ofDeclared(missingItems),
	"declared-item-unlisted":       ofDeclared(unlistedItems),
	"declared-text-differs":        ofDeclared(differingTexts),
	"declared-arguments-differ":    ofDeclared(differingArguments),
	"declared-version-differs":     ofDeclared(differingVersions),
	"declared-transport-differs":   ofDeclared(differingTransports),
	"declared-name-differs":        ofDeclared(differingNames),
	"declared-file-invalid":        ofDeclared(invalidFiles),
	"declared-package-out-of-step": ofDeclared(packagesOutOfStep),
	"declared-variable-differs":    ofDeclared(differingVariables),
	"declared-variable-unneeded":   ofDeclared(unneededVariables),
}

// statement reports what one place of a file says, and what is said against it.
type statement func(item string, said Said, against, format string, args ...any)

func ofDeclared(f func(s *server, d Declared, say statement)) look {
	return func(s *server, report tell) {
		for _, d := range s.Declared {
			f(s, d, func(item string, said Said, against, format string, args ...any) {
				at := finding.Location{File: d.File, Line: max(said.Line, 1)}
				file := filepath.ToSlash(filepath.Clean(d.File)) // two that say the same are two findings
				one := finding.Finding{Item: item, Path: rawjson.Join("", file), Location: &at,
					Message: fmt.Sprintf("%s: ", at) + fmt.Sprintf(format, args...)}
				if said.Text != "" {
					one.Old = rawjson.Quote(said.Text)
				}
				if against != "" {
					one.New = rawjson.Quote(against)
				}
				report(one)
			})
		}
	}
}

// believed are the items of a file that are this server's; of a text those in lists of which the server has
// half at least.
func believed(s *server, d Declared) map[snapshot.Kind][]DeclaredItem {
	all := map[snapshot.Kind][]DeclaredItem{}
	for kind, items := range d.Items {
		listed, offered, find := map[int]int{}, map[int]int{}, s.Snapshot.List(kind).Finder()
		for _, item := range items {
			listed[item.List]++
			if _, answer := find(item.Name.Text); answer == snapshot.Present {
				offered[item.List]++
			}
		}
		about := func(item DeclaredItem) bool {
			return item.List == 0 ||
				2*offered[item.List] >= listed[item.List]
		}
		if own := kit.Filter(items, about); len(own) > 0 || len(items) == 0 {
			all[kind] = own
		}
	}
	return all
}

// mostGuessed is for how many missing items it is said which name may be meant: each is held against all that
// the server has.
const mostGuessed = 100

func missingItems(s *server, d Declared, say statement) {
	for kind, items := range believed(s, d) {
		list := s.Snapshot.List(kind)
		find, missing := list.Finder(), 0
		names := kit.Map(list.Items(), func(offered snapshot.Item) string { return offered.Key })
		for _, item := range items {
			if _, answer := find(item.Name.Text); answer == snapshot.Absent {
				if missing++; missing > mostGuessed {
					names = nil
				}
				say(kind.ID(item.Name.Text), item.Name, "",
					"the %s %q is listed, and the server has none of this name%s.", kind.Word(),
					item.Name.Text, kit.DidYouMean(item.Name.Text, names))
			}
		}
	}
}

func unlistedItems(s *server, d Declared, say statement) {
	for kind, items := range believed(s, d) {
		if len(items) > 0 && items[0].List > 0 && 2*len(items) < len(s.of(kind)) { // a text that shows some
			continue
		}
		listed := kit.Set(kit.Map(items, func(item DeclaredItem) string { return item.Name.Text }))
		for _, offered := range s.of(kind) {
			if !d.AtLeast[kind] && offered.Key != "" && !listed[offered.Key] {
				line := 1
				if len(items) > 0 {
					line = items[0].Name.Line
				}
				say(offered.id, Said{Line: line}, offered.Key,
					"the server has the %s %q, which is not listed.", kind.Word(), offered.Key)
			}
		}
	}
}

func inBoth(s *server, d Declared, f func(kind snapshot.Kind, item DeclaredItem, offered snapshot.Item)) {
	for kind, items := range believed(s, d) {
		find := s.Snapshot.List(kind).Finder()
		for _, item := range items {
			if offered, answer := find(item.Name.Text); answer == snapshot.Present {
				f(kind, item, offered)
			}
		}
	}
}

// TextDiffers tells whether the file describes an item otherwise than the server does. White space around a
// text does not count.
func (d DeclaredItem) TextDiffers(offered snapshot.Item) bool {
	text := strings.TrimSpace(d.Description.Text)
	return text != "" && text != strings.TrimSpace(offered.Description())
}

// ArgumentsDiffer gives the names of the arguments that the server's prompt has, and tells whether the file
// lists others.
func (d DeclaredItem) ArgumentsDiffer(offered snapshot.Item) (names []string, differ bool) {
	arguments, _ := rawjson.Elements(offered.Arguments())
	for _, raw := range arguments {
		names = append(names, rawjson.ObjectOf(raw).Text("name"))
	}
	differ = d.Arguments != nil && !slices.Equal(slices.Sorted(slices.Values(d.Arguments)),
		slices.Sorted(slices.Values(names)))
	return names, differ
}

func differingTexts(s *server, d Declared, say statement) {
	inBoth(s, d, func(kind snapshot.Kind, item DeclaredItem, offered snapshot.Item) {
		if item.TextDiffers(offered) {
			say(kind.ID(offered.Key), item.Description, offered.Description(),
				"the description of the %s %q is not the server's.", kind.Word(), offered.Key)
		}
	})
	title := rawjson.ObjectOf(s.Snapshot.Server).Text("title")
	if d.Title.Text != "" && title != "" && d.Title.Text != title {
		say("", d.Title, title, "the title is %q, and the server's is %q.", d.Title.Text, title)
	}
}

func differingArguments(s *server, d Declared, say statement) {
	inBoth(s, d, func(kind snapshot.Kind, item DeclaredItem, offered snapshot.Item) {
		if names, differ := item.ArgumentsDiffer(offered); differ {
			say(kind.ID(offered.Key), item.Name, strings.Join(names, ", "),
				"the arguments of %q are %s, and the server's are %s.", offered.Key, named(item.Arguments),
				named(names))
		}
	})
}

func named(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return kit.Some(names)
}

func differingVersions(s *server, d Declared, say statement) {
	version := rawjson.ObjectOf(s.Snapshot.Server).Text("version")
	if d.Version.Text != "" && version != "" && d.Version.Text != version {
		say("", d.Version, version, "the version is %q, and the server says that it is %q.", d.Version.Text,
			version)
	}
}

func differingTransports(s *server, d Declared, say statement) {
	all := kit.Map(d.Transports, func(t Said) string { return t.Text })
	if got := s.Observed.Transport; got != "" && len(all) > 0 && !slices.Contains(all, got) {
		say("", d.Transports[0], got, "the server was reached over %s, and declared is %s.", got,
			kit.Some(all))
	}
}

func others(s *server, d Declared) []Declared {
	return kit.Filter(s.Declared, func(o Declared) bool { return o.File != d.File })
}

func differingNames(s *server, d Declared, say statement) {
	for _, other := range others(s, d) {
		if d.Name.Text != "" && other.Name.Text != "" && d.File > other.File &&
			d.Name.Text != other.Name.Text {
			say("", d.Name, other.Name.Text, "the name in the registry is %q, and %q in %s:%d.", d.Name.Text,
				other.Name.Text, other.File, other.Name.Line)
		}
	}
}

func invalidFiles(_ *server, d Declared, say statement) {
	for _, fault := range d.Faults {
		say("", Said{Line: fault.Line}, fault.Text, "%s.", fault.Text)
	}
}

func packagesOutOfStep(s *server, d Declared, say statement) {
	for _, p := range d.Packages {
		if p.Version.Text != "" && d.Version.Text != "" && p.Version.Text != d.Version.Text {
			say("", p.Version, d.Version.Text,
				"the package %s has the version %q, and the server %q in the same file.", p.Name.Text,
				p.Version.Text, d.Version.Text)
		}
		if ran := s.Observed.Package; ran != nil && p.Type.Text == ran.Type.Text &&
			p.Name.Text == ran.Name.Text && p.Version.Text != "" && ran.Version.Text != "" &&
			p.Version.Text != ran.Version.Text {
			say("", p.Version, ran.Version.Text,
				"the package %s has the version %q, and the server was started from %q.", p.Name.Text,
				p.Version.Text, ran.Version.Text)
		}
		for _, other := range others(s, d) {
			for _, same := range other.Packages {
				if d.File > other.File && p.Type.Text == same.Type.Text && p.Name.Text == same.Name.Text &&
					p.Version.Text != same.Version.Text {
					say("", p.Version, same.Version.Text,
						"the package %s has the version %q, and %q in %s:%d.", p.Name.Text, p.Version.Text,
						same.Version.Text, other.File, same.Version.Line)
				}
			}
		}
	}
}

// differingVariables are those that one file needs and another one, which lists variables, does not know.
func differingVariables(s *server, d Declared, say statement) {
	for _, v := range d.Variables {
		for _, other := range others(s, d) {
			same := func(o DeclaredVariable) bool { return o.Name.Text == v.Name.Text }
			if v.Required && len(other.Variables) > 0 && !slices.ContainsFunc(other.Variables, same) {
				say("", v.Name, "", "the variable %s is required, and %s does not list it%s.", v.Name.Text,
					other.File, kit.DidYouMean(v.Name.Text, variableNames(other)))
			}
		}
	}
}

func variableNames(d Declared) []string {
	return kit.Map(d.Variables, func(v DeclaredVariable) string { return v.Name.Text })
}

// unneededVariables are required, and the server answered without them.
func unneededVariables(s *server, d Declared, say statement) {
	for _, v := range d.Variables {
		if given := s.Observed.Given; v.Required && given != nil && !slices.Contains(given, v.Name.Text) {
			say("", v.Name, "", "the variable %s is required, and the server started and listed what it "+
				"offers without it.", v.Name.Text)
		}
	}
}
