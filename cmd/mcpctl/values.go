package main

import (
	"fmt"
	"time"
)

// duration is a flag value: a Go duration, or a number of seconds.
type duration struct {
	time.Duration
	set bool
}

// Set reads "10s", "1m30s" or "10".
func (d *duration) Set(text string) error {
	parsed, err := time.ParseDuration(text)
	if err != nil {
		if parsed, err = time.ParseDuration(text + "s"); err != nil {
			return fmt.Errorf("%q is not a duration such as 10s", text)
		}
	}
	if parsed < 0 {
		return fmt.Errorf("%q is negative", text)
	}
	*d = duration{parsed, true}
	return nil
}

// String is the value as it would be typed.
func (d *duration) String() string {
	if d == nil || !d.set {
		return ""
	}
	return d.Duration.String()
}

// or is the value, or other when none was given.
func (d duration) or(other time.Duration) time.Duration {
	if d.set {
		return d.Duration
	}
	return other
}

// shard is part index of count, from 1; the zero value is everything.
type shard struct{ index, count int }

// Set reads "2/5".
func (s *shard) Set(text string) error {
	var parsed shard
	if n, err := fmt.Sscanf(text, "%d/%d", &parsed.index, &parsed.count); err != nil || n != 2 || fmt.Sprintf("%d/%d", parsed.index, parsed.count) != text || parsed.index < 1 || parsed.index > parsed.count {
		return fmt.Errorf("%q is not a part such as 1/4", text)
	}
	*s = parsed
	return nil
}

// String is the value as it would be typed.
func (s *shard) String() string {
	if s == nil || s.count == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.index, s.count)
}

// has tells whether the item at position i belongs to this part.
func (s shard) has(i int) bool { return s.count == 0 || i%s.count == s.index-1 }
