package finding

import (
	"fmt"
	"strings"

	"golang.org/x/mod/semver"
)

// Version is a semantic version (https://semver.org) without pre-release and build.
type Version struct{ Major, Minor, Patch int }

// ParseVersion parses a semantic version, with or without a leading v.
func ParseVersion(text string) (v Version, ok bool) {
	text = "v" + strings.TrimPrefix(text, "v")
	core, _, _ := strings.Cut(semver.Canonical(text), "-")
	_, err := fmt.Sscanf(core, "v%d.%d.%d", &v.Major, &v.Minor, &v.Patch)
	if err != nil || !strings.HasPrefix(text, core) { // Canonical completes v1.2
		return Version{}, false
	}
	return v, true
}

// String returns the version as three numbers.
func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch) }

// Less reports whether v comes before w.
func (v Version) Less(w Version) bool {
	return semver.Compare("v"+v.String(), "v"+w.String()) < 0
}

// Bump is the part of a version that was increased. Below 1.0.0, an increased minor number is a Major bump.
type Bump string

// The bumps.
const (
	None  Bump = "none" // the same version, or a lower one
	Patch Bump = "patch"
	Minor Bump = "minor"
	Major Bump = "major"
)

// Step returns the bump from v to w.
func (v Version) Step(w Version) Bump {
	switch {
	case !v.Less(w):
		return None
	case w.Major > v.Major, v.Major == 0 && w.Minor > v.Minor:
		return Major
	case w.Minor > v.Minor:
		return Minor
	}
	return Patch
}

// Next returns the lowest version after v with a bump.
func (v Version) Next(b Bump) Version {
	switch {
	case b == None:
		return v
	case b == Major && v.Major > 0:
		return Version{v.Major + 1, 0, 0}
	case b == Major, b == Minor && v.Major > 0:
		return Version{v.Major, v.Minor + 1, 0}
	}
	return Version{v.Major, v.Minor, v.Patch + 1}
}
