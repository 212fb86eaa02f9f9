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
	program, ndjson := filepath.Join(buildGoSDK(t), "changing"), []string{"watch", "--format", "ndjson"}
	t.Run("stdio", func(t *testing.T) {
		control := "127.0.0.1:" + freePort()
		w := startWatch(t, t.TempDir(), exec.Command("mcpctl", append(ndjson, "--", program, "-control", control)...), "tool/first")
		watchChanges(w, control)
		if err := order(control, "/exit"); err == nil {
			t.Error("it did not end")
		}
		w.untilOffers("tool/first")
	})
	for protocol, more := range map[string]string{"2026-07-28": "-stateless", "2025-11-25": "-stateless=false"} {
		t.Run("http "+protocol, func(t *testing.T) {
			control, listen := "127.0.0.1:"+freePort(), "127.0.0.1:"+freePort()
			cmd := exec.Command(program, "-control", control, "-http", listen, more)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
			})
			mustOrder(t, control, "/")
			watchChanges(startWatch(t, t.TempDir(), exec.Command("mcpctl", append(ndjson, "--protocol", protocol, "http://"+listen+"/mcp")...), "tool/first"), control)
		})
	}
}

// watchChanges changes what a server offers, which reports its changes itself.
func watchChanges(w *watching, control string) {
	w.Helper()
	w.until("live")
	for _, step := range []struct {
		command string
		want    []string
	}{
		{"/add?tool=second", []string{"tool/first", "tool/second"}},
		{"/remove?tool=first", []string{"tool/second"}},
		{"/add?prompt=p", []string{"tool/second", "prompt/p"}},
		{"/add?resource=x:1", []string{"tool/second", "prompt/p", "resource/x:1"}},
		{"/remove?prompt=p", []string{"tool/second", "resource/x:1"}},
		{"/remove?resource=x:1", []string{"tool/second"}},
	} {
		mustOrder(w.T, control, step.command)
		w.untilOffers(step.want...)
	}
	for n := range 20 {
		mustOrder(w.T, control, fmt.Sprint("/add?tool=more", n%2))
		mustOrder(w.T, control, fmt.Sprint("/remove?tool=more", (n+1)%2))
	}
	w.untilOffers("tool/more1", "tool/second")
	if w.reconnect > 0 {
		w.Errorf("reconnected %d times", w.reconnect)
	}
}

// mustOrder has a server do something, once it listens.
func mustOrder(t *testing.T, address, what string) {
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
