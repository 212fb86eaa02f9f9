package transport

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// text writes frames so that a person can compare them.
func text(pieces []stdoutPart) []string {
	var out []string
	for _, p := range pieces {
		switch {
		case p.err != nil:
			out = append(out, fmt.Sprintf("failed %s: %v", p.id, p.err))
		case p.noise != nil:
			out = append(out, "noise "+string(p.noise))
		default:
			out = append(out, string(p.message.raw))
		}
	}
	return out
}

// frames feeds the input in chunks of the given sizes, over and over.
func frames(input []byte, limit int, sizes ...byte) []stdoutPart {
	f := newFramer(&chunked{input, sizes, 0})
	f.limit = cmp.Or(limit, f.limit)
	var out []stdoutPart
	for f.next(func(next stdoutPart) { out = append(out, next) }) == nil {
	}
	return out
}

// chunked reads an input in chunks of the given sizes, over and over.
type chunked struct {
	input, sizes []byte
	reads        int
}

func (c *chunked) Read(p []byte) (int, error) {
	if len(c.input) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.input[:min(len(c.input), max(1, int(c.sizes[c.reads%len(c.sizes)])))])
	c.input = c.input[n:]
	c.reads++
	return n, nil
}

func TestFraming(t *testing.T) {
	const (
		one   = `{"jsonrpc":"2.0","id":1,"result":{}}`
		two   = `{"id":2,"result":[]}`
		tell  = `{"jsonrpc":"2.0","method":"n"}`
		asks  = `{"jsonrpc":"2.0","id":9,"method":"m"}`
		large = `{"id":3,"jsonrpc":"2.0","result":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}`
	)
	tests := []struct {
		name, input string
		want        []string
	}{
		{"lines", one + "\n\n" + two + "\r\n" + tell, []string{one, two, tell}},
		{"batch", "[" + one + ", " + tell + "]\n", []string{one, tell}},
		{"glued", one + two + " " + tell + asks + "\n", []string{one, two, tell, asks}},
		{"banner", "ready! " + one + "\n", []string{"noise ready!", one}},
		{"banner with braces", "{x} {\"a\":{}} " + one + "\n", []string{`noise {x} {"a":{}}`, one}},
		{"tail", one + " bye\n", []string{one, "noise bye"}},
		{"quoted request", "DEBUG got " + asks + "\n", []string{"noise DEBUG got " + asks + ""}},
		{"quoted in a log", `{"level":"debug","frame":` + one + "}\n", []string{`noise {"level":"debug","frame":` + one + "}"}},
		{"no message", "{}\n[]\n1\n\"x\"\nnull\n[" + one + ",1]\n", []string{"noise {}", "noise []", "noise 1",
			`noise "x"`, "noise null", "noise [" + one + ",1]"}},
		{"notification without jsonrpc", `{"method":"GET"}` + "\n", []string{`noise {"method":"GET"}`}},
		{"spread", "{\n\"jsonrpc\": \"2.0\",\n\"id\": 1\n}\n" + one, []string{"noise {", `noise "jsonrpc": "2.0",`,
			`noise "id": 1`, "noise }", one}},
		{"broken", `{"jsonrpc":"2.0","id":4,"result":x}` + "\n",
			[]string{"failed 4: the reply is not valid JSON: invalid character 'x' looking for beginning of value"}},
		{"large", large + "\n" + one, []string{"failed 3: the message is larger than 0 MiB", one}},
		{"larger", large + large + large + "\n" + one, []string{"failed 3: the message is larger than 0 MiB", one}},
		{"large noise", strings.Repeat("x", 100) + "\n" + one, []string{"noise " + strings.Repeat("x", 80) + "", one}},
	}
	for _, test := range tests {
		for _, size := range []byte{1, 7, 255} {
			t.Run(fmt.Sprint(test.name, "/", size), func(t *testing.T) {
				limit := 0
				if strings.HasPrefix(test.name, "large") {
					limit = 80
				}
				if diff := gocmp.Diff(test.want, text(frames([]byte(test.input), limit, size))); diff != "" {
					t.Errorf("pieces (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// FuzzFraming: chunking changes nothing, the pieces account for every byte in order, and messages on lines of their own
// come out whole, whatever is between them.
func FuzzFraming(f *testing.F) {
	f.Add([]byte("junk {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}{}\n[1]\n"), []byte{1, 3})
	f.Fuzz(func(t *testing.T, input, sizes []byte) {
		if len(sizes) == 0 {
			sizes = []byte{1}
		}
		whole := frames(input, 0, 255)
		if diff := gocmp.Diff(text(whole), text(frames(input, 0, sizes...))); diff != "" {
			t.Fatalf("chunking matters (-255 +chunks):\n%s", diff)
		}
		if diff := gocmp.Diff(text(frames(input, 64, 255)), text(frames(input, 64, sizes...))); diff != "" {
			t.Fatalf("chunking matters over the limit (-255 +chunks):\n%s", diff)
		}
		account(t, input, whole)
		between(t, input, sizes)
	})
}

// account finds the pieces in the input, one after the other; only space and the punctuation of batches is left over.
func account(t *testing.T, input []byte, pieces []stdoutPart) {
	t.Helper()
	rest := input
	for _, p := range pieces {
		part := p.noise
		if part == nil {
			part = p.message.raw
		}
		at := bytes.Index(rest, part)
		if at < 0 || len(bytes.Trim(rest[:at], " \t\r\n\v\f\u0085\u00a0[],")) > 0 {
			t.Fatalf("piece %q does not come next in %q", part, rest)
		}
		rest = rest[at+len(part):]
	}
	if len(bytes.Trim(rest, " \t\r\n\v\f\u0085\u00a0]")) > 0 {
		t.Fatalf("%q is in no piece", rest)
	}
}

// between puts a message on a line of its own after each line of the input: all of them come out, in order.
func between(t *testing.T, input, sizes []byte) {
	t.Helper()
	var stream bytes.Buffer
	var want []string
	for i, line := range bytes.Split(input, []byte("\n")) {
		one := fmt.Sprintf(`{"jsonrpc":"2.0","id":"ours-%d","result":{}}`, i)
		want = append(want, one)
		fmt.Fprintf(&stream, "%s\n%s\n", line, one)
	}
	var got []string
	for _, p := range frames(stream.Bytes(), 0, sizes...) {
		if raw := string(p.message.raw); strings.HasPrefix(raw, `{"jsonrpc":"2.0","id":"ours-`) {
			got = append(got, raw)
		}
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Fatalf("messages (-want +got):\n%s", diff)
	}
}
