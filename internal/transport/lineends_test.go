package transport

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
)

// stream is what a stream of events is read as.
func stream(body io.Reader) (all []string) {
	for events := newEventReader(body); ; {
		kind, data, err := events.next()
		if err != nil {
			return all
		}
		all = append(all, kind+" "+events.last+" "+string(data))
	}
}

// TestLineEnds: lines end with CR, LF or both (HTML standard, section 9.2.5), however they are chunked.
func TestLineEnds(t *testing.T) {
	long := strings.Repeat("x", 5000)
	text := "event: a\ndata: 1\ndata:2\n\n: remark\nid: 7\n\ndata: " + long + "\ndata: " + long + "\n\n"
	want := "a  1\n2|message 7 " + long + "\n" + long
	for name, end := range map[string]string{"LF": "\n", "CRLF": "\r\n", "CR": "\r"} {
		ended := strings.ReplaceAll(text, "\n", end)
		for how, body := range map[string]io.Reader{"at once": strings.NewReader(ended),
			"byte by byte": iotest.OneByteReader(strings.NewReader(ended))} {
			if got := strings.Join(stream(body), "|"); got != want {
				t.Errorf("%s, %s: %.80q", name, how, got)
			}
		}
	}
	for mixed, want := range map[string]string{"\ufeffdata: 1\r\ndata: 2\r\r\n": "message  1\n2",
		"data: 1\n\rdata: 2\r\n\n": "message  1|message  2"} {
		if got := strings.Join(stream(strings.NewReader(mixed)), "|"); got != want {
			t.Errorf("%q is %q, want %q", mixed, got, want)
		}
	}
}

// TestCREndsALine: an event is there with the CR that ends it; an LF that follows belongs to it.
func TestCREndsALine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		body, in := io.Pipe()
		go func() {
			for _, text := range []string{"data: 1\r\n\r", "\ndata: 1\r\r"} {
				_, _ = in.Write([]byte(text))
			}
		}()
		events := newEventReader(body)
		for range 2 {
			if _, data, err := events.next(); string(data) != "1" || err != nil {
				t.Errorf("%q, %v", data, err)
			}
		}
	})
}
