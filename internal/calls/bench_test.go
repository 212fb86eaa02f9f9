package calls

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/schema"
)

// lines returns n recorded calls of a usual size.
func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"server":"shop","tool":"find","arguments":{"q":"word%d","limit":%d},"result":{"content":`+
			`[{"type":"text","text":"%s \u00e9 \"quoted\""}],"structuredContent":{"rows":[%s{}]}},`+
			`"time":"2026-11-20T09:30:00Z","client":"agent-%d"}`+"\n", i, i%200, strings.Repeat("x", 400+i%300),
			strings.Repeat(`{"id":1,"name":"n1"},`, 10), i%7)
	}
	return b.String()
}

// BenchmarkEach reads calls.
func BenchmarkEach(b *testing.B) {
	text := lines(2000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if err := eachCall(b.Context(), strings.NewReader(text), "calls", func(Call) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkJudge counts calls, half of which a change breaks.
func BenchmarkJudge(b *testing.B) {
	text := lines(2000)
	b.SetBytes(int64(len(text)))
	old := parsed(b, `{"type":"object","properties":{"q":{"type":"string"},"limit":{"type":"number"}}}`)
	now := parsed(b, `{"type":"object","properties":{"q":{"type":"string"},"limit":{"type":"integer","maximum":100}}}`)
	for b.Loop() {
		j := &Counter{}
		s := j.Server([]string{"shop"}, []string{"find"})
		for range 3 {
			s(diff.Evidence{Tool: "find", Before: old, After: []*schema.Schema{now, now}})
		}
		err := eachCall(b.Context(), strings.NewReader(text), "calls", func(c Call) error { j.servers[0].add(c, true); return nil })
		if err != nil {
			b.Fatal(err)
		}
	}
}

func parsed(t testing.TB, text string) *schema.Schema {
	s, err := schema.Parse(json.RawMessage(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}
