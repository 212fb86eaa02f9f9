package finding

import (
	"fmt"
	"time"
)

// Day is a calendar day in UTC, written as 2026-12-31. The zero value is no day.
type Day string

// ParseDay reads a day such as 2026-12-31.
func ParseDay(text string) (Day, error) {
	if _, err := time.Parse(time.DateOnly, text); err != nil {
		return "", fmt.Errorf("%.40q is not a day such as 2026-12-31", text)
	}
	return Day(text), nil
}

// Over tells whether the day has ended at a moment. No day never ends.
func (d Day) Over(now time.Time) bool {
	return d != "" && now.UTC().Format(time.DateOnly) > string(d)
}
