package main

import (
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/pkg/probe"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// TestWatchGoSDK changes what a server on the official go-sdk offers, over both its transports, and ends it.
func TestWatchGoSDK(t *testing.T) {
	program := filepath.Join(buildGoSDK(t), "changing")
	t.Run("stdio", func(t *testing.T) {
		control := nobodysAddress(t)
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
			control, listen := nobodysAddress(t), nobodysAddress(t)
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

func nobodysAddress(t *testing.T) string {
	t.Helper()
	address, err := freeAddress()
	if err != nil {
		t.Fatal(err)
	}
	return address
}
