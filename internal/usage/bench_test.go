package usage

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

// transcript is a transcript of Claude Code of so many bytes at least: texts, calls of built-in tools with long results, and calls of
// servers.
type transcript struct {
	left, n int
	rest    string
}

func (r *transcript) Read(to []byte) (int, error) {
	if r.rest == "" {
		if r.left <= 0 {
			return 0, io.EOF
		}
		r.rest = r.next()
		r.left -= len(r.rest)
	}
	n := copy(to, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func (r *transcript) next() string {
	r.n++
	line := func(kind, content string) string {
		return fmt.Sprintf(`{"type":%q,"sessionId":"6f0c","timestamp":"2026-11-02T09:14:03.120Z","cwd":"/w/shop","uuid":"a%d","message":{"content":[%s]}}`+"\n", kind, r.n, content)
	}
	text := strings.Repeat("The quick brown fox \\\"jumps\\\" over the lazy dog.\\n", 60)
	server := line("assistant", fmt.Sprintf(`{"type":"tool_use","id":"toolu_%d","name":"mcp__shop__find_orders","input":{"status":"open","limit":%d,"query":"%s"}}`, r.n, r.n%7*10, strings.Repeat("ab ", r.n%30)))
	return line("assistant", `{"type":"text","text":"`+text+`"}`) +
		line("assistant", fmt.Sprintf(`{"type":"tool_use","id":"toolu_b%d","name":"Read","input":{"file_path":"/w/shop/main.go"}}`, r.n)) +
		line("user", fmt.Sprintf(`{"type":"tool_result","tool_use_id":"toolu_b%d","content":"%s"}`, r.n, strings.Repeat(text, 3))) +
		server +
		line("user", fmt.Sprintf(`{"type":"tool_result","tool_use_id":"toolu_%d","content":[{"type":"text","text":"%s"}]}`, r.n, text))
}

// BenchmarkImport is how fast a transcript is read and kept: go test -run '^$' -bench Import ./internal/usage
func BenchmarkImport(b *testing.B) {
	const size = 100 << 20
	b.SetBytes(size)
	for b.Loop() {
		rs := NewRecords()
		in := Import{Progress: (&Progress{}).made(), Now: now, Each: func(c Call) { rs.Add(c, Keep{}, now) }}
		if err := in.Stream(context.Background(), &transcript{left: size}); err != nil || in.Count.Calls < 1000 {
			b.Fatalf("%+v, %v", in.Count, err)
		}
		rs.Settle(func(string, string) map[string]bool { return nil })
	}
}

// TestWriteTranscript writes a transcript of MCPCTL_TRANSCRIPT_MB to standard output, to measure what importing it takes.
func TestWriteTranscript(t *testing.T) {
	var size int
	if n, _ := fmt.Sscan(os.Getenv("MCPCTL_TRANSCRIPT_MB"), &size); n == 0 {
		t.Skip("SKIPPED: it is for measurements by hand")
	}
	if _, err := io.Copy(os.Stdout, &transcript{left: size << 20}); err != nil {
		t.Fatal(err)
	}
}
