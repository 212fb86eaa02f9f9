package probe

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"go.yaml.in/yaml/v3"

	"github.com/mcpctl/mcpctl/internal/fixture"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

var update = flag.Bool("update", false, "rewrite what the cases expect")

// asked is the member "ask" of a case: how the server is reached, and with which options.
type asked struct {
	Over     string            // "stdio" (default), "http" or "https"
	Kind     HTTPKind          // of a server at a URL
	Path     string            // instead of the endpoint's own
	Protocol string            // Options.Protocol
	Retries  int               // Options.Retries
	Until    string            // the file of the script's making that ends the time, whatever the machine's speed
	Timeout  time.Duration     // what the end of the time is said to be
	Env      map[string]Secret // of a stdio server
	Headers  map[string]Secret // of a server at a URL
	Command  string            // instead of the fixture server
	Twice    bool              // Options.Twice
}

// TestProbe asks the server of each case and expects its "out".
func TestProbe(t *testing.T) {
	files, err := filepath.Glob("testdata/probe/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			testCase(t, file)
		})
	}
}

func testCase(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	members := map[string][]byte{}
	for _, member := range archive.Files {
		members[member.Name] = member.Data
	}
	var how asked
	if err := yaml.Unmarshal(members["ask"], &how); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	server := how.server(t, folder, members["server.yaml"])
	options := Options{ReadTwice: how.Twice, Protocol: how.Protocol, Retries: how.Retries, Environ: os.Environ(), Timeout: 2 * time.Minute}
	got := ""
	for result := range All(how.inTime(t, folder), []Server{server}, options) {
		got += steady(render(result))
	}
	if *update {
		archive.Files = append(archive.Files[:0:0], archive.Files...)
		rewrite(t, file, archive, got)
		return
	}
	if diff := cmp.Diff(string(members["out"]), got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func rewrite(t *testing.T, file string, archive *txtar.Archive, got string) {
	t.Helper()
	var kept []txtar.File
	for _, member := range archive.Files {
		if member.Name != "out" {
			kept = append(kept, member)
		}
	}
	archive.Files = append(kept, txtar.File{Name: "out", Data: []byte(got)})
	if err := os.WriteFile(file, txtar.Format(archive), 0o600); err != nil {
		t.Fatal(err)
	}
}

// inTime ends with the time that the server has: when it has made the file that says so.
func (a asked) inTime(t *testing.T, folder string) context.Context {
	if a.Until == "" {
		return t.Context()
	}
	ctx, end := context.WithCancelCause(t.Context())
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(filepath.Join(folder, a.Until)); err == nil {
				end(&timeoutError{limit: a.Timeout})
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	return ctx
}

// server starts what has to be started and says how to reach it.
func (a asked) server(t *testing.T, folder string, script []byte) Server {
	t.Helper()
	server := Server{Name: "srv"}
	file := filepath.Join(folder, "server.yaml")
	if err := os.WriteFile(file, script, 0o600); err != nil {
		t.Fatal(err)
	}
	switch a.Over {
	case "http", "https":
		server.HTTP = &HTTP{URL: a.listen(t, file), Headers: a.Headers, Kind: a.Kind}
	default:
		server.Stdio = a.command(t, file)
	}
	return server
}

func (a asked) command(t *testing.T, file string) *Stdio {
	t.Helper()
	if a.Command != "" {
		return &Stdio{Command: a.Command, Env: a.Env}
	}
	env := map[string]Secret{asServer: "fixture", "GOCOVERDIR": Secret(t.TempDir())} // else go test -cover writes to stderr
	for name, value := range a.Env {
		env[name] = value
	}
	return &Stdio{Command: os.Args[0], Args: []string{"stdio", file}, Env: env}
}

func (a asked) listen(t *testing.T, file string) string {
	t.Helper()
	script, err := fixture.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	listen := fixture.Listen
	if a.Over == "https" {
		listen = fixture.ListenTLS
	}
	listener := listen(script)
	t.Cleanup(listener.Close)
	if a.Path != "" {
		return listener.URL + a.Path
	}
	return listener.Address()
}

// steady takes what differs from run to run out of a text.
func steady(text string) string {
	text = regexp.MustCompile(`127\.0\.0\.1:\d+`).ReplaceAllString(text, "127.0.0.1:PORT")
	return strings.ReplaceAll(text, os.Getenv("PATH"), "$PATH")
}

// render is a result for a golden file.
func render(result Result) string {
	var out bytes.Buffer
	fmt.Fprintf(&out, "transport %s, attempts %d\n", result.Transport, result.Attempts)
	if shot := result.Snapshot; shot != nil {
		fmt.Fprintf(&out, "protocol %s %v\nserver %s\ncapabilities %s\n", shot.Protocol, shot.Supported, shot.Server, shot.Capabilities)
		if shot.Instructions != "" {
			fmt.Fprintf(&out, "instructions %q\n", shot.Instructions)
		}
		for _, kind := range snapshot.Kinds() {
			renderList(&out, kind, shot.List(kind))
		}
	}
	if result.SecondRead != nil {
		for _, list := range result.SecondRead {
			renderList(&out, "again "+list.Kind, list)
		}
	}
	for _, notice := range result.Notices {
		fmt.Fprintf(&out, "notice %s: %s: %s\n", notice.Stage, notice.Code, notice.Message)
	}
	for _, noise := range result.Noise {
		fmt.Fprintf(&out, "noise %q\n", noise)
	}
	for _, failure := range Failures(result.Err) {
		fmt.Fprintf(&out, "error %v\n", failure)
		fmt.Fprintf(&out, "  code: %s\n", failure.Code)
		if failure.Stderr != "" {
			fmt.Fprintf(&out, "  stderr: %q\n", failure.Stderr)
		}
	}
	return out.String()
}

// renderList shows a long list by its ends.
func renderList(out *bytes.Buffer, kind snapshot.Kind, list snapshot.List) {
	switch list.State {
	case snapshot.NotOffered:
		return
	case snapshot.Complete:
		fmt.Fprintf(out, "%s %d\n", kind, len(list.Items()))
	default:
		fmt.Fprintf(out, "%s %d, %s: %s\n", kind, len(list.Items()), list.State, list.Problem)
	}
	for i, item := range list.Items() {
		if i >= 5 && i < len(list.Items())-1 {
			continue
		}
		fmt.Fprintf(out, "  %q %s\n", item.Key, item.Raw)
	}
}
