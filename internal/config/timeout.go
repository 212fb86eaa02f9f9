package config

import (
	"strconv"
	"time"
)

// maxTimeout is the longest time that may be configured; a longer one is a mistake of the unit.
const maxTimeout = 24 * time.Hour

const timeoutHint = `write a duration such as "30s"`

// timeout reads a duration string or a number in the dialect's unit. Zero means the default.
func (r *reader) timeout(f field, d dialect) time.Duration {
	var t time.Duration
	var ok bool
	switch f.value.kind {
	case number:
		t, ok = inUnit(f.value.text, d.unit)
	case text:
		parsed, err := time.ParseDuration(f.value.text)
		t, ok = parsed, err == nil && parsed >= 0 && parsed <= maxTimeout
	default:
		r.complain(f.value.line, timeoutHint, "%q must be a number or a duration, but is %s", f.key, f.value.kind)
		return 0
	}
	if !ok {
		r.complain(f.value.line, timeoutHint, "%q is not a time between 0 and 24 hours", f.key)
		return 0
	}
	return t
}

// inUnit reads a number; unit 0 takes it as milliseconds, but as seconds below 1000.
func inUnit(digits string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseFloat(digits, 64)
	if unit == 0 && n < 1000 {
		unit = time.Second
	} else if unit == 0 {
		unit = time.Millisecond
	}
	if err != nil || !(n >= 0 && n <= float64(maxTimeout/unit)) {
		return 0, false
	}
	return time.Duration(n * float64(unit)), true
}
