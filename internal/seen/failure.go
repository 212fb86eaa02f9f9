package seen

import (
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/process"
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

// NotTried reports whether a server was left out, or given up on the way, because the run ended before, by
// itself or by a signal.
func (s Server) NotTried() bool {
	return (s.State == Failed || s.State == Partial) && s.Error != nil &&
		(strings.HasPrefix(s.Error.Message, "not tried") ||
			strings.HasPrefix(s.Error.Message, exit.InterruptedBy))
}

// Word returns the state of a server as it is shown.
func (s Server) Word() string {
	switch {
	case s.State != Failed || !s.NotTried():
	case s.Attempts > 0:
		return "stopped"
	default:
		return "not tried"
	}
	return string(s.State)
}

// ErrorLine returns what a server's stderr says of an error in one line: the line that names one, as runtimes
// do below the source that threw it; else the first and the last, since some programs write the cause before
// how to use them, and others behind their log.
func ErrorLine(stderr string) string {
	all := withoutNPM(kit.Filter(kit.Lines(stderr), func(line string) bool { return line != "" }))
	for _, line := range all {
		if process.NamedError().MatchString(line) {
			return strings.TrimSpace(line)
		}
	}
	if flush := kit.Filter(all, func(line string) bool { return line[0] != ' ' }); len(flush) > 0 {
		all = flush // what is indented goes on with the line above
	}
	if len(all) == 0 {
		return ""
	}
	first, last := strings.TrimSpace(all[0]), strings.TrimSpace(all[len(all)-1])
	if first == last || strings.HasPrefix(first, "…") {
		return last
	}
	return first + " … " + last
}

// withoutNPM returns lines in which those that npm writes when it fails are one: the first that is more than
// a word and its value. They begin with its code, and end with its log.
func withoutNPM(lines []string) []string {
	own := kit.Filter(lines, func(line string) bool { return npmError().MatchString(line) })
	at := slices.IndexFunc(own, func(line string) bool {
		return len(strings.Fields(line)) > 4 && !strings.Contains(line, " A complete log of this run ")
	})
	if at < 0 {
		return lines
	}
	return append(kit.Filter(lines, func(line string) bool { return !npmLog().MatchString(line) }), own[at])
}

var (
	npmError = kit.Pattern(`^npm (error|ERR!) `)
	npmLog   = kit.Pattern(`^npm (error|ERR!|warn|WARN|notice|http|info|verbose|silly|timing)\b`)
)

// ExitReason returns why a server says that it exited, without a mere "Error: " before it.
func ExitReason(stderr string) string {
	return strings.TrimPrefix(strings.TrimPrefix(ErrorLine(stderr), "Uncaught "), "Error: ")
}
