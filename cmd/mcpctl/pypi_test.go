package main

import (
	"net/http"
	"net/http/httptest"

	"github.com/rogpeppe/go-internal/testscript"
)

// pypiIndex serves the files below DIR as a package index until the end of the script: pypi DIR NAME sets NAME to the address of
// its simple API.
func pypiIndex(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: pypi DIR NAME")
	}
	server := httptest.NewServer(http.FileServer(http.Dir(ts.MkAbs(args[0]))))
	ts.Defer(server.Close)
	ts.Setenv(args[1], server.URL+"/simple")
}
