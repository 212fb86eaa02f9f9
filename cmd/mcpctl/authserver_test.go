package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mcpctl/mcpctl/internal/auth/authtest"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/fixture"
)

// authServers are the authorization servers of a script, by name.
type authServers struct{}

// authServer serves a fixture script behind OAuth: authserver NAME FILE [QUIRK…] sets NAME_URL and NAME_ISSUER. While it
// runs, authserver NAME QUIRK… changes it. A quirk is "life 1", "need SCOPE", "deny", "revoke access|refresh|all", …
func authServer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: authserver NAME FILE [QUIRK…] | authserver NAME QUIRK…")
	}
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
	for i := 0; i < len(words); i++ {
		switch word := words[i]; word {
		case "deny":
			q.Deny = true
		case "ancient":
			q.Ancient, q.Silent = true, true
		case "openid":
			q.OpenID = true
		case "revoke":
			i++
		case "life", "need", "iss", "state", "secret", "page":
			i++
			setQuirk(ts, q, word, words[i])
		default:
			ts.Fatalf("unknown quirk %q", word)
		}
	}
}

func setQuirk(ts *testscript.TestScript, q *authtest.Quirks, word, value string) {
	switch word {
	case "life":
		seconds, err := strconv.Atoi(value)
		ts.Check(err)
		q.Life = seconds
	case "need":
		q.Need = value
	case "iss":
		q.Iss = value
	case "state":
		q.State = value
	case "secret":
		q.Secret = value
	case "page":
		q.Metadata = map[string]any{"authorization_endpoint": value}
	}
}

// follow is a browser for scripts: it goes where a page sends it, and writes what it saw last, at once and whole, to the file that
// FOLLOWED names, if it names one: that may be after mcpctl has ended, so scripts wait with appears. With -ends it goes to the page alone, and writes where that sends it.
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
