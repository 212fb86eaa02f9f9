// Command mcpctl-store reaches the object stores of clouds for mcpctl, which starts it when a location such as s3://BUCKET/KEY is
// named. It is a program of its own because the libraries of the clouds are several times as large as mcpctl.
//
// On standard input come requests, on standard output go answers in any order: a line of JSON, and behind it as many bytes as its
// member size says. It ends with its input.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"sync"
)

// request and answer are what internal/store of mcpctl has, too.
type request struct {
	ID    int     `json:"id"`
	Op    string  `json:"op"`    // get, put, list or remove
	At    string  `json:"at"`    // SCHEME://BUCKET/KEY
	If    *string `json:"if"`    // put: the version that is replaced, empty = there is none; nil = whatever is there
	After string  `json:"after"` // list: the page after the one that said so
	Size  int     `json:"size"`
	body  []byte
}

type answer struct {
	ID      int      `json:"id"`
	Version string   `json:"version,omitempty"`
	Names   []string `json:"names,omitempty"`
	Next    string   `json:"next,omitempty"`
	Size    int      `json:"size,omitempty"`
	Kind    string   `json:"kind,omitempty"` // of the error: absent, changed, nobucket, denied or failed
	Error   string   `json:"error,omitempty"`
	body    []byte
}

func main() {
	if len(os.Args) != 2 || os.Args[1] != "serve-1" {
		fmt.Fprintln(os.Stderr, "mcpctl-store is started by mcpctl of the same version, and does nothing by itself: see docs/store.md there")
		os.Exit(2)
	}
	signal.Ignore(os.Interrupt) // mcpctl hears it, and may have a report to write
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve answers requests until there are no more. What is asked then still waits for nobody.
func serve(in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	all, answers := &buckets{open: map[string]*bucket{}}, &writer{out: bufio.NewWriter(out)}
	requests := bufio.NewReader(in)
	for {
		r, err := read(requests)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading a request: %w", err)
		}
		go func() { answers.write(r.ID, all.answer(ctx, r)) }()
	}
}

func read(in *bufio.Reader) (r request, err error) {
	line, err := in.ReadBytes('\n')
	if err != nil {
		return r, io.EOF
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return r, err
	}
	r.body = make([]byte, r.Size)
	_, err = io.ReadFull(in, r.body)
	return r, err
}

// writer writes whole answers.
type writer struct {
	mu  sync.Mutex
	out *bufio.Writer
}

// query is the part of an address that may hold a signature.
var query = regexp.MustCompile(`\?[^\s"]+`)

func (w *writer) write(id int, a answer) {
	a.ID, a.Size, a.Error = id, len(a.body), query.ReplaceAllString(a.Error, "")
	line, _ := json.Marshal(a)
	w.mu.Lock()
	defer w.mu.Unlock()
	_, _ = w.out.Write(append(line, '\n')) // the error comes back from Flush
	_, _ = w.out.Write(a.body)
	if w.out.Flush() != nil {
		os.Exit(1) // nobody reads
	}
}
