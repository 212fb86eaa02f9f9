//go:build real

package main

import (
	"cmp"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// realServer is one row of testdata/real/servers.json.
type realServer struct {
	Name, Npm, Go, Module, Bin string
	Tools                      int
	Transports                 map[string]*realTransport
}

// realTransport is how a server is started, and where it then listens.
type realTransport struct {
	Args []string
	Env  map[string]string
	URL  string
}

// TestReal runs testdata/real/server.txtar with the real binary (MCPCTL_REAL_BIN) for every real server that
// scripts/test-real.sh installed, over each of its transports, and more with the reference server.
func TestReal(t *testing.T) {
	for _, s := range realServers(t) {
		for kind := range s.Transports {
			t.Run(s.Name+"/"+kind, func(t *testing.T) {
				way := s.start(t, kind)
				variables := []string{"MCPCTL_CONFIG=" + s.configure(t, kind, way), "TRANSPORT=" + kind, "TOOLS=" + strconv.Itoa(s.Tools),
					"TARGET=" + cmp.Or(way.URL, s.program(t)), "CLIENT=" + os.Getenv("MCPCTL_REAL_CLIENT")}
				files := []string{"testdata/real/server.txtar"}
				if s.Name == "everything" {
					files = append(files, "testdata/real/everything.txtar", "testdata/real/client.txtar")
				}
				if s.Name == "everything" && kind == "stdio" { // before the others: it adds a resource to the installed server
					t.Run("alone", func(t *testing.T) { runReal(t, []string{"testdata/real/watch.txtar"}, variables...) })
				}
				runReal(t, files, variables...)
			})
		}
	}
}

// TestRealReleases compares published versions.
func TestRealReleases(t *testing.T) {
	if os.Getenv("MCPCTL_REAL_NODE") == "" {
		t.Skip("SKIPPED LOUDLY: the packages need Node, which this machine lacks")
	}
	runReal(t, []string{"testdata/real/releases.txtar"})
}

// runReal runs scripts with the real binary, and with the user's home since npm reads its settings there.
func runReal(t *testing.T, files []string, variables ...string) {
	params := scripts("")
	params.Files = files
	params.Setup = func(env *testscript.Env) error {
		err := setup(env)
		env.Vars = append(env.Vars, variables...)
		env.Setenv("MCPCTL_FORMAT", "json")
		env.Setenv("MCP_TIMEOUT", "60s")
		env.Setenv("HOME", os.Getenv("HOME"))
		env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, "state"))
		env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, "cache"))
		env.Setenv("PATH", filepath.Dir(os.Getenv("MCPCTL_REAL_BIN"))+string(filepath.ListSeparator)+env.Getenv("PATH"))
		return err
	}
	testscript.Run(t, params)
}

func realServers(t *testing.T) []realServer {
	data, err := os.ReadFile("../../testdata/real/servers.json")
	var servers []realServer
	if err == nil {
		err = json.Unmarshal(data, &servers)
	}
	if err != nil || len(servers) == 0 {
		t.Fatalf("reading the table of servers: %v, %d rows", err, len(servers))
	}
	return servers
}

// program returns the file of the server, or skips the test.
func (s realServer) program(t *testing.T) string {
	t.Helper()
	bin, err := exec.LookPath(s.Bin)
	switch {
	case err == nil:
		return bin
	case s.Npm != "" && os.Getenv("MCPCTL_REAL_NODE") == "":
		t.Skipf("SKIPPED LOUDLY: %s needs Node, which this machine lacks", s.Npm)
	case s.Go != "" && os.Getenv("MCPCTL_REAL_GO") == "":
		t.Skipf("NOT TESTED: %s takes minutes to build: make nightly", s.Go)
	}
	t.Fatal(err)
	return ""
}

// configure writes a configuration that names the server s.
func (s realServer) configure(t *testing.T, kind string, way realTransport) string {
	file := filepath.Join(t.TempDir(), "mcp.json")
	entry := map[string]any{"type": kind, "url": way.URL}
	if kind == "stdio" {
		entry = map[string]any{"command": s.program(t), "args": way.Args, "env": way.Env}
	}
	text, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"s": entry}})
	if err != nil {
		t.Fatal(err)
	}
	writeText(t, file, string(text))
	return file
}

// start returns how the server is reached, and starts it until the end of the test if that is at a URL.
func (s realServer) start(t *testing.T, kind string) realTransport {
	bin, port := s.program(t), freePort()
	fill := strings.NewReplacer("$TMP", t.TempDir(), "$PORT", port).Replace
	way := realTransport{URL: fill(s.Transports[kind].URL), Env: map[string]string{}}
	for _, a := range s.Transports[kind].Args {
		way.Args = append(way.Args, fill(a))
	}
	var env []string
	for k, v := range s.Transports[kind].Env {
		way.Env[k] = fill(v)
		env = append(env, k+"="+fill(v))
	}
	if kind != "stdio" {
		serve(t, port, exec.Command(bin, way.Args...), env)
	}
	return way
}

// serve runs an HTTP server until the end of the test and waits until its port answers.
func serve(t *testing.T, port string, cmd *exec.Cmd, env []string) {
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	})
	for range 300 {
		conn, err := net.DialTimeout("tcp", "localhost:"+port, time.Second)
		if err == nil {
			_ = conn.Close()
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("%v does not listen at port %s", cmd.Args, port)
}
