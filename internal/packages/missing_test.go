package packages

import (
	"errors"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/exit"
)

// TestNPMFailuresAreOneLine: npm writes pages of text, and its reason as JSON.
func TestNPMFailuresAreOneLine(t *testing.T) {
	failed := errors.New("npm failed: exit status 1: it wrote \"pages of text\"")
	for _, c := range []struct{ out, message, hint string }{
		{`{"error": {"code": "E404", "summary": "Not Found - GET https://x/y\nlong", "detail": "very"}}`, "not found in the registry",
			exit.HintOf(errNotPublished)},
		{`{"error": {"code": "ETARGET", "summary": "No matching version found for x@9."}}`, "not found in the registry",
			exit.HintOf(errNotPublished)},
		{`{"error": {"code": "E401", "summary": "Unable to authenticate\nlong"}}`, "npm failed: E401 Unable to authenticate", ""},
		{"", failed.Error(), ""},
	} {
		err := npmError([]byte(c.out), failed)
		if err.Error() != c.message || exit.HintOf(err) != c.hint || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %q, hint %q", c.out, err, exit.HintOf(err))
		}
	}
}
