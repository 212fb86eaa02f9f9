package seen

import (
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// Says returns the message after the stage. A server that cannot be reached or started, or is silent, needs
// no stage, and one that exited has the reason that it wrote.
func Says(f Failure) string {
	says := f.Message
	if Exited(f) {
		says = kit.Join(": ", says, ExitReason(f.Stderr))
	}
	if f.Stage == LookingUp { // the message begins with the package
		return says
	}
	opening := slices.Contains([]string{"starting", "connecting", "handshake"}, f.Stage)
	if opening && (Exited(f) || strings.HasPrefix(f.Message, CannotConnect) ||
		strings.HasPrefix(f.Message, "no MCP reply")) {
		return says
	}
	return kit.Join(": ", f.Stage, says)
}

// CannotConnect begins the message about a URL that was not reached; the URL, a colon and the cause follow.
const CannotConnect = "cannot connect to "

// Exited reports whether the server's program ended. Which of two sides it was may stand before that.
func Exited(f Failure) bool {
	return strings.HasPrefix(f.Message, "server exited") ||
		strings.Contains(f.Message, ": server exited with ")
}

// NotTried reports whether a server was left out, or given up on the way, because the run ended before.
func (s Server) NotTried() bool {
	return s.State == Failed && s.Error != nil && strings.HasPrefix(s.Error.Message, "not tried")
}

// Word returns the state of a server as it is shown.
func (s Server) Word() string {
	switch {
	case s.NotTried() && s.Attempts > 0:
		return "stopped"
	case s.NotTried():
		return "not tried"
	}
	return string(s.State)
}

// ErrorLine returns the line of a server's stderr that names an error, as runtimes do below the source that
// threw it; else the last.
func ErrorLine(stderr string) string {
	all := kit.Lines(stderr)
	for _, line := range all {
		if namedError().MatchString(line) {
			return strings.TrimSpace(line)
		}
	}
	return strings.TrimSpace(strings.Join(all[max(0, len(all)-1):], ""))
}

// ExitReason returns why a server says that it exited, without a mere "Error: " before it.
func ExitReason(stderr string) string {
	return strings.TrimPrefix(strings.TrimPrefix(ErrorLine(stderr), "Uncaught "), "Error: ")
}

// namedError is how lines begin that name an error, after a place in a file at most; npm names its own.
var namedError = kit.Pattern(
	`^\s*(\S+:\d+:(\d+:)? )?(Uncaught )?([\w.]*(Error|Exception)( \[\w+\])?|panic|(?i:fatal|error)): |` +
		`^npm error (\d+|notarget) [A-Z]`)
