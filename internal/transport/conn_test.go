package transport

import (
	"errors"
	"testing"
)

func startCall(s *pendingCalls, id int64) *pendingCall { return s.start(request(id), func() {}) }

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
	if got := l.pieces; len(got) != noiseCount || len(got[0]) != noiseText {
		t.Errorf("%d pieces, the first one of %d bytes", len(got), len(got[0]))
	}
}
