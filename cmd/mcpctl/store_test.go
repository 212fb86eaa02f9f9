//go:build store

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// fakeS3 is the server that stands for Amazon's. It keeps to conditions of writes.
const fakeS3 = "github.com/johannesboyne/gofakes3/cmd/gofakes3@v1.2.0"

// cloud is a server of objects with a proxy before it, mcpctl and mcpctl-store.
type cloud struct {
	dir, program string
	environ      []string
	forward      http.Handler

	mu     sync.Mutex
	fault  func(w http.ResponseWriter, r *http.Request) (done bool) // nil = none
	passed map[string]int                                           // requests that came through, by what they did
}

// newCloud starts a server at an address. The environment is what finds it behind the proxy.
func newCloud(t *testing.T, start func(c *cloud, address string) *exec.Cmd, environ func(proxy string) []string) *cloud {
	c := &cloud{dir: t.TempDir(), passed: map[string]int{}}
	bin := filepath.Join(c.dir, "bin")
	c.program = filepath.Join(bin, "mcpctl")
	c.build(t, "build", "-o", bin+"/", ".", "../../examples/tickets")
	c.build(t, "build", "-C", "../../mcpctl-store", "-o", filepath.Join(bin, "mcpctl-store"), ".")
	address, err := freeAddress()
	if err != nil {
		t.Fatal(err)
	}
	server := start(c, address)
	server.Stderr = os.Stderr
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = server.Process.Kill(), server.Wait() })
	awaitServer(t, address)
	target := &url.URL{Scheme: "http", Host: address}
	c.forward = &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	proxy := httptest.NewServer(http.HandlerFunc(c.serve))
	t.Cleanup(proxy.Close)
	c.environ = append(os.Environ(), environ(proxy.Listener.Addr().String())...)
	c.environ = append(c.environ, "MCPCTL_CONFIG="+filepath.Join(c.dir, "mcp.json"), "PATH="+bin+":"+os.Getenv("PATH"), "XDG_STATE_HOME="+c.dir)
	c.offer(t, 1)
	return c
}

// awaitServer returns once something listens.
func awaitServer(t *testing.T, address string) {
	for until := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		connection, err := net.Dial("tcp", address)
		if err == nil {
			_ = connection.Close()
			return
		}
		if time.Now().After(until) {
			t.Fatal(err)
		}
	}
}

func (c *cloud) build(t *testing.T, args ...string) {
	command := exec.Command("go", args...)
	command.Env = append(os.Environ(), "GOBIN="+filepath.Join(c.dir, "bin"), "GOFLAGS=-trimpath", "CGO_ENABLED=0")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("go %v: %v: %s", args, err, out)
	}
}

// offer changes which version of its surface the example server has.
func (c *cloud) offer(t *testing.T, version int) {
	c.write(t, "mcp.json", fmt.Sprintf(`{"mcpServers": {"tickets": {"command": "tickets", "args": ["-surface", "%d"]}}}`, version))
}

func (c *cloud) write(t *testing.T, name, text string) {
	path := filepath.Join(c.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// serve passes a request on unless there is a fault in between.
func (c *cloud) serve(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	fault := c.fault
	c.mu.Unlock()
	if fault != nil && fault(w, r) {
		return
	}
	c.mu.Lock()
	c.passed[kindOf(r)]++
	c.mu.Unlock()
	c.forward.ServeHTTP(w, r)
}

func kindOf(r *http.Request) string {
	if r.URL.Query().Has("list-type") {
		return "LIST"
	}
	return r.Method
}

// hinder lets the next n requests of a kind meet a fault.
func (c *cloud) hinder(kind string, n int, fault func(w http.ResponseWriter, r *http.Request) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fault = func(w http.ResponseWriter, r *http.Request) bool {
		c.mu.Lock()
		hit := n > 0 && kindOf(r) == kind
		if hit {
			n--
		}
		c.mu.Unlock()
		return hit && fault(w, r)
	}
}

// run runs mcpctl, and wants an exit status and a text of what it says.
func (c *cloud) run(t *testing.T, status int, says string, args ...string) []byte {
	t.Helper()
	command := exec.Command(c.program, args...)
	var out, said bytes.Buffer
	command.Env, command.Dir, command.Stdout, command.Stderr = c.environ, c.dir, &out, &said
	err := command.Run()
	if got := command.ProcessState.ExitCode(); got != status || !strings.Contains(out.String()+said.String(), says) {
		t.Errorf("mcpctl %s: status %d (%v), want %d and %q: %s%s", strings.Join(args, " "), got, err, status, says, out.String(), said.String())
	}
	return out.Bytes()
}

func cut(w http.ResponseWriter, _ *http.Request) bool {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		_ = connection.Close()
	}
	return true
}

func busy(w http.ResponseWriter, _ *http.Request) bool {
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = fmt.Fprint(w, `<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>`)
	return true
}

// TestStoreS3 keeps snapshots and reports in S3, with what goes wrong between here and there.
func TestStoreS3(t *testing.T) {
	c := newCloud(t, func(c *cloud, address string) *exec.Cmd {
		c.build(t, "install", fakeS3)
		return exec.Command(filepath.Join(c.dir, "bin", "gofakes3"), "-backend", "memory", "-host", address, "-initialbucket", "fleet", "-quiet")
	}, func(proxy string) []string {
		return []string{"AWS_ENDPOINT_URL_S3=http://" + proxy, "AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test", "AWS_REGION=us-east-1", "AWS_CONFIG_FILE=/dev/null"}
	})
	c.keep(t, "s3://fleet/", http.MethodPut, "NoSuchBucket")
	t.Run("many", func(t *testing.T) {
		const servers = 1234
		for i := range servers {
			c.write(t, fmt.Sprintf("many/s%d.json", i), fmt.Sprintf(`{"mcpctl": 1, "tools": [{"name": "t%d"}]}`, i))
		}
		c.run(t, 0, "1234 created", "snapshot", "many", "--snapshots", "s3://fleet/many")
		c.mu.Lock()
		c.passed = map[string]int{}
		c.mu.Unlock()
		var all struct{ Servers []json.RawMessage }
		if err := json.Unmarshal(c.run(t, 0, "", "list", "s3://fleet/many", "--format", "json"), &all); err != nil || len(all.Servers) != servers {
			t.Errorf("%d servers, %v", len(all.Servers), err)
		}
		c.run(t, 0, "no changes", "diff", "many", "s3://fleet/many")
		if c.passed["LIST"] != 2*(2+1) { // the one more is whether there is a bucket at all, since it holds no lock
			t.Errorf("listed %d times, want two lists of two pages, and twice whether there is a bucket: %v", c.passed["LIST"], c.passed)
		}
	})
}
