package reload

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/mcpctl/mcpctl/internal/files"
)

// glob names files.
type glob struct {
	text  string // as it was written
	base  string // the folder that it begins in, absolute
	rest  string // what follows, with slashes
	depth int    // how many folders below base it reaches into; -1 = any number
}

// parseGlob reads a glob that begins in dir, unless it is absolute.
func parseGlob(dir, text string) (glob, error) {
	slashed := filepath.ToSlash(text)
	if text == "" || !doublestar.ValidatePattern(slashed) {
		return glob{}, fmt.Errorf("%q is no glob: write one such as src/**/*.ts, and quote it for the shell", text)
	}
	base, rest := doublestar.SplitPattern(slashed)
	if base = filepath.FromSlash(base); !filepath.IsAbs(base) {
		base = filepath.Join(dir, base)
	}
	if whole := filepath.Join(base, filepath.FromSlash(rest)); files.IsDir(whole) {
		base, rest = whole, "**"
	}
	g := glob{text: text, base: base, rest: rest, depth: strings.Count(rest, "/")}
	if strings.Contains(rest, "**") || strings.Contains(rest, "{") {
		g.depth = -1
	}
	return g, nil
}

// matches tells whether a path below base, with slashes, is named by the glob.
func (g glob) matches(below string) bool { return doublestar.MatchUnvalidated(g.rest, below) }

// reaches tells whether the glob may name something in a folder so many levels below base.
func (g glob) reaches(level int) bool { return g.depth < 0 || level <= g.depth }
