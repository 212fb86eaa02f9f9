package live

import (
	"bytes"
	"regexp"
	"strconv"
	"testing"

	"github.com/mcpctl/mcpctl/internal/host"
)

// TestAdviceSuffices: with the limit that the remark advises there is no remark any more, and what is said of one server is said so.
func TestAdviceSuffices(t *testing.T) {
	for _, listening := range []bool{false, true} {
		for _, servers := range []int{1, 3, 40, 1000} {
			var said bytes.Buffer
			need := servers * ofProgram
			lackDescriptors(host.Process{Err: &said}, 16, need, servers, 4, listening)
			advice := regexp.MustCompile(`ulimit -n (\d+)`).FindStringSubmatch(said.String())
			if advice == nil {
				t.Fatalf("no advice: %q", said.String())
			}
			limit, _ := strconv.Atoi(advice[1])
			said.Reset()
			if lackDescriptors(host.Process{Err: &said}, limit, need, servers, 4, listening); said.Len() > 0 {
				t.Errorf("%d servers, listening %v: advised %d, then: %s", servers, listening, limit, said.String())
			}
		}
	}
}
