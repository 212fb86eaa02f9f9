package main

import (
	"net"

	"github.com/rogpeppe/go-internal/testscript"
)

// port finds a port of the loopback interface that no one listens on: port NAME sets NAME.
func port(ts *testscript.TestScript, args []string) {
	ts.Setenv(args[0], freePort())
}

func freePort() string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	return port
}
