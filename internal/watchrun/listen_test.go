package watchrun

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/host"
)

// TestListen lists addresses and tokens, and what is refused before a server is contacted.
func TestListen(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("s3cret-of-sixteen\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	short := filepath.Join(t.TempDir(), "short")
	if err := os.WriteFile(short, []byte("s3cret-of-chars \n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ address, token, want string }{
		{"127.0.0.1:0", "", ""}, {"0", "", ""}, {":0", "", ""}, {"localhost:0", "", ""}, {"[::1]:0", "", ""},
		{"0.0.0.0:0", "", "open to other machines"}, {"[::]:0", "", "open to other machines"},
		{"192.0.2.1:0", "", "open to other machines"},
		{"[::ffff:0.0.0.0]:0", "", "open to other machines"}, {"0.0.0.0:0", "s3cret-of-sixteen", ""}, {"0.0.0.0:0", "file:" + file, ""},
		{"127.0.0.1:0", "file:" + file + "x", "MCPCTL_LISTEN_TOKEN: open "}, {"127.0.0.1:0", "two words", "not one word"},
		{"127.0.0.1:0", "file:" + os.DevNull, "not one word"}, {"127.0.0.1", "", "not an IP address with port"},
		{"127.0.0.1:70000", "", "not an IP address with port"},
		{"0.0.0.0:0", "s3cret-of-chars", "at least 16 characters"}, {"127.0.0.1:0", "x", "at least 16 characters"},
		{"127.0.0.1:0", "file:" + short, "at least 16"},
		{"example.com:0", "", "not an IP address"}, {"unix:/tmp/s", "", "not an IP address with port"},
		{"192.0.2.1:0", "s3cret-of-sixteen", "choose another port"},
	} {
		var notes bytes.Buffer
		p := host.Process{Err: &notes}
		if c.token != "" {
			p.Environ = []string{"MCPCTL_LISTEN_TOKEN=" + c.token}
		}
		m, err := listen(p, c.address)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error()+"\n"+exit.HintOf(err), c.want) {
			t.Errorf("%s with %q: %v, want %q", c.address, c.token, err, c.want)
		}
		if err == nil && !strings.Contains(notes.String(), "listening on http://") || strings.Contains(notes.String(), "s3cret") {
			t.Errorf("%s: noted %q", c.address, notes.String())
		}
		m.close()
	}
}

// FuzzParseAddress: what is parsed is an address with its port, and nothing that is not written out is open
// to others.
func FuzzParseAddress(f *testing.F) {
	for _, text := range []string{"9464", ":9464", "127.0.0.1:9464", "[::1]:9464", "0.0.0.0:1", "[::]:1", "localhost:0", "::1:5",
		"fe80::1%lo:4"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		address, err := parseAddress(text)
		if err != nil {
			return
		}
		if !address.IsValid() {
			t.Errorf("%q is %v", text, address)
		}
		if !address.Addr().IsLoopback() && !strings.ContainsAny(text, ".:") {
			t.Errorf("%q is open to other machines", text)
		}
	})
}
