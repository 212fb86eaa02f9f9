package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"strings"
)

// blackhole is a network between a client and a server at a URL, of which it writes one of its own to a file. While another
// file is there it swallows all that is sent, either way, and breaks off nothing: blackhole URL FILE HOLE.
func blackhole() int {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: blackhole URL FILE HOLE")
		return 2
	}
	host, path, _ := strings.Cut(strings.TrimPrefix(os.Args[1], "http://"), "/")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err == nil {
		err = os.WriteFile(os.Args[2], fmt.Appendf(nil, "http://%s/%s", listener.Addr(), path), 0o600)
	}
	for err == nil {
		var client, server net.Conn
		if client, err = listener.Accept(); err != nil {
			break
		}
		if server, err = net.Dial("tcp", host); err == nil {
			go pass(server, client)
			go pass(client, server)
		}
	}
	fmt.Fprintln(os.Stderr, "blackhole:", err)
	return 1
}

// pass hands on what comes, unless there is a hole.
func pass(to io.WriteCloser, from io.Reader) {
	defer to.Close()
	for buffer := make([]byte, 64<<10); ; {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		if _, hole := os.Stat(os.Args[3]); hole != nil {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
	}
}
