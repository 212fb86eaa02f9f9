package main

import (
	"fmt"
	"strconv"
	"strings"
)

// size is a flag value: a number of bytes.
type size int

const (
	defaultMaxBytes = size(16_000_000)
	mostMaxBytes    = size(64 << 20) // the transports take no larger message
)

// Set reads "500000", "500KB" or "16MB".
func (s *size) Set(text string) error {
	bare, factor := strings.ToUpper(text), 1
	for unit, bytes := range map[string]int{"KB": 1000, "MB": 1000_000, "KIB": 1 << 10, "MIB": 1 << 20} {
		if number, ok := strings.CutSuffix(bare, unit); ok {
			bare, factor = number, bytes
		}
	}
	n, err := strconv.Atoi(strings.TrimSpace(bare))
	if err != nil || n <= 0 || n > int(mostMaxBytes)/factor {
		return fmt.Errorf("%q is not a size of at most 64MiB such as 500KB or 16MB", text)
	}
	*s = size(n * factor)
	return nil
}

// String is the value as it would be typed.
func (s *size) String() string {
	switch {
	case s == nil || *s == 0:
		return ""
	case *s%1_000_000 == 0:
		return fmt.Sprintf("%dMB", *s/1_000_000)
	case *s%1000 == 0:
		return fmt.Sprintf("%dKB", *s/1000)
	}
	return strconv.Itoa(int(*s))
}
