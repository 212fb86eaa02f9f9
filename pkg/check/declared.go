package check

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Declared is what one file says about a server: server.json, a bundle's manifest or package.json. Another
// file only names tools of it.
type Declared struct {
	File       string
	Describes  bool                             // it is one of these three
	Mentions   []DeclaredText                   // tools that it names as clients do, such as mcp__files__read
	Outdated   []OutdatedItem                   // what it documents between marks otherwise than it is
	Name       DeclaredText                     // in the registry
	Version    DeclaredText                     // of the server
	Title      DeclaredText                     // shown to people
	Transports []DeclaredText                   // as the protocol names them
	Items      map[snapshot.Kind][]DeclaredItem // a missing kind is not listed
	AtLeast    map[snapshot.Kind]bool           // the server may offer more than is listed
	Packages   []DeclaredPackage
	Variables  []DeclaredVariable
	Faults     []DeclaredText // what is wrong with the file itself, as clauses
}

// DeclaredText is a text of a file with its line; empty when it is missing.
type DeclaredText struct {
	Text string
	Line int
}

// DeclaredItem is a tool or prompt that a file lists.
type DeclaredItem struct {
	Name, Description DeclaredText
	Arguments         []string // of a prompt; nil = not listed
}

// OutdatedItem is an item whose documentation in a file is not what the server says.
type OutdatedItem struct {
	Kind snapshot.Kind // empty = what else stands between the marks
	Name string
	Text DeclaredText // what the file has; an empty text = nothing
	Now  string       // what it should have; empty = nothing
}

// DeclaredPackage is a package that a file names, or is.
type DeclaredPackage struct{ Type, Name, Version DeclaredText }

// DeclaredVariable is an environment variable that a server reads.
type DeclaredVariable struct {
	Name     DeclaredText
	Required bool
}

// declaredRules compare files about a server with the server, and with each other.
var declaredRules = map[string]rule{
	"declared-item-missing":        eachDeclared(declaredMissing),
	"declared-item-unlisted":       eachDeclared(declaredUnlisted),
	"declared-text-differs":        eachDeclared(declaredTextDiffers),
	"declared-arguments-differ":    eachDeclared(declaredArgumentsDiffer),
	"declared-package-out-of-step": eachDeclared(declaredPackageDiffers),
	"declared-version-differs": eachDeclared(func(s *server, d Declared, add lineReporter) {
		version := rawjson.ObjectOf(s.Snapshot.Server).Text("version")
		if differ(d.Version.Text, version) {
			add("", d.Version, version, "the version is %q, the server's is %q.", d.Version.Text, version)
		}
	}),
	"declared-transport-differs": eachDeclared(func(s *server, d Declared, add lineReporter) {
		all := kit.Map(d.Transports, func(t DeclaredText) string { return t.Text })
		if used := s.Observed.Transport; used != "" && len(all) > 0 && !slices.Contains(all, used) {
			add("", d.Transports[0], used, "the server was reached over %s, but declared is %s.", used,
				kit.Some(all))
		}
	}),
	// each pair of files is reported once, for the file whose path sorts last
	"declared-name-differs": eachDeclared(func(s *server, d Declared, add lineReporter) {
		for _, other := range s.Declared {
			if d.File > other.File && differ(d.Name.Text, other.Name.Text) {
				add("", d.Name, other.Name.Text, "the name in the registry is %q, but %q in %s:%d.",
					d.Name.Text, other.Name.Text, other.File, other.Name.Line)
			}
		}
	}),
	// another file without any variables lists none
	"declared-variable-differs": eachDeclared(func(s *server, d Declared, add lineReporter) {
		for _, v := range d.Variables {
			for _, other := range s.Declared {
				names := kit.Map(other.Variables, func(o DeclaredVariable) string { return o.Name.Text })
				if v.Required && len(names) > 0 && !slices.Contains(names, v.Name.Text) {
					add("", v.Name, "", "%s is required, but %s does not list it%s.", v.Name.Text, other.File,
						kit.DidYouMean(v.Name.Text, names))
				}
			}
		}
	}),
	"declared-variable-unneeded": eachDeclared(func(s *server, d Declared, add lineReporter) {
		for _, v := range d.Variables {
			if given := s.Observed.Given; v.Required && given != nil && !slices.Contains(given, v.Name.Text) {
				add("", v.Name, "", "%s is required, but the server started without it.", v.Name.Text)
			}
		}
	}),
	"declared-tool-unknown": eachDeclared(toolUnknown),
	"declared-docs-outdated": eachDeclared(func(_ *server, d Declared, add lineReporter) {
		for _, o := range d.Outdated {
			item := fmt.Sprintf("%s %q", o.Kind.Word(), o.Name)
			switch {
			case o.Kind == "":
				add("", o.Text, o.Now, "the text between the marks is not what the server offers now.")
			case o.Text.Text == "":
				add(o.Kind.ID(o.Name), o.Text, "", "the %s of the server is not documented.", item)
			case o.Now == "":
				add(o.Kind.ID(o.Name), DeclaredText{Line: o.Text.Line}, "",
					"the %s is documented, and the server has none of that name.", item)
			default:
				add(o.Kind.ID(o.Name), o.Text, o.Now,
					"the documentation of the %s is not what the server says.", item)
			}
		}
	}),
	"declared-file-invalid": eachDeclared(func(_ *server, d Declared, add lineReporter) {
		for _, fault := range d.Faults {
			add("", DeclaredText{Line: fault.Line}, fault.Text, "%s.", fault.Text)
		}
	}),
}

// lineReporter reports a value of a file, and the value that it differs from.
type lineReporter func(item string, declared DeclaredText, actual, format string, args ...any)

// eachDeclared makes a rule that applies a check to each file about the server. Findings have the line of the
// file, its text as the old value and that of the server as the new one.
func eachDeclared(apply func(s *server, d Declared, add lineReporter)) rule {
	return func(s *server, report reporter) {
		for _, d := range s.Declared {
			apply(s, d, func(item string, declared DeclaredText, actual, format string, args ...any) {
				at := finding.Location{File: d.File, Line: max(declared.Line, 1)}
				// the same fault of two files is two findings
				file := filepath.ToSlash(filepath.Clean(d.File))
				f := finding.Finding{Item: item, Path: rawjson.Join("", file), Location: &at,
					Message: fmt.Sprintf("%s: ", at) + fmt.Sprintf(format, args...)}
				if declared.Text != "" {
					f.Old = rawjson.Quote(declared.Text)
				}
				if actual != "" {
					f.New = rawjson.Quote(actual)
				}
				report(f)
			})
		}
	}
}

// ClientName returns a name as clients write it in mcp__SERVER__TOOL: with an underscore for each other
// character than letters, digits, _ and -.
func ClientName(name string) string {
	return strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-') {
			return r
		}
		return '_'
	}, name)
}

// toolUnknown reports names that no tool of a completely listed server has, as permissions and agents keep
// them after a tool was renamed. A pattern with * must match one.
func toolUnknown(s *server, d Declared, add lineReporter) {
	list := s.Snapshot.Tools
	if len(d.Mentions) == 0 || !list.Whole() {
		return
	}
	prefix := "mcp__" + ClientName(s.Name) + "__"
	names := kit.Map(list.Items(), func(t snapshot.Item) string { return ClientName(t.Key) })
	unknown := 0
	for _, m := range d.Mentions {
		tool, ofServer := strings.CutPrefix(m.Text, prefix)
		if !ofServer {
			_, tool, _ = strings.Cut(strings.TrimPrefix(m.Text, "mcp__"), "__")
		}
		matches := func(name string) bool { return kit.Glob(tool, name) }
		known := tool == "" || slices.ContainsFunc(names, matches)
		if ofServer && known {
			continue
		}
		guess := ""
		if unknown++; known {
			guess = tool
		} else if unknown <= maxGuesses {
			guess = append(kit.Nearest(tool, names), "")[0]
		}
		says, suggested := "the server has no tool "+m.Text, ""
		if !ofServer {
			says = m.Text + " names no configured server"
		}
		if guess != "" || !ofServer {
			suggested = fmt.Sprintf(" (did you mean %q?)", strings.TrimSuffix(prefix+guess, "__"))
		}
		add("", m, "", "%s%s.", says, suggested)
	}
}

// maxGuesses is for how many missing items a similar name is searched.
const maxGuesses = 100

// declaredMissing looks for items of a file that the server surely does not have, such as a renamed tool. It
// suggests no similar names after maxGuesses items.
func declaredMissing(s *server, d Declared, add lineReporter) {
	for kind, items := range d.Items {
		list := s.Snapshot.List(kind)
		missing := 0
		names := kit.Map(list.Items(), func(offered snapshot.Item) string { return offered.Key })
		for _, item := range items {
			if list.Absent(item.Name.Text) {
				if missing++; missing > maxGuesses {
					names = nil
				}
				add(kind.ID(item.Name.Text), item.Name, "", "the server has no %s %q%s.", kind.Word(),
					item.Name.Text, kit.DidYouMean(item.Name.Text, names))
			}
		}
	}
}

// declaredUnlisted looks for items of the server that a file leaves out, such as a new tool, at the line of
// the first item listed. A kind that the file does not list, or lists in part, is not compared.
func declaredUnlisted(s *server, d Declared, add lineReporter) {
	for kind, items := range d.Items {
		listed := kit.Set(kit.Map(items, func(item DeclaredItem) string { return item.Name.Text }))
		for _, offered := range s.of(kind) {
			if !d.AtLeast[kind] && offered.Key != "" && !listed[offered.Key] {
				line := 1
				if len(items) > 0 {
					line = items[0].Name.Line
				}
				add(offered.id, DeclaredText{Line: line}, offered.Key,
					"the %s %q of the server is not listed.",
					kind.Word(), offered.Key)
			}
		}
	}
}

// eachOffered calls f with the listed items that the server offers.
func (d Declared) eachOffered(s *server,
	f func(kind snapshot.Kind, item DeclaredItem, offered snapshot.Item)) {
	for kind, items := range d.Items {
		list := s.Snapshot.List(kind)
		for _, item := range items {
			if offered, answer := list.Find(item.Name.Text); answer == snapshot.Present {
				f(kind, item, offered)
			}
		}
	}
}

// declaredTextDiffers looks for a description or title in a file that is not the server's. A description that
// the file lacks, and a title that either lacks, is not compared.
func declaredTextDiffers(s *server, d Declared, add lineReporter) {
	d.eachOffered(s, func(kind snapshot.Kind, item DeclaredItem, offered snapshot.Item) {
		text := strings.TrimSpace(item.Description.Text)
		if text != "" && text != strings.TrimSpace(offered.Description()) {
			add(kind.ID(offered.Key), item.Description, offered.Description(),
				"the description of the %s %q differs from the server's.", kind.Word(), offered.Key)
		}
	})
	title := rawjson.ObjectOf(s.Snapshot.Server).Text("title")
	if differ(d.Title.Text, title) {
		add("", d.Title, title, "the title is %q, the server's is %q.", d.Title.Text, title)
	}
}

// differ reports whether two texts are known and not the same.
func differ(a, b string) bool { return a != "" && b != "" && a != b }

// declaredArgumentsDiffer looks for items, such as prompts, whose arguments in a file are not those of the
// server; their order does not matter. An item without a list of arguments in the file is not compared.
func declaredArgumentsDiffer(s *server, d Declared, add lineReporter) {
	list := func(names []string) string {
		if len(names) == 0 {
			return "none"
		}
		return kit.Some(names)
	}
	d.eachOffered(s, func(kind snapshot.Kind, item DeclaredItem, offered snapshot.Item) {
		arguments, _ := rawjson.Elements(offered.Field("arguments"))
		var names []string
		for _, raw := range arguments {
			names = append(names, rawjson.ObjectOf(raw).Text("name"))
		}
		if item.Arguments != nil && !sameNames(item.Arguments, names) {
			add(kind.ID(offered.Key), item.Name, strings.Join(names, ", "),
				"the arguments of %q are %s, the server's are %s.", offered.Key, list(item.Arguments),
				list(names))
		}
	})
}

// declaredPackageDiffers looks for versions of a package that differ from the server in the same file, from
// the package that was started, or from another file: 1.2.0 in server.json, 1.1.0 in package.json.
func declaredPackageDiffers(s *server, d Declared, add lineReporter) {
	for _, p := range d.Packages {
		if differ(p.Version.Text, d.Version.Text) {
			add("", p.Version, d.Version.Text,
				"the package %s has the version %q, the server in the same file %q.", p.Name.Text,
				p.Version.Text, d.Version.Text)
		}
		same := func(o DeclaredPackage) bool {
			return p.Type.Text == o.Type.Text && p.Name.Text == o.Name.Text
		}
		if started := s.Observed.Package; started != nil && same(*started) &&
			differ(p.Version.Text, started.Version.Text) {
			add("", p.Version, started.Version.Text, "the package %s has the version %q, the started one %q.",
				p.Name.Text, p.Version.Text, started.Version.Text)
		}
		for _, other := range s.Declared {
			for _, o := range other.Packages {
				if d.File > other.File && same(o) && p.Version.Text != o.Version.Text {
					add("", p.Version, o.Version.Text, "the package %s has the version %q, but %q in %s:%d.",
						p.Name.Text, p.Version.Text, o.Version.Text, other.File, o.Version.Line)
				}
			}
		}
	}
}
