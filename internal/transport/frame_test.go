package transport

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"
)

// text writes frames so that a person can compare them.
func text(pieces []frame) []string {
	var out []string
	for _, p := range pieces {
		switch {
		case p.err != nil:
			out = append(out, fmt.Sprintf("failed %s: %v (%d bytes)", p.id, p.err, len(p.noise)+p.more))
		case p.noise != nil:
			out = append(out, fmt.Sprintf("noise %s (%d bytes)", p.noise, len(p.noise)+p.more))
		default:
			out = append(out, string(p.message.raw))
		}
	}
	return out
}

// frames feeds the input in chunks of the given sizes, over and over.
func frames(input []byte, limit int, sizes ...byte) []frame {
	f := framer{limit: limit}
	var out []frame
	emit := func(one frame) { out = append(out, one) }
	for i := 0; len(input) > 0; i++ {
		n := min(len(input), max(1, int(sizes[i%len(sizes)])))
		f.feed(input[:n], emit)
		input = input[n:]
	}
	f.rest(emit)
	return out
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
		{"banner", "ready! " + one + "\n", []string{"noise ready! (6 bytes)", one}},
		{"banner with braces", "{x} {\"a\":{}} " + one + "\n", []string{`noise {x} {"a":{}} (12 bytes)`, one}},
		{"tail", one + " bye\n", []string{one, "noise bye (3 bytes)"}},
		{"quoted request", "DEBUG got " + asks + "\n", []string{"noise DEBUG got " + asks + " (47 bytes)"}},
		{"quoted in a log", `{"level":"debug","frame":` + one + "}\n", []string{`noise {"level":"debug","frame":` + one + "} (62 bytes)"}},
		{"no message", "{}\n[]\n1\n\"x\"\nnull\n[" + one + ",1]\n", []string{"noise {} (2 bytes)", "noise [] (2 bytes)", "noise 1 (1 bytes)",
			`noise "x" (3 bytes)`, "noise null (4 bytes)", "noise [" + one + ",1] (40 bytes)"}},
		{"notification without jsonrpc", `{"method":"GET"}` + "\n", []string{`noise {"method":"GET"} (16 bytes)`}},
		{"spread", "{\n\"jsonrpc\": \"2.0\", \"id\": \"a}\\\"\",\n\"result\": {}\n}\n" + one, []string{"noise { (1 bytes)",
			`noise "jsonrpc": "2.0", "id": "a}\"", (31 bytes)`, `noise "result": {} (12 bytes)`,
			`failed "a}\"": the reply is spread over several lines (pretty-printed), where the stdio transport needs one line per message (1 bytes)`, one}},
		{"spread log", "{\n\"level\": 1\n}\n", []string{"noise { (1 bytes)", `noise "level": 1 (10 bytes)`, "noise } (1 bytes)"}},
		{"broken", `{"jsonrpc":"2.0","id":4,"result":x}` + "\n", []string{"failed 4: the reply is not valid JSON (35 bytes)"}},
		{"large", large + "\n" + one, []string{"failed 3: the message is larger than 0 MiB (94 bytes)", one}},
		{"larger", large + large + large + "\n" + one, []string{"failed 3: the message is larger than 0 MiB (160 bytes)", "noise  (122 bytes)", one}},
		{"large noise", strings.Repeat("x", 100) + "\n" + one, []string{"noise " + strings.Repeat("x", 100) + " (100 bytes)", one}},
	}
	for _, test := range tests {
		for _, size := range []byte{1, 7, 255} {
			t.Run(fmt.Sprint(test.name, "/", size), func(t *testing.T) {
				limit := 0
				if strings.HasPrefix(test.name, "large") {
					limit = 80
				}
				if diff := cmp.Diff(test.want, text(frames([]byte(test.input), limit, size))); diff != "" {
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
		if diff := cmp.Diff(text(whole), text(frames(input, 0, sizes...))); diff != "" {
			t.Fatalf("chunking matters (-255 +chunks):\n%s", diff)
		}
		if diff := cmp.Diff(text(frames(input, 64, 255)), text(frames(input, 64, sizes...))); diff != "" {
			t.Fatalf("chunking matters over the limit (-255 +chunks):\n%s", diff)
		}
		account(t, input, whole)
		between(t, input, sizes)
	})
}

// account finds the pieces in the input, one after the other; only space and the punctuation of batches is left over.
func account(t *testing.T, input []byte, pieces []frame) {
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
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("messages (-want +got):\n%s", diff)
	}
}

// TestLongLinesForNobody are not kept: however much junk a server writes, it costs little.
func TestLongLinesForNobody(t *testing.T) {
	var calls pendingCalls
	waiting := calls.start(mcp.NewRequestId(int64(7)))
	for name, test := range map[string]struct {
		start string
		idle  bool // nobody waits for anything
		kept  bool
	}{
		"text":                   {start: "x", kept: false},
		"JSON":                   {start: `{"a":"`, kept: false},
		"reply":                  {start: `{"jsonrpc":"2.0","id":7,"result":"`, kept: true},
		"reply, its id last":     {start: `{"jsonrpc":"2.0","result":"`, kept: true},
		"another's reply":        {start: `{"jsonrpc":"2.0","id":8,"result":"`, kept: false},
		"reply to nobody":        {start: `{"jsonrpc":"2.0","id":7,"result":"`, idle: true, kept: false},
		"notification to nobody": {start: `{"jsonrpc":"2.0","method":"notifications/message","params":"`, idle: true, kept: false},
	} {
		t.Run(name, func(t *testing.T) {
			f := framer{wants: calls.wants}
			if test.idle {
				f.wants = new(pendingCalls).wants
			}
			most := 0
			f.feed([]byte(test.start), func(frame) {})
			for range 8 << 4 {
				f.feed(bytes.Repeat([]byte("x"), 64<<10), func(frame) {})
				most = max(most, f.line.size)
			}
			if kept := most > 2*junkLimit; kept != test.kept {
				t.Errorf("kept %d bytes of 8 MiB", most)
			}
		})
	}
	calls.stop(waiting)
}
