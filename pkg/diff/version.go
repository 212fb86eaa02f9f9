package diff

import (
	"regexp"
	"strconv"
)

// semver is the numbers of a semantic version; what follows them is not compared.
type semver struct{ major, minor, patch int }

var semverPattern = regexp.MustCompile(`^v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:$|[-+])`)

// semantic reads the versions of both sides; false when one of them is no semantic version.
func semantic(old, new view) (before, after semver, ok bool) {
	before, ok1 := parseSemver(old.text("version"))
	after, ok2 := parseSemver(new.text("version"))
	return before, after, ok1 && ok2
}

func parseSemver(version string) (semver, bool) {
	m := semverPattern.FindStringSubmatch(version)
	if m == nil {
		return semver{}, false
	}
	number := func(digits string) int { n, _ := strconv.Atoi(digits); return n }
	return semver{number(m[1]), number(m[2]), number(m[3])}, true
}

func (v semver) less(w semver) bool {
	switch {
	case v.major != w.major:
		return v.major < w.major
	case v.minor != w.minor:
		return v.minor < w.minor
	}
	return v.patch < w.patch
}

// breaks tells whether the step from v to w announces that something may break.
func (v semver) breaks(w semver) bool {
	return w.major > v.major || v.major == 0 && w.minor > v.minor
}
