package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// webhook takes posts until the end of the test: webhook NAME REFUSED sets NAME_URL. The first REFUSED posts
// get status 503, the body of the last one is in NAME.body, and NAME.log has a line for each.
func webhook(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: webhook NAME REFUSED")
	}
	refused, err := strconv.Atoi(args[1])
	ts.Check(err)
	body, log := ts.MkAbs(args[0]+".body"), ts.MkAbs(args[0]+".log")
	var mu sync.Mutex
	text := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		got, _ := io.ReadAll(r.Body)
		text += fmt.Sprintln(r.Method, r.Header.Get("Content-Type"))
		_ = os.WriteFile(log, []byte(text), 0o600) // the script sees what is missing
		_ = os.WriteFile(body, got, 0o600)
		if refused--; refused >= 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	ts.Defer(server.Close)
	ts.Setenv(args[0]+"_URL", server.URL)
}
