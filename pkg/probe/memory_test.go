//go:build unix

package probe

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// largeTools is how many tools make a list of 19 MiB.
const largeTools = 20_400

// servesLarge is a stdio server with one page of 19 MiB, which it writes piece by piece.
func servesLarge(in io.Reader, out io.Writer) {
	w := bufio.NewWriterSize(out, 64<<10)
	description := strings.Repeat("Does one thing with the items that match. ", 20)
	for lines := bufio.NewScanner(in); lines.Scan(); w.Flush() {
		var request struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal(lines.Bytes(), &request) != nil || request.ID == nil {
			continue
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,`, request.ID)
		switch request.Method {
		case "initialize":
			fmt.Fprint(w, `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"large","version":"1"}}}`+"\n")
		case "tools/list":
			fmt.Fprint(w, `"result":{"tools":[`)
			for i := range largeTools {
				fmt.Fprintf(w, `{"name":"tool_%d","description":"%s","inputSchema":{"type":"object","properties":{"query":{"type":"string"}}}},`, i, description)
			}
			fmt.Fprint(w, `{"name":"last"}]}}`+"\n")
		default:
			fmt.Fprint(w, `"error":{"code":-32601,"message":"no"}}`+"\n")
		}
	}
}

// probesLarge asks for the large list once and does nothing else.
func probesLarge() error {
	server := Server{Name: "large", Stdio: played("large")}
	if url := os.Getenv("LARGE_URL"); url != "" {
		server = Server{Name: "large", HTTP: &HTTP{URL: url}}
	}
	session, err := Open(context.Background(), server, Options{Environ: os.Environ()})
	if err != nil {
		return err
	}
	defer session.Close()
	lists, err := session.List(context.Background(), snapshot.Tools)
	if err == nil && len(lists[0].Items()) != largeTools+1 {
		err = fmt.Errorf("%d tools", len(lists[0].Items()))
	}
	return err
}

// BenchmarkLargeList is what a list of 19 MiB on one page costs: the time, and the most memory that the process took.
func BenchmarkLargeList(b *testing.B) {
	var peak int64
	for b.Loop() {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), asServer+"=prober")
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		peak = max(peak, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
	}
	b.ReportMetric(float64(peak)/1024, "peak-MiB")
}
