//go:build real

package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mcpctl/mcpctl/pkg/probe"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// gosdkServer is the example server of the official go-sdk, an implementation that shares no code with us.
const gosdkServer = "github.com/modelcontextprotocol/go-sdk/examples/server/everything"

// TestRealGoSDK runs the scripts of testdata/gosdk against that server. It is skipped only when its modules cannot be had.
func TestRealGoSDK(t *testing.T) {
	t.Parallel()
	if found, _ := filepath.Glob("testdata/gosdk/*.txtar"); len(found) == 0 {
		t.Fatal("no scripts")
	}
	bin := buildGoSDK(t)
	params := scripts("testdata/gosdk")
	params.Cmds["gosdkhttp"] = gosdkHTTP
	params.Setup = func(env *testscript.Env) error {
		env.Setenv("PATH", bin+string(filepath.ListSeparator)+env.Getenv("PATH"))
		return setup(env)
	}
	testscript.Run(t, params)
}

func buildGoSDK(t *testing.T) (bin string) {
	t.Helper()
	module := filepath.Join("..", "..", "testdata", "gosdk-everything")
	if out, err := exec.Command("go", "-C", module, "mod", "download").CombinedOutput(); err != nil {
		t.Skipf("NOT TESTED: the go-sdk cannot be downloaded: %v\n%s", err, out)
	}
	bin = t.TempDir()
	if out, err := exec.Command("go", "-C", module, "build", "-o", bin+string(filepath.Separator), gosdkServer, "./changing").CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", gosdkServer, err, out)
	}
	return bin
}

// gosdkHTTP starts the server over streamable HTTP until the end of the test: gosdkhttp NAME sets NAME_URL.
func gosdkHTTP(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: gosdkhttp NAME")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	address := listener.Addr().String()
	ts.Check(listener.Close())
	path, err := exec.LookPath(filepath.Join(filepath.SplitList(ts.Getenv("PATH"))[0], "everything"))
	ts.Check(err)
	cmd := exec.Command(path, "-http", address)
	ts.Check(cmd.Start())
	ts.Defer(func() {
		_ = cmd.Process.Signal(os.Kill)
		_ = cmd.Wait()
	})
	for range 1000 {
		if conn, err := net.Dial("tcp", address); err == nil {
			ts.Check(conn.Close())
			ts.Setenv(args[0]+"_URL", "http://"+address+"/mcp")
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	ts.Fatalf("nothing listens at %s", address)
}

// TestRealWatchGoSDK changes what a server on the official go-sdk offers, over both its transports, and ends it.
func TestRealWatchGoSDK(t *testing.T) {
	program := filepath.Join(buildGoSDK(t), "changing")
	t.Run("stdio", func(t *testing.T) {
		control := "127.0.0.1:" + freePort(t)
		l := lookOut(t, probe.Server{Name: "changing", Stdio: &probe.Stdio{Command: program, Args: []string{"-control", control}}})
		watchChanges(t, l, control, "2026-07-28")
		if err := order(control, "/exit"); err == nil {
			t.Error("it did not end")
		}
		l.until("first")
		if n := l.view.Status().Counts.Connections; n < 2 {
			t.Errorf("connected %d times, want a second time once it had ended", n)
		}
	})
	for protocol, more := range map[string]string{"2026-07-28": "-stateless", "2025-11-25": "-stateless=false"} {
		t.Run("http "+protocol, func(t *testing.T) {
			control, listen := "127.0.0.1:"+freePort(t), "127.0.0.1:"+freePort(t)
			cmd := exec.Command(program, "-control", control, "-http", listen, more)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = cmd.Wait() }()
			defer func() { _ = cmd.Process.Kill() }()
			command(t, control, "/")
			l := lookOut(t, probe.Server{Name: "changing", HTTP: &probe.HTTP{URL: "http://" + listen + "/mcp"}})
			watchChanges(t, l, control, protocol)
		})
	}
}

// watchChanges changes what a server offers; it must be of this protocol and report its changes itself.
func watchChanges(t *testing.T, l *lookout, control, protocol string) {
	t.Helper()
	l.until("first")
	if got := l.view.Status(); got.State != watch.Live || got.Surface.Protocol != protocol {
		t.Errorf("the state is %s with %s, want live with %s", got.State, got.Surface.Protocol, protocol)
	}
	for _, step := range []struct {
		command string
		want    []string
	}{
		{"/add?tool=second", []string{"first", "second"}},
		{"/remove?tool=first", []string{"second"}},
		{"/add?prompt=p", []string{"second", "prompt/p"}},
		{"/add?resource=x:1", []string{"second", "prompt/p", "resource/x:1"}},
		{"/remove?prompt=p", []string{"second", "resource/x:1"}},
		{"/remove?resource=x:1", []string{"second"}},
	} {
		command(t, control, step.command)
		l.until(step.want...)
	}
	for n := range 20 {
		command(t, control, fmt.Sprint("/add?tool=more", n%2))
		command(t, control, fmt.Sprint("/remove?tool=more", (n+1)%2))
	}
	l.until("more1", "second")
	if n := l.view.Status().Counts.Connections; n != 1 {
		t.Errorf("connected %d times", n)
	}
}

// command has a server do something, once it listens.
func command(t *testing.T, address, what string) {
	t.Helper()
	var err error
	for range 1000 {
		if err = order(address, what); err == nil {
			return
		}
		<-time.After(10 * time.Millisecond)
	}
	t.Fatal(err)
}

// order sends a command over a connection of its own.
func order(address, what string) error {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	reply, err := client.Get("http://" + address + what)
	if err != nil {
		return err
	}
	return reply.Body.Close()
}
