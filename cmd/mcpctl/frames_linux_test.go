package main

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// mostFrames bounds the functions of this module between main and the first byte that a server gets. Two of them are not
// on the stacks of a run that waits for the reply: the goroutine of the host that started the probe, and the write itself.
const mostFrames = 24 - 2

// beside matches frames that are not on the way: where the handshake waits, and the test binary that may be mcpctl.
var beside = regexp.MustCompile(`\.(within|TestMain)$`)

// ownCall matches a frame of this module in a dump of stacks.
var ownCall = regexp.MustCompile(`^((?:main|github\.com/mcpctl/mcpctl/\S*?)\.\S*?)\((?:0x|\{|\.\.\.|\)$)`)

// TestFramesToTheFirstByte lets a server end mcpctl with SIGQUIT when the first byte has arrived, and counts the frames of
// the goroutines that wait for the reply.
func TestFramesToTheFirstByte(t *testing.T) {
	server := "head -c1 >/dev/null; kill -QUIT $PPID; sleep 10"
	cmd := exec.Command("mcpctl", "list", "--", "sh", "-c", server)
	cmd.Env = append(os.Environ(), "GOTRACEBACK=all")
	out, _ := cmd.CombinedOutput()
	var frames []string
	for _, goroutine := range strings.Split(string(out), "\n\n") {
		onTheWay := strings.Contains(goroutine, "main.main()") || regexp.MustCompile(
			`pkg/probe\.(eachSlot|probeOne|\(?\*?caller\)?\.send)`).MatchString(goroutine)
		for _, line := range strings.Split(goroutine, "\n") {
			if call := ownCall.FindStringSubmatch(line); call != nil && onTheWay && !beside.MatchString(call[1]) {
				frames = append(frames, call[1])
			}
		}
	}
	t.Logf("%d frames:\n%s", len(frames), strings.Join(frames, "\n"))
	if len(frames) < 15 || len(frames) > mostFrames {
		t.Errorf("%d frames, want at most %d:\n%s\n%s", len(frames), mostFrames, strings.Join(frames, "\n"), out)
	}
}
