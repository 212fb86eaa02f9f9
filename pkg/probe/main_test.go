package probe

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/mcpctl/mcpctl/internal/fixture"
)

// asFixture makes the test binary play the fixture server instead of running tests.
const asFixture = "MCPCTL_TEST_FIXTURE"

func TestMain(m *testing.M) {
	if os.Getenv(asFixture) != "" {
		os.Exit(fixture.Main(os.Args[1:], fixture.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
	}
	goleak.VerifyTestMain(m)
}
