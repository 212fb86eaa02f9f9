package compare

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// maxAlarm is how many bytes of a finding an alarm quotes.
const maxAlarm = 320

// alarmsIn returns one line about the security findings that check warns of in a new snapshot and not in the
// old one: once it is saved, check calls them accepted. file is where it is saved; empty = nowhere.
func alarmsIn(
	ctx context.Context, name string, old, next *snapshot.Snapshot, limit time.Duration, file string,
) string {
	aboutSafety := map[string]bool{}
	for _, rule := range check.Rules() {
		aboutSafety[rule.ID] = rule.Security
	}
	warnings := func(of *snapshot.Snapshot) []finding.Finding {
		found, _ := check.Run(ctx, []check.Subject{{Name: name, Snapshot: of}}, check.Options{Timeout: limit})
		return kit.Filter(found, func(f finding.Finding) bool {
			return aboutSafety[f.Rule] && f.Level != finding.Info
		})
	}
	alarms := warnings(next)
	if len(alarms) == 0 {
		return ""
	}
	known := kit.Set(kit.Map(warnings(old), finding.Finding.Fingerprint))
	alarms = kit.Filter(alarms, func(f finding.Finding) bool { return !known[f.Fingerprint()] })
	if len(alarms) == 0 {
		return ""
	}
	slices.SortStableFunc(alarms, func(a, b finding.Finding) int { return int(b.Level) - int(a.Level) })
	worst := alarms[0]
	says := fmt.Sprintf("check warns of %s that this accepts", kit.Counted(len(alarms), "finding"))
	if len(alarms) > 1 {
		says += ", the worst"
	}
	says += ": " + worst.Rule + " of " + kit.Join(": ", worst.Place(),
		kit.Clip(printable.Message(strings.TrimSuffix(worst.Message, ".")), maxAlarm))
	if file != "" {
		says += "; see them: mcpctl check " + sourceWord(file)
	}
	return says
}

// sourceWord returns the word for a snapshot file on a command line, where a bare name would be a server's.
func sourceWord(file string) string {
	if filepath.Base(file) == file && filepath.Ext(file) != ".json" || strings.HasPrefix(file, "-") {
		file = "." + string(filepath.Separator) + file
	}
	return printable.ShellWord(file)
}
