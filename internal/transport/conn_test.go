package transport

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

func TestCallsFindTheirReply(t *testing.T) {
	var s pendingCalls
	start := func(id any) *pendingCall { return s.start(mcp.NewRequestId(id), func() {}) }
	number, word, gone := start(int64(1)), start("word"), start("5")
	if x, _ := s.find(nil); x != nil {
		t.Error("a reply without an id means one of three")
	}
	s.stop(gone)
	tests := []struct {
		id   string
		want *pendingCall
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
	var s pendingCalls
	first, second := s.start(mcp.NewRequestId(int64(1)), func() {}), s.start(mcp.NewRequestId(int64(2)), func() {})
	m, _ := parseMessage([]byte(`{"id":1,"result":{}}`))
	if call, _ := s.find(m.id); call != first {
		t.Fatal("the reply does not find its call")
	}
	first.answer(m)
	lost := errors.New("lost")
	s.failAll(lost)
	if first.err != nil || second.err != lost {
		t.Errorf("the answered call has %v, the other one %v", first.err, second.err)
	}
}

// TestLateRepliesAreRememberedWithinBounds: a session may last for months.
func TestLateRepliesAreRememberedWithinBounds(t *testing.T) {
	var s pendingCalls
	for id := range int64(10 * lateLimit) {
		s.stop(s.start(mcp.NewRequestId(id), func() {}))
	}
	if len(s.over) > lateLimit {
		t.Errorf("%d ids are remembered", len(s.over))
	}
	if _, late := s.find(json.RawMessage("9999")); !late {
		t.Error("the last one is not")
	}
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
