package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/mark3labs/mcp-go/server/servertest"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mcpctl/mcpctl/internal/auth/authtest"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/fixture"
	"github.com/mcpctl/mcpctl/internal/packages/registrytest"
)

// authServers are the authorization servers of a script, by name.
type authServers struct{}

// authServer serves a fixture script behind OAuth: authserver NAME FILE [QUIRK…] sets NAME_URL and NAME_ISSUER. While it
// runs, authserver NAME QUIRK… changes it. A quirk is "life 1", "need SCOPE", "deny", "revoke access|refresh|all", …
func authServer(ts *testscript.TestScript, args []string) {
	running := ts.Value(authServers{}).(map[string]*authtest.Server)
	if s := running[args[0]]; s != nil {
		s.Change(func(q *authtest.Quirks) { quirks(ts, q, args[1:]) })
		if args[1] == "revoke" {
			s.Revoke(args[2])
		}
		return
	}
	script, err := fixture.Load(ts.MkAbs(args[1]))
	ts.Check(err)
	var q authtest.Quirks
	quirks(ts, &q, args[2:])
	s := authtest.New(fixture.HTTP(script), q)
	ts.Defer(s.Close)
	running[args[0]] = s
	ts.Setenv(args[0]+"_URL", s.URL)
	ts.Setenv(args[0]+"_ISSUER", s.Issuer)
}

// quirks reads the words of a script.
func quirks(ts *testscript.TestScript, q *authtest.Quirks, words []string) {
	flags := map[string]*bool{"deny": &q.Deny, "ancient": &q.Ancient, "openid": &q.OpenID}
	texts := map[string]*string{"need": &q.Need, "iss": &q.Iss, "state": &q.State, "secret": &q.Secret}
	for i := 0; i < len(words); i++ {
		if flag := flags[words[i]]; flag != nil {
			*flag = true
			q.Silent = q.Silent || q.Ancient
			continue
		}
		word := words[i]
		i++
		switch {
		case texts[word] != nil:
			*texts[word] = words[i]
		case word == "life":
			seconds, err := strconv.Atoi(words[i])
			ts.Check(err)
			q.Life = seconds
		case word == "page":
			q.Metadata = map[string]any{"authorization_endpoint": words[i]}
		case word != "revoke":
			ts.Fatalf("unknown quirk %q", word)
		}
	}
}

// follow is a browser for scripts: it goes where a page sends it, and writes what it saw last, at once and whole, to the file that
// FOLLOWED names, if it names one: that may be after mcpctl has ended, so scripts wait with appears. With -ends it goes to the page
// alone, and writes where that sends it.
func follow() int {
	client := &http.Client{}
	if os.Args[1] == "-ends" {
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	reply, err := client.Get(os.Args[len(os.Args)-1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer reply.Body.Close()
	if os.Args[1] == "-ends" {
		fmt.Println(reply.Header.Get("Location"))
	}
	page, err := io.ReadAll(reply.Body)
	if file := os.Getenv("FOLLOWED"); file != "" {
		head := fmt.Sprintf("%s\n%s\nends with %v\n", reply.Status, strings.Join(reply.Header["Content-Security-Policy"], ""), err)
		_ = files.Replace(file, append([]byte(head), page...))
	}
	return 0
}

// mcpgoServer offers one thing of every kind, over two pages of tools.
func mcpgoServer() *server.MCPServer {
	s := server.NewMCPServer("mcpgo", "1.2.1", server.WithToolCapabilities(true), server.WithPromptCapabilities(false),
		server.WithResourceCapabilities(false, false), server.WithPaginationLimit(2), server.WithInstructions("Built with mcp-go."))
	for _, name := range []string{"add", "divide", "multiply"} {
		schema := json.RawMessage(`{"type":"object","properties":{"a":{"type":["number","null"]},"b":true},"required":["a"]}`)
		s.AddTool(mcp.NewToolWithRawSchema(name, "Calculates.", schema), nil)
	}
	s.AddPrompt(mcp.NewPrompt("greet", mcp.WithArgument("who", mcp.RequiredArgument())), nil)
	s.AddResource(mcp.NewResource("test://motto", "motto"), nil)
	s.AddResourceTemplate(mcp.NewResourceTemplate("test://user/{id}", "user"), nil)
	return s
}

// mcpgoStdio is the program mcpgo: the server on standard input and output.
func mcpgoStdio() int {
	if err := server.NewStdioServer(mcpgoServer()).Listen(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// mcpgoHTTP serves the same over HTTP: mcpgohttp NAME both|legacy|sse sets NAME_URL.
func mcpgoHTTP(ts *testscript.TestScript, args []string) {
	var listening *httptest.Server
	path := "/mcp"
	switch args[1] {
	case "both":
		listening = servertest.NewTestStreamableHTTPServer(mcpgoServer())
	case "legacy":
		listening = servertest.NewTestStreamableHTTPServer(mcpgoServer(), server.WithStateful(true),
			server.WithStreamableHTTPProtocolVersions("2025-11-25"))
	case "sse":
		listening, path = servertest.NewTestServer(mcpgoServer()), "/sse"
	default:
		ts.Fatalf("unknown kind %q", args[1])
	}
	ts.Defer(func() {
		listening.CloseClientConnections()
		listening.Close()
	})
	ts.Setenv(args[0]+"_URL", listening.URL+path)
}

// npmRegistry serves every folder below DIR that has a package.json as a published package, until the end of the test, and is
// the registry that npm asks in this script: npmregistry DIR.
func npmRegistry(ts *testscript.TestScript, args []string) {
	published := map[string]map[string]registrytest.Release{}
	manifests := 0
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "package.json" {
			return err
		}
		one := registrytest.Release{Files: map[string]string{}}
		manifests++
		if err := json.Unmarshal([]byte(ts.ReadFile(path)), &one.Manifest); err != nil {
			return err
		}
		beside, err := os.ReadDir(filepath.Dir(path))
		for _, file := range beside {
			if !file.IsDir() && file.Name() != "package.json" {
				one.Files[file.Name()] = ts.ReadFile(filepath.Join(filepath.Dir(path), file.Name()))
			}
		}
		name, _ := one.Manifest["name"].(string)
		version, _ := one.Manifest["version"].(string)
		if published[name] == nil {
			published[name] = map[string]registrytest.Release{}
		}
		published[name][version] = one
		return err
	}))
	if manifests == 0 {
		ts.Fatalf("%s holds no package", args[0])
	}
	registry := registrytest.New(published)
	ts.Defer(registry.Close)
	ts.Setenv("npm_config_registry", registry.URL)
	ts.Setenv("npm_config_fetch_retries", "0")
}

// pypiIndex serves the files below DIR as a package index until the end of the script: pypi DIR NAME sets NAME to the address of
// its simple API.
func pypiIndex(ts *testscript.TestScript, args []string) {
	server := httptest.NewServer(http.FileServer(http.Dir(ts.MkAbs(args[0]))))
	ts.Defer(server.Close)
	ts.Setenv(args[1], server.URL+"/simple")
}

// ociRegistry is a registry of container images on this machine until the end of the script: ociregistry NAME IMAGE:TAG… sets NAME to
// its address. The images are empty.
func ociRegistry(ts *testscript.TestScript, args []string) {
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	ts.Defer(server.Close)
	address := strings.TrimPrefix(server.URL, "http://")
	ts.Setenv(args[0], address)
	for _, image := range args[1:] {
		tag, err := name.NewTag(address + "/" + image)
		ts.Check(err)
		ts.Check(remote.Write(tag, empty.Image))
	}
}
