package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/output"
)

// What follows are flag values: each writes into the field that it points at.

// duration is a Go duration, or a number of seconds; a field that stays nil was not given.
type duration struct{ to **time.Duration }

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
	*d.to = &parsed
	return nil
}

// String is the value as it would be typed.
func (d *duration) String() string {
	if d == nil || d.to == nil || *d.to == nil {
		return ""
	}
	return (*d.to).String()
}

// shard is a part of the configured servers.
type shard struct {
	to     *fleet.Shard
	lookup func(string) (string, bool) // in the environment
}

// Set reads "2/5", or auto.
func (s shard) Set(text string) (err error) {
	*s.to, err = fleet.ParseShard(text, s.lookup)
	return err
}

// String is the value as it would be typed.
func (s shard) String() string {
	if s.to == nil || s.to.Count == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.to.Index, s.to.Count)
}

// list are the values of a flag that may be given several times.
type list []string

// other is what urfave/cli sets the further names of a flag to, after the one that was given.
const other = "\x00"

// Serialize is called for that.
func (l *list) Serialize() string { return other }

// Set adds a value.
func (l *list) Set(text string) error {
	if text != other {
		*l = append(*l, text)
	}
	return nil
}

// String is the value as it would be typed.
func (l *list) String() string {
	if l == nil {
		return ""
	}
	return strings.Join(*l, " ")
}

// names are a list with commas between several.
type names []string

// Set adds names.
func (n *names) Set(text string) error {
	for _, name := range strings.Split(text, ",") {
		if name = strings.TrimSpace(name); name != "" {
			*n = append(*n, name)
		}
	}
	return nil
}

// String is the value as it would be typed.
func (n *names) String() string {
	if n == nil {
		return ""
	}
	return strings.Join(*n, ",")
}

// reports are the files that a run writes beside its answer.
type reports []output.File

// Set reads "sarif=out.sarif".
func (r *reports) Set(text string) error {
	file, err := output.ParseFile(text)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(*r, func(other output.File) bool { return other.Path == file.Path }) {
		return fmt.Errorf("%s is named twice", file.Path)
	}
	*r = append(*r, file)
	return nil
}

// String is the value as it would be typed.
func (r *reports) String() string {
	if r == nil {
		return ""
	}
	words := lists.Map(*r, output.File.String)
	return strings.Join(words, " ")
}

// semantics says whether callers may send anything that a schema allows.
type semantics struct{ strict *bool }

// Set reads "declared" or "strict".
func (s *semantics) Set(text string) error {
	if *s.strict = text == "strict"; !*s.strict && text != "declared" {
		return fmt.Errorf("--semantics is declared or strict, not %q", text)
	}
	return nil
}

// String is the value as it would be typed.
func (s *semantics) String() string {
	if s == nil || s.strict == nil || !*s.strict {
		return "declared"
	}
	return "strict"
}
