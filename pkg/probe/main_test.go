package probe

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/mcpctl/mcpctl/internal/fixture"
)

// asServer makes the test binary play a server instead of running tests: "fixture" with a script or "once".
const asServer = "MCPCTL_TEST_SERVER"

func TestMain(m *testing.M) {
	switch os.Getenv(asServer) {
	case "fixture":
		os.Exit(fixture.Main(os.Args[1:], fixture.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
	case "once":
		opensOnce(os.Stdin, os.Stdout)
	default:
		goleak.VerifyTestMain(m)
	}
}

// played is this test binary as a stdio server.
func played(as string, args ...string) *Stdio {
	return &Stdio{Command: os.Args[0], Args: args, Env: map[string]Secret{asServer: Secret(as)}}
}

// opensOnce speaks the era of the handshake, answers discover too, and takes the second opening for a mistake, as
// servers on go-sdk do.
func opensOnce(in io.Reader, out io.Writer) {
	opened := false
	for lines := bufio.NewScanner(in); lines.Scan(); {
		var request struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal(lines.Bytes(), &request) != nil || request.ID == nil {
			continue
		}
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", request.ID, answerOnce(request.Method, opened))
		opened = true
	}
}

func answerOnce(method string, opened bool) string {
	switch {
	case method == "tools/list":
		return `"result":{"tools":[{"name":"only"}]}`
	case opened:
		return `"error":{"code":0,"message":"duplicate \"initialize\" received"}`
	case method == "initialize":
		return `"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"once","version":"1"}}`
	}
	return `"result":{"supportedVersions":["2025-06-18"],"capabilities":{"tools":{}}}`
}
