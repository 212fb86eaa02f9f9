package monitor

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/pkg/watch"
)

// TestAnyNameCanBeAskedFor when every byte of it is percent-encoded, through a real connection.
func TestAnyNameCanBeAskedFor(t *testing.T) {
	var servers []Server
	for _, name := range []string{"..", ".", "a/../b", "%2F", "%", "ü ", "a?b#c", "refresh", "a/refresh", "//", "{name}", "x\n", "\xff"} {
		servers = append(servers, Server{Name: name, Status: viewOf(status(watch.Live)), Refresh: make(chan struct{}, 1)})
	}
	address := serveAt(t, monitorOf(Options{Loopback: true}, servers...))
	for _, s := range servers {
		var path strings.Builder
		for _, b := range []byte(s.Name) {
			fmt.Fprintf(&path, "%%%02X", b)
		}
		response, err := http.Get("http://" + address + "/v1/servers/" + path.String())
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Name string }
		if err := json.NewDecoder(response.Body).Decode(&got); err != nil || got.Name != strings.ToValidUTF8(s.Name, "\uFFFD") {
			t.Errorf("%q gets %d %q: %v", s.Name, response.StatusCode, got.Name, err)
		}
		_ = response.Body.Close()
		response, err = http.Post("http://"+address+"/v1/servers/"+path.String()+"/refresh", "", nil)
		if err != nil {
			t.Fatal(err)
		}
		if _ = response.Body.Close(); response.StatusCode != 202 || len(s.Refresh) != 1 {
			t.Errorf("a refresh of %q gets %d", s.Name, response.StatusCode)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}
