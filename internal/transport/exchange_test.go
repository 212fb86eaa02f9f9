package transport

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

func TestExchangesFindTheirReply(t *testing.T) {
	var s exchanges
	start := func(id any) *exchange {
		_, x, err := s.start(t.Context(), mcp.NewRequestId(id))
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	number, word, gone := start(int64(1)), start("word"), start("5")
	if x, _ := s.find(nil); x != nil {
		t.Error("a reply without an id means one of three")
	}
	s.stop(gone)
	tests := []struct {
		id   string
		want *exchange
		late bool
	}{
		{"1", number, false},
		{"1.0", number, false},
		{"1e0", number, false},
		{`"1"`, number, false},
		{`"word"`, word, false},
		{`"wor\u0064"`, word, false},
		{`"5"`, nil, true},
		{"5", nil, true},
		{"2", nil, false},
		{`""`, nil, false},
		{"1e400", nil, false},
		{"[1]", nil, false},
		{"12345678901234567890", nil, false},
	}
	for _, test := range tests {
		if got, late := s.find(json.RawMessage(test.id)); got != test.want || late != test.late {
			t.Errorf("id %s finds %v, late %v", test.id, got, late)
		}
	}
	s.stop(word)
	if x, _ := s.find(nil); x != number {
		t.Error("a reply without an id does not mean the only request")
	}
	s.stop(number)
}

// TestFailAllSparesWhatWasAnswered: a server may reply and then end the stream at once.
func TestFailAllSparesWhatWasAnswered(t *testing.T) {
	var s exchanges
	first, x, _ := s.start(t.Context(), mcp.NewRequestId(int64(1)))
	second, y, _ := s.start(t.Context(), mcp.NewRequestId(int64(2)))
	m, _ := parseMessage([]byte(`{"id":1,"result":{}}`))
	if line, stray := s.deliver(m); line == nil || stray {
		t.Fatal("the reply was not delivered")
	}
	lost := errors.New("lost")
	s.failAll(lost)
	if first.Err() != nil || context.Cause(second) != lost {
		t.Errorf("the answered exchange has %v, the other one %v", context.Cause(first), context.Cause(second))
	}
	s.stop(x)
	s.stop(y)
}

func TestNoiseIsBounded(t *testing.T) {
	var l noiseLog
	for range noiseCount + 5 {
		l.add([]byte("ab"), 1)
	}
	got := l.all()
	if last := got[len(got)-1]; len(got) != noiseCount || last != (Noise{"ab", 18}) {
		t.Errorf("%d pieces, the last one %v", len(got), last)
	}
	l.freeze()
	l.add([]byte("late"), 0)
	if again := l.all(); again[len(again)-1].Bytes != 18 {
		t.Error("noise is kept after the end")
	}
}
