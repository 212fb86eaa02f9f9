package seen

import "testing"

// TestNotTried checks that a server that another one ended is not counted as failed where people read it.
func TestNotTried(t *testing.T) {
	of := func(message string, attempts int) Server {
		s := Server{State: Failed, Error: &Failure{Stage: "starting", Message: message}}
		s.Attempts = attempts
		return s
	}
	failed, left := of("server exited", 1), of("not tried to the end, since another server failed first", 0)
	stopped, half := of(left.Error.Message, 1), of("interrupted by a signal (interrupt)", 1)
	half.State = Partial // a signal came while its lists were read
	for _, c := range []struct {
		servers     []Server
		says, parts string
	}{
		{[]Server{failed}, "1 of 1 server failed", "1 server failed"},
		{[]Server{failed, left, stopped}, "1 of 3 servers failed, 2 not tried to the end",
			"1 server failed, 2 servers not tried to the end"},
		{[]Server{half, failed}, "1 of 2 servers failed, 1 not tried to the end",
			"1 server failed, 1 server not tried to the end"},
		{[]Server{left}, "1 of 1 server not tried to the end", "1 server not tried to the end"},
	} {
		sum := Summarize(nil, c.servers)
		if says := sum.Incomplete(len(c.servers)); says != c.says || sum.Words() != c.parts {
			t.Errorf("%q, %q; want %q, %q", says, sum.Words(), c.says, c.parts)
		}
	}
	words := failed.Word() + ", " + left.Word() + ", " + stopped.Word() + ", " + half.Word()
	if words != "failed, not tried, stopped, partial" {
		t.Error(words)
	}
}
