package compare

import (
	"slices"
	"testing"

	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/probe"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// TestEveryNoticeIsARule: what the prober notices, some rule of check reports, or it is one of those that harm no one.
func TestEveryNoticeIsARule(t *testing.T) {
	harmless := []string{
		probe.NoticeRestarted, // our own doing: the era had to be tried
		probe.NoticeItemOdd,   // item-without-name finds it in the surface
		probe.NoticeDuplicate, // duplicate-name does
	}
	for _, code := range []string{
		probe.NoticeRestarted, probe.NoticeVersionOdd, probe.NoticeInitializedLost, probe.NoticeNoCapabilities, probe.NoticeUndeclared,
		probe.NoticeInstructionsOdd,
		probe.NoticeNotImplemented, probe.NoticeCursorRepeated, probe.NoticeCursorOdd, probe.NoticeListRestarted, probe.NoticeItemOdd,
		probe.NoticeDuplicate, probe.NoticeMemberRepeated, probe.NoticeInvalidUTF8, probe.NoticeContentType, probe.NoticeFieldsMissing,
	} {
		s := fleet.Absent("s")
		seen := check.Subject{Name: "s", Snapshot: &snapshot.Snapshot{}, Observed: observed(s)}
		seen.Observed.Notices = []check.Deviation{{Code: code, Message: "seen"}}
		if found, err := check.Run(t.Context(), []check.Subject{seen}, check.Options{}); err != nil ||
			(len(found) == 0) != slices.Contains(harmless, code) {
			t.Errorf("%s: %d findings", code, len(found))
		}
	}
}
