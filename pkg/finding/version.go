package finding

import (
	"fmt"
	"strings"

	"golang.org/x/mod/semver"
)

// Version is the numbers of a semantic version (https://semver.org); what follows them is not compared.
type Version struct{ Major, Minor, Patch int }

// ParseVersion reads a semantic version; false when it is none.
func ParseVersion(text string) (Version, bool) {
	text = "v" + strings.TrimPrefix(text, "v")
	core, _, _ := strings.Cut(semver.Canonical(text), "-")
	var v Version
	_, err := fmt.Sscanf(core, "v%d.%d.%d", &v.Major, &v.Minor, &v.Patch)
	if err != nil || !strings.HasPrefix(text, core) { // v1.2 is short for v1.2.0 there
		return Version{}, false
	}
	return v, true
}

// String is the version as three numbers.
func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch) }

// Less reports whether v comes before w.
func (v Version) Less(w Version) bool {
	return semver.Compare("v"+v.String(), "v"+w.String()) < 0
}

// Bump is how far a version steps. Below 1.0.0 the minor number announces what the major one does above.
type Bump string

// The steps of a version.
const (
	None  Bump = "none"  // the same, or back
	Patch Bump = "patch" // nothing a caller has to know
	Minor Bump = "minor" // something new
	Major Bump = "major" // something may break
)

// Step is how far it is from v to w.
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

// Next is the lowest version that announces a step.
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

// Advice is what semantic versioning says of what changed on a server.
type Advice struct {
	Old    string `json:"old"`    // the version before
	New    string `json:"new"`    // the version now
	Made   Bump   `json:"made"`   // the step between them
	Asked  Bump   `json:"asked"`  // the step that the findings ask for
	Next   string `json:"next"`   // the lowest version that takes that step
	Enough bool   `json:"enough"` // whether the version now is at least that
}

// Advise is the advice on the findings of one server, waived ones included, since they change what callers
// see. It is nil when a version is not semantic, or when nothing but the version changed.
func Advise(old, new string, findings []Finding) *Advice {
	before, ok1 := ParseVersion(old)
	after, ok2 := ParseVersion(new)
	asked := asked(findings)
	if !ok1 || !ok2 || asked == None {
		return nil
	}
	next := before.Next(asked)
	return &Advice{Old: old, New: new, Made: before.Step(after), Asked: asked, Next: next.String(),
		Enough: !after.Less(next)}
}

// asked is major when something breaks, minor when something came that breaks nobody, else patch.
func asked(findings []Finding) Bump {
	step := None
	for _, f := range findings {
		switch {
		case strings.HasPrefix(f.Path, "/serverInfo/version") && f.Item == "",
			strings.HasPrefix(f.Item, "waiver/"):
		case f.Level == Breaking:
			return Major
		case f.Level == Info:
			step = Minor
		case step == None:
			step = Patch
		}
	}
	return step
}
