package compare

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/syntax"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

const maxDeclared = 4 << 20 // bytes of a file

// readDeclared reads a file that describes a server, relative to dir: server.json of the registry,
// manifest.json of an MCP bundle, or package.json with mcpName; of any other text the tools that it names as
// clients do, and what it documents of servers between marks. A link out of the project is an error.
func (o CheckOptions) readDeclared(dir, name string) (declaredFile, error) {
	data, err := files.ReadRegular(files.From(dir, name), maxDeclared)
	if err == nil {
		err = files.CheckInside(dir, name)
	}
	switch {
	case errors.Is(err, files.ErrNotRegular) && files.IsDir(files.From(dir, name)):
		return declaredFile{}, errAgainstFolder(name)
	case err != nil:
		return declaredFile{}, fmt.Errorf("reading %s: %w", name, err)
	}
	text, err := syntax.Decode(data)
	if err != nil {
		return declaredFile{}, fmt.Errorf("reading %s: %w", name, err)
	}
	root, wrong := syntax.JSON(text)
	if wrong != nil && strings.HasSuffix(name, ".json") {
		return declaredFile{}, fmt.Errorf("reading %s: line %d: %s: %s", name, wrong.Line, wrong.Message,
			wrong.Hint)
	}
	if d, ok := parseDeclared(name, root); ok {
		return declaredFile{Declared: d}, nil
	}
	d := declaredFile{Declared: check.Declared{File: name, Mentions: mentionsIn(string(text))}}
	if o.Documentation != nil {
		d.documentation, err = o.Documentation(name, text)
	}
	return d, err
}

// declaredFile is a file with what it says about servers.
type declaredFile struct {
	check.Declared
	documentation Documentation // nil = it has none
}

// marked returns a clause with the servers that a file documents between marks.
func (d declaredFile) marked() string {
	if d.documentation == nil || len(d.documentation.Servers()) == 0 {
		return ""
	}
	return "; it has marks of " + kit.Some(d.documentation.Servers())
}

// parseDeclared recognizes a format by the members that it requires.
func parseDeclared(name string, root syntax.Value) (check.Declared, bool) {
	d := check.Declared{File: name, Version: textAt(root, "version"), Title: textAt(root, "title"),
		Items: map[snapshot.Kind][]check.DeclaredItem{}}
	schema := root.TextOf("$schema")
	switch {
	case hasAny(root, "manifest_version", "dxt_version"):
		fromManifest(&d, root)
	case hasAny(root, "mcpName"):
		d.Name = textAt(root, "mcpName")
		d.Packages = []check.DeclaredPackage{{Type: check.DeclaredText{Text: "npm"},
			Name: textAt(root, "name"), Version: d.Version}}
	case hasAny(root, "packages", "remotes"), strings.HasSuffix(schema, "/server.schema.json"):
		fromRegistry(&d, root)
	default:
		return d, false
	}
	d.Describes = true
	return d, true
}

func hasAny(v syntax.Value, keys ...string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { _, ok := v.Get(key); return ok })
}

// textAt returns a member that is a string.
func textAt(v syntax.Value, key string) check.DeclaredText {
	f, _ := v.Get(key)
	if f.Value.Kind != syntax.Text {
		return check.DeclaredText{}
	}
	return check.DeclaredText{Text: f.Value.Text, Line: f.Line}
}

// declareItems adds the tools or prompts that a manifest lists.
func declareItems(d *check.Declared, kind snapshot.Kind, root syntax.Value) {
	f, _ := root.Get(string(kind))
	if f.Value.Kind != syntax.List {
		return
	}
	d.Items[kind] = kit.Map(f.Value.Items, func(v syntax.Value) check.DeclaredItem {
		item := check.DeclaredItem{Name: textAt(v, "name"), Description: textAt(v, "description")}
		if arguments, ok := v.Get("arguments"); ok {
			names := kit.Map(arguments.Value.Items,
				func(a syntax.Value) string { return cmp.Or(a.TextOf("name"), a.Text) })
			item.Arguments = append([]string{}, names...)
		}
		return item
	})
}

// fromManifest reads a manifest of MCPB, formerly DXT.
func fromManifest(d *check.Declared, root syntax.Value) {
	d.Title = textAt(root, "display_name")
	d.Transports = []check.DeclaredText{{Text: "stdio", Line: textAt(root, "name").Line}}
	declareItems(d, snapshot.Tools, root)
	declareItems(d, snapshot.Prompts, root)
	manifestVariables(d, root)
	d.AtLeast = map[snapshot.Kind]bool{snapshot.Tools: root.TextOf("tools_generated") == "true",
		snapshot.Prompts: root.TextOf("prompts_generated") == "true"}
	for _, key := range []string{"name", "version", "description", "author", "server"} {
		if !hasAny(root, key) {
			lacks := "the manifest lacks " + key + ", which is required"
			d.Faults = append(d.Faults, check.DeclaredText{Text: lacks})
		}
	}
}

// userSetting matches a variable whose value is a setting of the user.
var userSetting = kit.Pattern(`^\$\{user_config\.([^}]+)\}$`)

// manifestVariables adds the variables of the server whose values are settings of the user.
func manifestVariables(d *check.Declared, root syntax.Value) {
	for _, env := range root.At("server", "mcp_config", "env") {
		for _, v := range env.Value.Fields {
			if setting := userSetting().FindStringSubmatch(v.Value.Text); setting != nil {
				variable := check.DeclaredVariable{Name: check.DeclaredText{Text: v.Key, Line: v.Line}}
				for _, f := range root.At("user_config", setting[1]) {
					variable.Required = f.Value.TextOf("required") == "true"
				}
				d.Variables = append(d.Variables, variable)
			}
		}
	}
}

// fromRegistry reads a server.json.
func fromRegistry(d *check.Declared, root syntax.Value) {
	d.Name = textAt(root, "name")
	remotes, _ := root.Get("remotes")
	for _, r := range remotes.Value.Items {
		if kind := textAt(r, "type"); kind.Text != "" {
			d.Transports = append(d.Transports, kind)
		}
	}
	packages, _ := root.Get("packages")
	for _, p := range packages.Value.Items {
		d.Packages = append(d.Packages, check.DeclaredPackage{Type: textAt(p, "registryType"),
			Name: textAt(p, "identifier"), Version: textAt(p, "version")})
		variables, _ := p.Get("environmentVariables")
		for _, v := range variables.Value.Items {
			d.Variables = append(d.Variables, check.DeclaredVariable{Name: textAt(v, "name"),
				Required: v.TextOf("isRequired") == "true"})
		}
		kind := check.DeclaredText{Text: "stdio", Line: p.Line} // the default
		if transport, ok := p.Get("transport"); ok {
			kind = textAt(transport.Value, "type")
		}
		d.Transports = append(d.Transports, kind)
	}
	registryFaults(d, root)
}

// currentSchema is the newest published schema of server.json.
const currentSchema = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

// Forms of names, hashes and versions. The registry takes none of those that match versionRange.
var (
	registryName = kit.Pattern(
		`^[a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?/[a-zA-Z0-9]([a-zA-Z0-9._-]*[a-zA-Z0-9])?$`)
	fileSHA256   = kit.Pattern(`^[a-f0-9]{64}$`)
	versionRange = kit.Pattern(`^[\^~<>=]|\|\||(^|\.)[xX*](\.|$)| - |^latest$`)
)

// registryFaults adds what the schema and the validators of the registry refuse.
func registryFaults(d *check.Declared, root syntax.Value) {
	refuse := func(refused bool, line int, format string, args ...any) {
		if refused {
			d.Faults = append(d.Faults, check.DeclaredText{Text: fmt.Sprintf(format, args...), Line: line})
		}
	}
	schema, description := textAt(root, "$schema"), textAt(root, "description")
	refuse(schema.Text != currentSchema && !strings.Contains(schema.Text, "/draft/"), schema.Line,
		"the schema %q is not the current one, %s", schema.Text, currentSchema)
	refuse(!registryName().MatchString(d.Name.Text), d.Name.Line,
		"the name %q is not of the form io.github.acme/tickets", d.Name.Text)
	length := utf8.RuneCountInString(description.Text)
	refuse(length < 1 || length > 100, description.Line,
		"the description has %d characters; the registry takes 1 to 100", length)
	refuse(d.Version.Text == "" || versionRange().MatchString(d.Version.Text), d.Version.Line,
		"the version %q is not one version", d.Version.Text)
	status, given := root.Get("status")
	refuse(given, status.Line, "status is not allowed here since 2025-09-29: the registry sets it")

	packages, _ := root.Get("packages")
	for _, p := range packages.Value.Items {
		for _, f := range p.Fields {
			refuse(strings.Contains(f.Key, "_"), f.Line,
				"the key %q is outdated: since 2025-09-16 keys are in camel case", f.Key)
		}
		kind, identifier, version := p.TextOf("registryType"), textAt(p, "identifier"), textAt(p, "version")
		refuse(identifier.Text == "" || strings.ContainsAny(identifier.Text, " \t"), p.Line,
			"a package has no usable identifier")
		refuse(versionRange().MatchString(version.Text), version.Line,
			"the version %q of the package is not one version", version.Text)
		refuse(kind == "mcpb" && !fileSHA256().MatchString(p.TextOf("fileSha256")), p.Line,
			"a bundle needs fileSha256, 64 digits in lower case")
		refuse(kind == "oci" && version.Text != "", version.Line,
			"the version of an image belongs in its identifier only")
		refuse(!hasAny(p, "transport"), p.Line, "a package has no transport")
	}
}
