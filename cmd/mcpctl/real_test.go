//go:build real

package main

import (
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// realServer is one row of testdata/real/servers.json.
type realServer struct {
	Name, Npm, Go, Module, Bin string
	Tools                      int
	Transports                 map[string]struct {
		Args []string
		Env  map[string]string
		URL  string
	}
}

// TestReal drives the real binary (MCPCTL_REAL_BIN) against every real server that scripts/test-real.sh installed: each
// transport it has is listed, checked, saved twice byte for byte the same, and compared with an empty result.
func TestReal(t *testing.T) {
	for _, s := range realServers(t) {
		for kind := range s.Transports {
			t.Run(s.Name+"/"+kind, func(t *testing.T) { s.drive(t, kind) })
		}
	}
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

func (s realServer) drive(t *testing.T, kind string) {
	bin, err := exec.LookPath(s.Bin)
	if err != nil && s.Npm != "" && os.Getenv("MCPCTL_REAL_NODE") == "" {
		t.Skipf("SKIPPED LOUDLY: %s needs Node, which this machine lacks", s.Npm)
	}
	if err != nil && s.Go != "" && os.Getenv("MCPCTL_REAL_GO") == "" {
		t.Skipf("NOT TESTED: %s takes minutes to build: make nightly", s.Go)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir()) // some servers report the folder they run in
	source := s.source(t, kind, bin)
	dirs := []string{filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")}
	s.list(t, kind, source)
	s.check(t, source)
	for _, dir := range dirs {
		mcpctl(t, 0, source, "snapshot", "--snapshots", dir)
	}
	first, second := onlyFile(t, dirs[0]), onlyFile(t, dirs[1])
	if first != second {
		t.Errorf("two snapshots of %s over %s differ", s.Name, kind)
	}
	var report struct{ Findings []json.RawMessage }
	if err := json.Unmarshal(mcpctl(t, 0, source, "diff", "--snapshots", dirs[0], "--fail-on", "any"), &report); err != nil || len(report.Findings) != 0 {
		t.Errorf("diff with itself: %v, %d findings: %s", err, len(report.Findings), report.Findings)
	}
}

func (s realServer) list(t *testing.T, kind string, source []string) {
	var report struct {
		Servers []struct {
			State, Transport, ProtocolVersion string
			Counts                            struct{ Tools int }
		}
	}
	if err := json.Unmarshal(mcpctl(t, 0, source, "list"), &report); err != nil || len(report.Servers) != 1 {
		t.Fatalf("listing: %v, %d servers", err, len(report.Servers))
	}
	got := report.Servers[0]
	t.Logf("%s over %s: protocol %s, %d tools", s.Name, got.Transport, got.ProtocolVersion, got.Counts.Tools)
	if got.State != "ok" || got.Transport != kind || got.Counts.Tools < s.Tools {
		t.Errorf("listed %+v, want state ok, transport %s and at least %d tools", got, kind, s.Tools)
	}
}

// source is how mcpctl names the server: a URL, after starting the server there, or the words around "--".
// It is what follows the command's own flags.
func (s realServer) source(t *testing.T, kind, bin string) []string {
	way, port := s.Transports[kind], freePort(t)
	fill := strings.NewReplacer("$TMP", t.TempDir(), "$PORT", port).Replace
	var args, env []string
	for _, a := range way.Args {
		args = append(args, fill(a))
	}
	for k, v := range way.Env {
		env = append(env, k+"="+fill(v))
	}
	if kind == "stdio" {
		var source []string
		for _, e := range env {
			source = append(source, "--env", e)
		}
		return append(append(source, "--", bin), args...)
	}
	serve(t, port, exec.Command(bin, args...), env)
	return []string{fill(way.URL)}
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

func freePort(t *testing.T) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	return port
}

// mcpctl runs the real binary and gives its standard output.
func mcpctl(t *testing.T, status int, source []string, args ...string) []byte {
	return runReal(t, status, append(append(args, "--format", "json", "--timeout", "60s"), source...))
}

func runReal(t *testing.T, status int, words []string) []byte {
	cmd := exec.Command(os.Getenv("MCPCTL_REAL_BIN"), words...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != status {
		t.Fatalf("mcpctl %v: %v, want exit status %d\n%s\n%s", words, err, status, out, stderr.String())
	}
	return out
}

// onlyFile is the one snapshot of a folder, which may have the lock of what it was taken from beside it.
func onlyFile(t *testing.T, dir string) string {
	files, _ := filepath.Glob(filepath.Join(dir, "*.json"))
	files = slices.DeleteFunc(files, func(file string) bool { return filepath.Base(file) == "mcpctl.lock.json" })
	if len(files) != 1 {
		t.Fatalf("%d snapshots in %s, want 1", len(files), dir)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
