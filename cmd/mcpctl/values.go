package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/report"
)

// value reads what was typed for a flag into the field that it is for.
type value struct {
	read  func(text string) error
	usual string // the default that the help shows; empty = none
}

// usually returns the value with a default for the help.
func (v value) usually(usual string) value { return value{v.read, usual} }

// Set reads what was typed.
func (v value) Set(text string) error {
	if text == unchanged {
		return nil
	}
	return v.read(text)
}

// unchanged cannot be typed: no argument holds a zero byte.
const unchanged = "\x00"

// Serialize keeps urfave/cli from setting the value again for each other name of its flag.
func (value) Serialize() string { return unchanged }

// String returns the default to show.
func (v value) String() string { return v.usual }

// text reads a text as it is.
func text(to *string) value {
	return value{read: func(text string) error {
		*to = text
		return nil
	}}
}

// format reads the name of a format, or another name of it.
func format(to *string) value {
	return value{read: func(text string) error {
		*to = formatNamed(text)
		return nil
	}}
}

// duration reads a Go duration, or a number of seconds; a field that stays nil was not given.
func duration(to **time.Duration) value {
	return value{read: func(text string) error {
		parsed, err := time.ParseDuration(text)
		if err != nil {
			if parsed, err = time.ParseDuration(text + "s"); err != nil {
				return fmt.Errorf("%q is not a duration such as 10s", text)
			}
		}
		if parsed < 0 {
			return fmt.Errorf("%q is negative", text)
		}
		*to = &parsed
		return nil
	}}
}

// number reads a whole number of at least so much, in decimal: 010 is ten.
func number(to *int, least int) value {
	return value{read: func(text string) error {
		n, err := strconv.Atoi(text)
		switch {
		case err != nil:
			return errors.New("not a whole number")
		case n < least:
			return fmt.Errorf("it is at least %d", least)
		}
		*to = n
		return nil
	}}
}

// shard reads a part of the configured servers, such as 2/5; auto looks for it in the environment.
func shard(to *fleet.Shard, lookup func(string) (string, bool)) value {
	return value{read: func(text string) (err error) {
		*to, err = fleet.ParseShard(text, lookup)
		return err
	}}
}

// list collects the values of a flag that may be given several times.
func list(to *[]string) value {
	return value{read: func(text string) error {
		*to = append(*to, text)
		return nil
	}}
}

// names collects names that are separated by commas; the flag may be given several times. A first value
// without any name is an error.
func names(to *[]string) value {
	return value{read: func(text string) error {
		for name := range strings.SplitSeq(text, ",") {
			if name = strings.TrimSpace(name); name != "" {
				*to = append(*to, name)
			}
		}
		if len(*to) == 0 {
			return errors.New("it names nothing")
		}
		return nil
	}}
}

// reports reads the files that a run writes beside its answer, such as sarif=out.sarif.
func reports(to *[]report.OutputFile) value {
	return value{read: func(text string) error {
		name, path, pair := strings.Cut(text, "=")
		if pair {
			text = formatNamed(name) + "=" + path
		}
		if err := errManyReports(text); err != nil {
			return err
		}
		file, err := report.ParseOutputFile(text)
		*to = append(*to, file)
		return err
	}}
}

// errManyReports returns the error for several files in one --report, separated by commas; nil for one.
func errManyReports(text string) error {
	parts := strings.Split(text, ",")
	for _, part := range parts[1:] {
		name, _, pair := strings.Cut(part, "=")
		if _, err := report.ParseOutputFile(formatNamed(name) + "=x"); pair && err == nil {
			return fmt.Errorf("repeat the flag for each file: --report %s", strings.Join(parts, " --report "))
		}
	}
	return nil
}

// oneOf reads one of some words for a flag.
func oneOf(flag string, take func(word string), words ...string) value {
	return value{read: func(text string) error {
		if !slices.Contains(words, text) {
			return fmt.Errorf("--%s is %s, not %q", flag, strings.Join(words, " or "), text)
		}
		take(text)
		return nil
	}}
}
