package monitor

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestHosts lets no name through but those of this machine, and asks nobody where others are meant to reach it.
func TestHosts(t *testing.T) {
	for host, want := range map[string]int{
		"localhost": 200, "LOCALHOST:9464": 200, "127.0.0.1:9464": 200, "127.8.8.8": 200, "[::1]:9464": 200, "[::1]": 200,
		"evil.example": 421, "localhost.evil.example": 421, "127.0.0.1.evil.example:9464": 421, "192.168.0.1": 421, "0.0.0.0:9464": 421,
	} {
		local, open := New(Options{Loopback: true}).Handler(), New(Options{Token: "t"}).Handler()
		if response, _ := ask(t, local, "GET", "/healthz", "", "Host: "+host); response.StatusCode != want {
			t.Errorf("on loopback %q gets %d, want %d", host, response.StatusCode, want)
		}
		if response, _ := ask(t, open, "GET", "/healthz", "", "Host: "+host); response.StatusCode != 200 {
			t.Errorf("elsewhere %q gets %d, want 200", host, response.StatusCode)
		}
	}
}

// TestPace lets a burst through at once, and then so many requests in a second, each within a bounded time of its turn; time that was not
// used is not saved up.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pace
		began := time.Now()
		for range paceBurst {
			p.wait(t.Context())
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("the first take %v", took)
		}
		for range 2 * pacePerSecond {
			p.wait(t.Context())
		}
		if took := time.Since(began); took < 1900*time.Millisecond || took > 2100*time.Millisecond {
			t.Errorf("twice as many as in a second take %v", took)
		}
		time.Sleep(time.Hour)
		began = time.Now()
		for range paceBurst + pacePerSecond {
			p.wait(t.Context())
		}
		if took := time.Since(began); took < 900*time.Millisecond {
			t.Errorf("after an hour of silence a burst and a second's worth take %v", took)
		}
		ctx, leave := context.WithCancel(t.Context())
		leave()
		began = time.Now()
		if p.wait(ctx); time.Since(began) != 0 {
			t.Error("who left is waited for")
		}
	})
}

// TestToken opens what shows it, health is open to everybody, and nothing shows whether a server exists.
func TestToken(t *testing.T) {
	h := monitorOf(Options{Token: "t0ken"}, five()...).Handler()
	for _, c := range []struct {
		path, authorization string
		want                int
	}{
		{"/healthz", "", 200}, {"/readyz", "", 503},
		{"/v1/servers", "Bearer t0ken", 200}, {"/v1/servers", "bearer  t0ken ", 200},
		{"/v1/servers", "", 401}, {"/v1/servers", "t0ken", 401}, {"/v1/servers", "Bearer", 401}, {"/v1/servers", "Bearer t0kenx", 401},
		{"/metrics", "", 401}, {"/v1/events", "", 401}, {"/openapi.json", "", 401}, {"/v1/servers/nobody", "", 401}, {"/nothing", "", 401},
	} {
		response, body := ask(t, h, "GET", c.path, "", "Authorization: "+c.authorization)
		if response.StatusCode != c.want {
			t.Errorf("%s with %q gets %d, want %d", c.path, c.authorization, response.StatusCode, c.want)
		}
		if c.want == 401 && (!strings.HasPrefix(response.Header.Get("WWW-Authenticate"), "Bearer") || strings.Contains(body, "t0ken")) {
			t.Errorf("%s: %v %s", c.path, response.Header, body)
		}
	}
}

// TestOtherOrigins can neither read nor ask.
func TestOtherOrigins(t *testing.T) {
	m := monitorOf(Options{Loopback: true}, five()...)
	for _, headers := range [][]string{{"Origin: https://evil.example"}, {"Sec-Fetch-Site: cross-site"}, {"Sec-Fetch-Site: same-site"}} {
		if response, _ := ask(t, m.Handler(), "POST", "/v1/servers/trouble/refresh", "", headers...); response.StatusCode != http.StatusForbidden {
			t.Errorf("%v gets %d", headers, response.StatusCode)
		}
	}
	for _, c := range []struct {
		path, site, mode, dest, origin string
		want                           int
	}{
		{path: "/v1/servers", want: 200},
		{path: "/v1/servers", site: "none", want: 200},
		{path: "/v1/servers", site: "same-origin", want: 200},
		{path: "/v1/servers", site: "cross-site", want: 403},
		{path: "/v1/servers", site: "same-site", want: 403}, // another port of this machine
		{path: "/v1/servers", site: "cross-site", mode: "navigate", dest: "document", want: 403},
		{path: "/metrics", site: "cross-site", mode: "no-cors", dest: "image", want: 403},
		{path: "/healthz", site: "cross-site", want: 403},
		{path: "/v1/servers", origin: "https://evil.example", want: 403},
		{path: "/v1/servers", origin: "null", want: 403},
		{path: "/v1/servers", origin: "http://localhost:9464", want: 200},
		{path: "/v1/servers", origin: "http://localhost:3000", want: 403},
	} {
		response, _ := ask(t, m.Handler(), "GET", c.path, "", "Sec-Fetch-Site: "+c.site, "Sec-Fetch-Mode: "+c.mode, "Sec-Fetch-Dest: "+c.dest, "Origin: "+c.origin)
		if response.StatusCode != c.want {
			t.Errorf("%+v gets %d", c, response.StatusCode)
		}
	}
	response, _ := ask(t, m.Handler(), "GET", "/v1/servers", "", "Origin: https://evil.example")
	if response.Header.Get("Access-Control-Allow-Origin") != "" || response.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("headers %v", response.Header)
	}
}

func TestAddresses(t *testing.T) {
	for text, want := range map[string]string{
		"9464": "127.0.0.1:9464", ":9464": "127.0.0.1:9464", "localhost:9464": "127.0.0.1:9464", "127.0.0.1:0": "127.0.0.1:0",
		"[::1]:9464": "[::1]:9464", "0.0.0.0:9464": "0.0.0.0:9464", "[::]:9464": "[::]:9464", "10.1.2.3:80": "10.1.2.3:80",
		"[::ffff:127.0.0.1]:1": "127.0.0.1:1",
		"":                     "", "host:9464": "", "*:9464": "", "127.0.0.1": "", "127.0.0.1:": "", "70000": "", "-1": "", "127.0.0.1:http": "", "http://127.0.0.1:9464": "",
	} {
		got, err := ParseAddress(text)
		switch {
		case want == "" && err == nil:
			t.Errorf("%q is read as %s, want an error", text, got)
		case want != "" && (err != nil || got.String() != want):
			t.Errorf("%q is read as %s (%v), want %s", text, got, err, want)
		}
	}
}

// FuzzParseAddress finds nothing that is open to others without their interface being written out.
func FuzzParseAddress(f *testing.F) {
	for _, text := range []string{"9464", ":9464", "0.0.0.0:1", "[::]:1", "::1", "[]:1", "[fe80::1%eth0]:1", "localhost:", "0:0", "00000:1", "[[::]]:1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		address, err := ParseAddress(text)
		if err != nil || address.Addr().IsLoopback() {
			return
		}
		host := text[:strings.LastIndexByte(text, ':')]
		if written, err := netip.ParseAddr(strings.Trim(host, "[]")); err != nil || written.Unmap() != address.Addr() {
			t.Errorf("%q is read as %s", text, address)
		}
	})
}
