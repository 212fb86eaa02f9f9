package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/internal/syntax"
	"github.com/mcpctl/mcpctl/internal/transport"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// autoDeclared names all of projectFiles.
const autoDeclared = "auto"

// projectFiles are the places in a project where their formats want these files.
var projectFiles = []string{"manifest.json", "package.json", "server.json",
	".well-known/mcp/server-card.json",
	".well-known/mcp.json", "server-card.json"}

const maxDeclared = 4 << 20 // bytes of a file

// declaredReader reads files that describe a server: server.json of the registry (every published schema),
// manifest.json of an MCP bundle, server cards of any version, and package.json with mcpName.
type declaredReader struct {
	Folder string // where relative names begin
	CACert []byte // PEM certificates to trust beside the system's, for URLs
}

// Load reads files and URLs. With autoDeclared it reads the files of the project that describe a server.
func (r declaredReader) Load(ctx context.Context, names []string) ([]check.Declared, error) {
	var all []check.Declared
	for _, name := range names {
		if name == autoDeclared {
			found, err := r.auto(ctx)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
			continue
		}
		d, err := r.load(ctx, name)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

func (r declaredReader) auto(ctx context.Context) ([]check.Declared, error) {
	var all []check.Declared
	for _, name := range projectFiles {
		d, err := r.load(ctx, name)
		switch {
		case err == nil:
			all = append(all, d)
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errNotDeclaration):
			return nil, err
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no file describes the server (looked for %s): name one",
			strings.Join(projectFiles, ", "))
	}
	return all, nil
}

func (r declaredReader) load(ctx context.Context, name string) (check.Declared, error) {
	shown := name
	if isURL(name) {
		shown = redact.Of(redact.OfURL(name)...).Text(name)
	}
	data, err := r.read(ctx, name)
	if err != nil {
		return check.Declared{}, fmt.Errorf("reading %s: %w", shown, err)
	}
	root, wrong := syntax.JSON(data)
	if wrong != nil {
		return check.Declared{}, fmt.Errorf("reading %s: line %d: %s: %s", shown, wrong.Line, wrong.Message,
			wrong.Hint)
	}
	return parseDeclared(shown, root)
}

// read returns the text of a file or of a URL.
func (r declaredReader) read(ctx context.Context, name string) ([]byte, error) {
	if isURL(name) {
		return r.fetch(ctx, name)
	}
	path, err := r.path(name)
	if err != nil {
		return nil, err
	}
	return files.ReadRegular(path, maxDeclared)
}

const (
	fetchTimeout = 15 * time.Second // until the end of the body
	maxRedirects = 3
)

// fetch reads a file from a URL. It follows redirects within its origin only, and sends no credentials.
func (r declaredReader) fetch(ctx context.Context, address string) ([]byte, error) {
	trusted, err := transport.TLSConfig(r.CACert)
	if err != nil {
		return nil, err
	}
	client := &http.Client{Timeout: fetchTimeout, CheckRedirect: sameOrigin,
		Transport: &http.Transport{Proxy: transport.Proxy, TLSClientConfig: trusted, DisableKeepAlives: true}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, errors.New("it is not a URL")
	}
	request.Header.Set("Accept", "application/mcp-server-card+json, application/json, */*;q=0.1")
	answer, err := client.Do(request)
	if err != nil {
		return nil, errors.Unwrap(err) // of a *url.Error, which names the address with its secrets
	}
	defer answer.Body.Close()
	switch kind := answer.Header.Get("Content-Type"); {
	case answer.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("HTTP %d %s", answer.StatusCode, http.StatusText(answer.StatusCode))
	case strings.HasPrefix(kind, "text/html"):
		return nil, errors.New("it is an HTML page; a server card is often at " +
			"/.well-known/mcp/server-card.json, or at the server's URL with /server-card")
	}
	return files.ReadLimited(answer.Body, maxDeclared)
}

func sameOrigin(next *http.Request, via []*http.Request) error {
	switch {
	case transport.Origin(next.URL) != transport.Origin(via[0].URL):
		return fmt.Errorf("it redirects to %s://%s; name the URL there", next.URL.Scheme, next.URL.Host)
	case len(via) > maxRedirects:
		return errors.New("it redirects too often")
	}
	return nil
}

// path returns the file of a name with links resolved. One that leads out of the project is an error.
func (r declaredReader) path(name string) (string, error) {
	name = files.From(r.Folder, name)
	if _, err := os.Stat(name); err != nil {
		return name, nil // opening it returns the error
	}
	return files.RealPath(name), files.CheckInside(r.Folder, name)
}

func isURL(name string) bool {
	return strings.HasPrefix(name, "https://") || strings.HasPrefix(name, "http://")
}

var errNotDeclaration = errors.New("not a server.json, manifest.json of a bundle, server card or " +
	"package.json with mcpName")

// parseDeclared recognizes a format by the members that it requires.
func parseDeclared(name string, root syntax.Value) (check.Declared, error) {
	if isRegistryAnswer(root) {
		inner, _ := root.Get("server")
		root = inner.Value
	}
	d := check.Declared{File: name, Version: saidAt(root, "version"), Title: saidAt(root, "title"),
		Items: map[snapshot.Kind][]check.DeclaredItem{}}
	schema := root.TextOf("$schema")
	switch {
	case isManifest(root):
		fromManifest(&d, root)
	case hasAny(root, "mcpName"):
		d.Name = saidAt(root, "mcpName")
		d.Packages = []check.DeclaredPackage{{Type: check.Value{Text: "npm"},
			Name: saidAt(root, "name"), Version: d.Version}}
	case hasAny(root, "packages", "remotes") || strings.HasSuffix(schema, "/server.schema.json"):
		fromRegistry(&d, root)
	case hasAny(root, "serverInfo", "transport", "transports") || strings.Contains(schema, "server-card"):
		fromCard(&d, root)
	default:
		return d, fmt.Errorf("reading %s: %w", name, errNotDeclaration)
	}
	return d, nil
}

// isRegistryAnswer reports whether a file is an answer of the registry: a server.json in an object.
func isRegistryAnswer(root syntax.Value) bool {
	inner, _ := root.Get("server")
	return inner.Value.Kind == syntax.Object && hasAny(inner.Value, "packages", "remotes")
}

func isManifest(root syntax.Value) bool { return hasAny(root, "manifest_version", "dxt_version") }

func hasAny(v syntax.Value, keys ...string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { _, ok := v.Get(key); return ok })
}

// firstMember returns the first member that exists, since some were renamed.
func firstMember(v syntax.Value, keys ...string) syntax.Field {
	for _, key := range keys {
		if f, ok := v.Get(key); ok {
			return f
		}
	}
	return syntax.Field{}
}

// saidAt returns a member that is a string.
func saidAt(v syntax.Value, keys ...string) check.Value {
	f := firstMember(v, keys...)
	if f.Value.Kind != syntax.Text {
		return check.Value{}
	}
	return check.Value{Text: f.Value.Text, Line: f.Line}
}

// declaredItems returns the tools or prompts that a member lists. ok is false if it is not a list.
func declaredItems(v syntax.Value, key string) (all []check.DeclaredItem, ok bool) {
	f, _ := v.Get(key)
	for _, v := range f.Value.Items {
		item := check.DeclaredItem{Name: saidAt(v, "name"), Description: saidAt(v, "description")}
		if arguments, ok := v.Get("arguments"); ok {
			names := kit.Map(arguments.Value.Items,
				func(a syntax.Value) string { return cmp.Or(a.TextOf("name"), a.Text) })
			item.Arguments = append([]string{}, names...)
		}
		all = append(all, item)
	}
	return all, f.Value.Kind == syntax.List
}

func declareList(d *check.Declared, kind snapshot.Kind, v syntax.Value) {
	if all, ok := declaredItems(v, string(kind)); ok {
		d.Items[kind] = all
	}
}

// fromManifest reads a manifest of MCPB, formerly DXT.
func fromManifest(d *check.Declared, root syntax.Value) {
	d.Title = saidAt(root, "display_name")
	d.Transports = []check.Value{{Text: "stdio", Line: saidAt(root, "name").Line}}
	declareList(d, snapshot.Tools, root)
	declareList(d, snapshot.Prompts, root)
	manifestVariables(d, root)
	d.AtLeast = map[snapshot.Kind]bool{snapshot.Tools: root.TextOf("tools_generated") == "true",
		snapshot.Prompts: root.TextOf("prompts_generated") == "true"}
	for _, key := range []string{"name", "version", "description", "author", "server"} {
		if !hasAny(root, key) {
			addFault(d, 1, "the manifest lacks %s, which is required", key)
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
				one := check.DeclaredVariable{Name: check.Value{Text: v.Key, Line: v.Line}}
				for _, f := range root.At("user_config", setting[1]) {
					one.Required = f.Value.TextOf("required") == "true"
				}
				d.Variables = append(d.Variables, one)
			}
		}
	}
}

// fromCard reads a server card. The present format has only remotes, older ones name the server and may list
// its tools.
func fromCard(d *check.Declared, root syntax.Value) {
	if info, ok := root.Get("serverInfo"); ok {
		d.Version, d.Title = saidAt(info.Value, "version"), saidAt(info.Value, "title")
	}
	registryRemotes(d, root)
	declareList(d, snapshot.Tools, root)
	declareList(d, snapshot.Prompts, root)
}

// fromRegistry reads a server.json. Keys were in snake case until 2025-09-16.
func fromRegistry(d *check.Declared, root syntax.Value) {
	d.Name = saidAt(root, "name")
	registryRemotes(d, root)
	packages, _ := root.Get("packages")
	for _, p := range packages.Value.Items {
		of := check.DeclaredPackage{Type: saidAt(p, "registryType", "registry_type"),
			Name: saidAt(p, "identifier"), Version: saidAt(p, "version")}
		for _, v := range firstMember(p, "environmentVariables", "environment_variables").Value.Items {
			required := firstMember(v, "isRequired", "is_required").Value.Text == "true"
			d.Variables = append(d.Variables,
				check.DeclaredVariable{Name: saidAt(v, "name"), Required: required})
		}
		d.Packages = append(d.Packages, of)
		kind := check.Value{Text: "stdio", Line: p.Line} // the default
		if transport, ok := p.Get("transport"); ok {
			kind = saidAt(transport.Value, "type")
		}
		d.Transports = append(d.Transports, kind)
	}
	registryFaults(d, root)
}

func registryRemotes(d *check.Declared, root syntax.Value) {
	all, _ := root.Get("remotes")
	for _, r := range all.Value.Items {
		if kind := saidAt(r, "type"); kind.Text != "" {
			d.Transports = append(d.Transports, kind)
		}
	}
}

const currentSchema = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

var (
	registryName = kit.Pattern(
		`^[a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?/[a-zA-Z0-9]([a-zA-Z0-9._-]*[a-zA-Z0-9])?$`)
	versionRange       = kit.Pattern(`^[\^~<>=]|\|\||(^|\.)[xX*](\.|$)| - `)
	fileSHA256         = kit.Pattern(`^[a-f0-9]{64}$`)
	longestDescription = 100
)

// registryFaults adds what the schema and the validators of the registry refuse.
func registryFaults(d *check.Declared, root syntax.Value) {
	schema, description := saidAt(root, "$schema"), saidAt(root, "description")
	switch {
	case schema.Text == "":
		addFault(d, 1, `"$schema" is missing, which the registry requires`)
	case schema.Text != currentSchema && !strings.Contains(schema.Text, "/draft/"):
		addFault(d, schema.Line, "the schema %q is not the current one, %s", schema.Text, currentSchema)
	}
	if !registryName().MatchString(d.Name.Text) {
		addFault(d, d.Name.Line, "the name %q is not of the form io.github.acme/tickets", d.Name.Text)
	}
	if n := utf8.RuneCountInString(description.Text); n < 1 || n > longestDescription {
		addFault(d, description.Line, "the description has %d characters; the registry takes 1 to %d", n,
			longestDescription)
	}
	if v := d.Version; v.Text == "" || v.Text == "latest" || versionRange().MatchString(v.Text) {
		addFault(d, v.Line, "the version %q is not one version", v.Text)
	}
	if status, ok := root.Get("status"); ok {
		addFault(d, status.Line, "status is not allowed here since 2025-09-29: the registry sets it")
	}
	packages, _ := root.Get("packages")
	for _, p := range packages.Value.Items {
		packageFaults(d, p)
	}
}

func packageFaults(d *check.Declared, p syntax.Value) {
	for _, f := range p.Fields {
		if strings.Contains(f.Key, "_") {
			addFault(d, f.Line,
				"the key %q is outdated: since 2025-09-16 keys are in camel case", f.Key)
		}
	}
	identifier, version, hash := saidAt(p, "identifier"), saidAt(p, "version"), saidAt(p, "fileSha256")
	switch kind := p.TextOf("registryType"); {
	case identifier.Text == "" || strings.ContainsAny(identifier.Text, " \t"):
		addFault(d, max(identifier.Line, p.Line), "a package has no usable identifier")
	case version.Text == "latest" || versionRange().MatchString(version.Text):
		addFault(d, version.Line, "the version %q of the package is not one version", version.Text)
	case kind == "mcpb" && !fileSHA256().MatchString(hash.Text):
		addFault(d, max(hash.Line, p.Line), "a bundle needs fileSha256, 64 digits in lower case")
	case kind == "oci" && version.Text != "":
		addFault(d, version.Line, "the version of an image belongs in its identifier only")
	}
	if !hasAny(p, "transport") {
		addFault(d, p.Line, "a package has no transport")
	}
}

func addFault(d *check.Declared, line int, format string, args ...any) {
	d.Faults = append(d.Faults, check.Value{Text: fmt.Sprintf(format, args...), Line: max(line, 1)})
}
