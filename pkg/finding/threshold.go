package finding

import "fmt"

// Threshold is the lowest level that makes a run fail. The zero value fails on nothing, as never does.
type Threshold string

// The thresholds, in the words of --fail-on.
const (
	FailOnBreaking Threshold = "breaking"
	FailOnWarning  Threshold = "warning"
	FailOnInfo     Threshold = "info"
	FailOnAny      Threshold = "any" // the same as info: whatever is reported
	FailOnNever    Threshold = "never"
)

// ParseThreshold reads a word of --fail-on.
func ParseThreshold(word string) (Threshold, error) {
	switch t := Threshold(word); t {
	case FailOnBreaking, FailOnWarning, FailOnInfo, FailOnAny, FailOnNever:
		return t, nil
	}
	return FailOnNever, fmt.Errorf("unknown threshold %q: breaking, warning, info, any and never exist", word)
}

// Fails tells whether a finding of this level makes the run fail.
func (t Threshold) Fails(level Level) bool {
	switch t {
	case FailOnBreaking:
		return level >= Breaking
	case FailOnWarning:
		return level >= Warning
	case FailOnInfo, FailOnAny:
		return level >= Info
	}
	return false
}
