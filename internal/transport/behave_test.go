package transport

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf16"

	"go.uber.org/goleak"
)

// TestMain runs this binary as a misbehaving server when a test asks for one.
func TestMain(m *testing.M) {
	if name := os.Getenv("BEHAVE"); name != "" {
		behaviours[name](&server{in: bufio.NewReader(os.Stdin)})
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// server is the child's side: requests in, raw bytes out.
type server struct{ in *bufio.Reader }

// next is the id and method of the next message on stdin; it ends the process at the end of stdin.
func (s *server) next() (id, method string) {
	line, err := s.in.ReadString('\n')
	if err != nil {
		os.Exit(0)
	}
	var m struct {
		ID     json.RawMessage
		Method string
	}
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		fmt.Fprintf(os.Stderr, "bad request: %s", line)
		os.Exit(99)
	}
	return string(m.ID), m.Method
}

// answer writes text for each request, with ID replaced by its id.
func (s *server) answer(text string) {
	for {
		id, _ := s.next()
		s.write(strings.ReplaceAll(text, "ID", id))
	}
}

func (*server) write(text string) { _, _ = io.WriteString(os.Stdout, text) }

// rest waits for the end of stdin.
func (s *server) rest() { _, _ = io.Copy(io.Discard, s.in) }

// helper starts another process that holds our stdout and stderr and outlives us, and reports its number on stderr.
func helper(attr *syscall.SysProcAttr) *exec.Cmd {
	cmd := exec.Command("sleep", "1000")
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = os.Stdout, os.Stderr, attr
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	fmt.Fprintf(os.Stderr, "helper %d\n", cmd.Process.Pid)
	return cmd
}

const fine = `{"jsonrpc":"2.0","id":ID,"result":{"ok":true}}` + "\n"

var behaviours = map[string]func(*server){
	"good":      func(s *server) { s.answer(fine) },
	"raw":       func(s *server) { s.answer(`{"jsonrpc":"2.0","id":ID,"result":` + odd + "}\n") },
	"crlf":      func(s *server) { s.answer(strings.TrimSuffix(fine, "\n") + "\r\n") },
	"string-id": func(s *server) { s.answer(strings.ReplaceAll(fine, "ID", `"ID"`)) },
	"float-id":  func(s *server) { s.answer(strings.ReplaceAll(fine, "ID", `ID.0`)) },
	"null-id":   func(s *server) { s.answer(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}` + "\n") },
	"error": func(s *server) {
		s.answer(`{"jsonrpc":"2.0","id":ID,"error":{"code":0,"message":"no","data":[1]}}` + "\n")
	},
	"bad-error": func(s *server) { s.answer(`{"jsonrpc":"2.0","id":ID,"error":["boom"]}` + "\n") },
	"empty":     func(s *server) { s.answer(`{"jsonrpc":"2.0","id":ID}` + "\n") },
	"batch": func(s *server) {
		s.answer(`[{"jsonrpc":"2.0","method":"notifications/x"},` + strings.TrimSpace(fine) + "]\n")
	},
	"broken": func(s *server) { s.answer(`{"jsonrpc":"2.0","id":ID,"result":{"a":nope}}` + "\n") },
	"junk":   func(s *server) { s.answer("hello\n\n{\"level\":\"info\"}\n" + fine) },
	"banner": func(s *server) { s.answer("Server ready " + fine) },
	"deep":   func(s *server) { s.answer(deepReply) },
	"large": func(s *server) {
		s.answer(`{"jsonrpc":"2.0","result":"` + strings.Repeat("x", frameLimit) + `","id":ID}` + "\n")
	},
	"megabytes": func(s *server) {
		note := `{"jsonrpc":"2.0","method":"notifications/x","params":{"text":"` + strings.Repeat("x", 3<<20) + `"}}` + "\n"
		s.answer(note + note + `{"jsonrpc":"2.0","id":ID,"result":{"text":"` + strings.Repeat("x", 3<<20) + `"}}` + "\n")
	},
	"silent":          func(s *server) { s.rest() },
	"prompt":          func(s *server) { s.write("started\nAPI key: "); s.rest() },
	"forgets-newline": func(s *server) { s.answer(strings.TrimSpace(fine)) },
	"content-length": func(s *server) {
		for {
			id, _ := s.next()
			text := strings.TrimSpace(strings.ReplaceAll(fine, "ID", id))
			s.write(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(text), text))
		}
	},
	"utf-16": func(s *server) {
		id, _ := s.next()
		for _, r := range utf16.Encode([]rune(strings.ReplaceAll(fine, "ID", id))) {
			s.write(string([]byte{byte(r), byte(r >> 8)}))
		}
		s.rest()
	},
	"no-newline": func(s *server) { id, _ := s.next(); s.write(strings.TrimSpace(strings.ReplaceAll(fine, "ID", id))) },
	"crash": func(s *server) {
		s.next()
		fmt.Fprintln(os.Stderr, "reason: out of luck")
		os.Exit(7)
	},
	"crash-stdout": func(s *server) { s.write("usage: no such flag\n"); os.Exit(2) },
	"close-stdout": func(s *server) { s.next(); _ = os.Stdout.Close(); s.rest() },
	"close-stdin":  func(*server) { _ = os.Stdin.Close(); fmt.Println("closed"); time.Sleep(time.Minute) },
	"parent": func(s *server) { // starts another server and gets killed
		l, err := StartStdio(Command{Path: os.Args[0], Env: []string{"BEHAVE=stubborn"}}, Handlers{})
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(os.Stderr, "helper %d\n", childOf(l).cmd.Process.Pid)
		s.answer(fine)
	},
	"linger": func(s *server) { // does not care about the end of its stdin
		id, _ := s.next()
		s.write(strings.ReplaceAll(fine, "ID", id))
		time.Sleep(time.Minute)
	},
	"stubborn": func(*server) {
		signal.Ignore(syscall.SIGTERM)
		s := &server{in: bufio.NewReader(os.Stdin)}
		id, _ := s.next()
		s.write(strings.ReplaceAll(fine, "ID", id))
		time.Sleep(time.Minute)
	},
	"orphan":       func(s *server) { helper(nil); s.answer(fine) },
	"runaway":      func(s *server) { helper(ownSession()); s.answer(fine) },
	"orphan-crash": func(s *server) { s.next(); helper(nil); os.Exit(3) },
	"asks": func(s *server) {
		id, _ := s.next()
		s.write(`{"jsonrpc":"2.0","id":"a","method":"ping"}` + "\n" + `{"jsonrpc":"2.0","id":` + id + `,"method":"roots/list"}` + "\n")
		var answers []string
		for range 2 {
			line, _ := s.in.ReadString('\n')
			answers = append(answers, strings.TrimSpace(line))
		}
		s.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":[%s]}`+"\n", id, strings.Join(answers, ",")))
		s.rest()
	},
	"early": func(s *server) { // has something to say before it is asked
		s.write(`{"jsonrpc":"2.0","method":"notifications/x"}` + "\n" + `{"jsonrpc":"2.0","id":"a","method":"roots/list"}` + "\n")
		id, answer := "", ""
		for range 2 { // the answer and our request, in any order
			line, _ := s.in.ReadString('\n')
			if m, _ := parseMessage([]byte(line)); m.isReply() {
				answer = strings.TrimSpace(line)
			} else {
				id = string(m.id)
			}
		}
		s.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", id, answer))
		s.rest()
	},
	"env": func(s *server) {
		id, _ := s.next()
		text, _ := json.Marshal(os.Environ())
		s.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", id, text))
		s.rest()
	},
	"late": func(s *server) { // answers the first request only when the second one comes
		first, _ := s.next()
		second, _ := s.next()
		s.write(strings.ReplaceAll(fine, "ID", first) + strings.ReplaceAll(fine, "ID", second) + strings.ReplaceAll(fine, "ID", "77"))
		s.rest()
	},
}

// odd is a result that no struct keeps.
const odd = `{"n":12345678901234567890,"e":1e400,"z":1.0, "d":1,"d":2,"u":"\u00e9\ud800` + "\xff" + `","<":"&"}`

var deepReply = `{"jsonrpc":"2.0","id":ID,"result":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + "}\n"
