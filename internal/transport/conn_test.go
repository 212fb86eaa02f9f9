package transport

import (
	"encoding/json"
	"errors"
	"testing"
)

func startCall(s *pendingCalls, id int64) *pendingCall { return s.start(request(id), func() {}) }

func TestCallsFindTheirReply(t *testing.T) {
	var s pendingCalls
	first, gone, second := startCall(&s, 1), startCall(&s, 5), startCall(&s, 7)
	if x, _ := s.find(nil); x != nil {
		t.Error("a reply without an id means one of three")
	}
	s.stop(gone)
	tests := []struct {
		id   string
		want *pendingCall
		late bool
	}{
		{"1", first, false},
		{"1.0", first, false},
		{"1e0", first, false},
		{`"1"`, first, false},
		{`"\u0037"`, second, false},
		{`"5"`, nil, true},
		{"5", nil, true},
		{"8", nil, false},
		{"-1", nil, false},
		{`"word"`, nil, false},
		{`""`, nil, false},
		{"1e400", nil, false},
		{"1.5", nil, false},
		{"[1]", nil, false},
		{"12345678901234567890", nil, false},
	}
	for _, test := range tests {
		if got, late := s.find(json.RawMessage(test.id)); got != test.want || late != test.late {
			t.Errorf("id %s finds %v, late %v", test.id, got, late)
		}
	}
	s.stop(second)
	if x, _ := s.find(nil); x != first {
		t.Error("a reply without an id does not mean the only request")
	}
	s.stop(first)
}

// TestFailAllKeepsAnswers: a server may reply and then end the stream at once.
func TestFailAllKeepsAnswers(t *testing.T) {
	var s pendingCalls
	first, second := startCall(&s, 1), startCall(&s, 2)
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

func TestNoiseIsBounded(t *testing.T) {
	var l noiseLog
	for range noiseCount + 5 {
		l.add(make([]byte, noiseText+1))
	}
	if got := l.all(); len(got) != noiseCount || len(got[0]) != noiseText {
		t.Errorf("%d pieces, the first one of %d bytes", len(got), len(got[0]))
	}
}
