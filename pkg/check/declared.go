package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Declared is what one file says of a server: a server.json of the registry, the manifest of a bundle, a server card, or the
// package.json of its package.
type Declared struct {
	File       string
	Name       Said                             // in the registry
	Version    Said                             // of the server
	Title      Said                             // for people
	Transports []Said                           // as the protocol calls them
	Items      map[snapshot.Kind][]DeclaredItem // a kind that is missing is not listed
	AtLeast    map[snapshot.Kind]bool           // the server may offer more of them than are listed
	Packages   []DeclaredPackage
	Faults     []Said // what is wrong with the file alone, as clauses
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
}

// DeclaredPackage is a package that a file names, or is.
type DeclaredPackage struct{ Type, Name, Version Said }

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
}

// statement reports what one place of a file says, and what is said against it.
type statement func(item string, said Said, against, format string, args ...any)

func ofDeclared(f func(s *server, d Declared, say statement)) look {
	return func(s *server, report tell) {
		for _, d := range s.Declared {
			f(s, d, func(item string, said Said, against, format string, args ...any) {
				at := finding.Location{File: d.File, Line: max(said.Line, 1)}
				one := finding.Finding{Item: item, Location: &at, Message: fmt.Sprintf("%s: ", at) + fmt.Sprintf(format, args...)}
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

func missingItems(s *server, d Declared, say statement) {
	for kind, items := range d.Items {
		for _, item := range items {
			if list := s.Snapshot.List(kind); list.Absent(item.Name.Text) {
				var names []string
				for _, offered := range list.Items() {
					names = append(names, offered.Key)
				}
				say(kind.ID(item.Name.Text), item.Name, "", "the %s %q is listed, and the server has none of this name%s.", kind.Word(), item.Name.Text, match.DidYouMean(item.Name.Text, names))
			}
		}
	}
}

func unlistedItems(s *server, d Declared, say statement) {
	for kind, items := range d.Items {
		for _, offered := range s.of(kind) {
			listed := func(item DeclaredItem) bool { return item.Name.Text == offered.Key }
			if !d.AtLeast[kind] && offered.Key != "" && !slices.ContainsFunc(items, listed) {
				line := 1
				if len(items) > 0 {
					line = items[0].Name.Line
				}
				say(offered.id, Said{Line: line}, offered.Key, "the server has the %s %q, which is not listed.", kind.Word(), offered.Key)
			}
		}
	}
}

// inBoth are the items that a file lists and the server has.
func inBoth(s *server, d Declared, f func(kind snapshot.Kind, item DeclaredItem, offered snapshot.Item)) {
	for kind, items := range d.Items {
		for _, item := range items {
			if offered, answer := s.Snapshot.List(kind).Find(item.Name.Text); answer == snapshot.Present {
				f(kind, item, offered)
			}
		}
	}
}

func differingTexts(s *server, d Declared, say statement) {
	inBoth(s, d, func(kind snapshot.Kind, item DeclaredItem, offered snapshot.Item) {
		if text := item.Description.Text; text != "" && strings.TrimSpace(text) != strings.TrimSpace(offered.Description()) {
			say(kind.ID(offered.Key), item.Description, offered.Description(), "the description of the %s %q is not the server's.", kind.Word(), offered.Key)
		}
	})
	title := rawjson.ObjectOf(s.Snapshot.Server).Text("title")
	if d.Title.Text != "" && title != "" && d.Title.Text != title {
		say("", d.Title, title, "the title is %q, and the server's is %q.", d.Title.Text, title)
	}
}

func differingArguments(s *server, d Declared, say statement) {
	inBoth(s, d, func(kind snapshot.Kind, item DeclaredItem, offered snapshot.Item) {
		var names []string
		arguments, _ := rawjson.Elements(offered.Arguments())
		for _, raw := range arguments {
			names = append(names, rawjson.ObjectOf(raw).Text("name"))
		}
		if slices.Sort(names); item.Arguments != nil && !slices.Equal(slices.Sorted(slices.Values(item.Arguments)), names) {
			say(kind.ID(offered.Key), item.Name, strings.Join(names, ", "), "the arguments of %q are %s, and the server's are %s.", offered.Key, named(item.Arguments), named(names))
		}
	})
}

// named lists names, or says that there are none.
func named(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return match.Some(names)
}

func differingVersions(s *server, d Declared, say statement) {
	version := rawjson.ObjectOf(s.Snapshot.Server).Text("version")
	if d.Version.Text != "" && version != "" && d.Version.Text != version {
		say("", d.Version, version, "the version is %q, and the server says that it is %q.", d.Version.Text, version)
	}
}

func differingTransports(s *server, d Declared, say statement) {
	var all []string
	for _, t := range d.Transports {
		all = append(all, t.Text)
	}
	if got := s.Observed.Transport; got != "" && len(all) > 0 && !slices.Contains(all, got) {
		say("", d.Transports[0], got, "the server was reached over %s, and declared is %s.", got, match.Some(all))
	}
}

// others are the files beside d.
func others(s *server, d Declared) []Declared {
	return slices.DeleteFunc(slices.Clone(s.Declared), func(o Declared) bool { return o.File == d.File })
}

func differingNames(s *server, d Declared, say statement) {
	for _, other := range others(s, d) {
		if d.Name.Text != "" && other.Name.Text != "" && d.File > other.File && d.Name.Text != other.Name.Text {
			say("", d.Name, other.Name.Text, "the name in the registry is %q, and %q in %s:%d.", d.Name.Text, other.Name.Text, other.File, other.Name.Line)
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
			say("", p.Version, d.Version.Text, "the package %s has the version %q, and the server %q in the same file.", p.Name.Text, p.Version.Text, d.Version.Text)
		}
		for _, other := range others(s, d) {
			for _, same := range other.Packages {
				if d.File > other.File && p.Type.Text == same.Type.Text && p.Name.Text == same.Name.Text && p.Version.Text != same.Version.Text {
					say("", p.Version, same.Version.Text, "the package %s has the version %q, and %q in %s:%d.", p.Name.Text, p.Version.Text, same.Version.Text, other.File, same.Version.Line)
				}
			}
		}
	}
}
