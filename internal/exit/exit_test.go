package exit_test

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"

	"github.com/mcpctl/mcpctl/internal/exit"
)

func TestCodeOf(t *testing.T) {
	cause := errors.New("cause")
	for _, test := range []struct {
		err  error
		want int
	}{
		{nil, 0}, {cause, 3}, {exit.Usagef("no: %w", cause), 2}, {exit.Misuse(cause), 2}, {exit.Misuse(nil), 0}, {exit.Reported(0), 0},
		{exit.Reported(4), 4},
		{fmt.Errorf("wrapped: %w", exit.Usagef("x")), 2}, {errors.Join(exit.Usagef("x"), exit.Code(1)), 1},
		{fmt.Errorf("x: %w", exit.Interrupted{Signal: os.Interrupt}), 130}, {exit.Interrupted{Signal: syscall.SIGTERM}, 143},
	} {
		if got := exit.CodeOf(test.err); got != test.want {
			t.Errorf("CodeOf(%v) = %d, want %d", test.err, got, test.want)
		}
	}
	if err := exit.Usagef("no: %w", cause); !errors.Is(err, cause) || err.Error() != "no: cause" {
		t.Errorf("a usage error hides its cause: %v", err)
	}
}
