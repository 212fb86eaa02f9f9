package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// fetch is an HTTP client for scripts: fetch [until REGEXP] METHOD URL ["HEADER: VALUE"…]. The body goes to standard
// output, the status and the headers to standard error. A server that is not there yet is waited for; with until, so is a
// body that matches, of one request after the other or, when it is a stream, of the one request.
func fetch(args []string) int {
	until := regexp.MustCompile("")
	if len(args) > 1 && args[0] == "until" {
		until, args = regexp.MustCompile(args[1]), args[2:]
	}
	if len(args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: fetch [until REGEXP] METHOD URL [HEADER…]")
		return 2
	}
	client := http.Client{Timeout: 5 * time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for late := time.Now().Add(5 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		head, body, err := fetchOnce(&client, until, args)
		if err == nil && until.MatchString(body) || time.Now().After(late) {
			fmt.Print(body)
			fmt.Fprintln(os.Stderr, head, err)
			return 0
		}
	}
}

func fetchOnce(client *http.Client, until *regexp.Regexp, args []string) (head, body string, err error) {
	request, err := http.NewRequest(args[0], args[1], nil)
	if err != nil {
		return "", "", err
	}
	for _, header := range args[2:] {
		key, value, _ := strings.Cut(header, ": ")
		if request.Header.Set(key, value); key == "Host" {
			request.Host = value
		}
	}
	response, err := client.Do(request)
	if err != nil {
		return "", "", err
	}
	defer response.Body.Close()
	lines := []string{response.Status}
	for key, values := range response.Header {
		lines = append(lines, key+": "+strings.Join(values, ", "))
	}
	slices.Sort(lines[1:])
	body, err = readUntil(response, until)
	return strings.Join(lines, "\n"), body, err
}

// readUntil reads a body to its end, or a stream until it matches something that is not nothing.
func readUntil(response *http.Response, until *regexp.Regexp) (string, error) {
	stream := until.String() != "" && response.Header.Get("Content-Type") == "text/event-stream"
	var body strings.Builder
	for part := make([]byte, 4096); ; {
		n, err := response.Body.Read(part)
		body.Write(part[:n])
		switch {
		case err == io.EOF, stream && until.MatchString(body.String()):
			return body.String(), nil
		case err != nil:
			return body.String(), err
		}
	}
}

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

// appears is the program that lets a shell script wait for what another program writes: appears FILE COUNT REGEXP waits until
// as many lines match. Its status is 1 when that takes longer than five minutes.
func appears() int {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: appears FILE COUNT REGEXP")
		return 2
	}
	wanted, err := strconv.Atoi(os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, "appears:", err)
		return 2
	}
	pattern := regexp.MustCompile("(?m)" + os.Args[3])
	var text []byte
	for late := time.Now().Add(5 * time.Minute); time.Now().Before(late); time.Sleep(10 * time.Millisecond) {
		text, _ = os.ReadFile(os.Args[1]) // it may not be there yet
		if len(pattern.FindAll(text, -1)) >= wanted {
			return 0
		}
	}
	fmt.Fprintf(os.Stderr, "appears: %s never was in %s %d times, which has\n%s", pattern, os.Args[1], wanted, text)
	return 1
}
