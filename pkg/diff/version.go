package diff

import "github.com/mcpctl/mcpctl/pkg/finding"

// semantic reads the versions of both sides; false when one of them is no semantic version.
func semantic(old, new view) (before, after finding.Version, ok bool) {
	before, ok1 := finding.ParseVersion(old.text("version"))
	after, ok2 := finding.ParseVersion(new.text("version"))
	return before, after, ok1 && ok2
}
