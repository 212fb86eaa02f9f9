package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/mcpctl/mcpctl/pkg/probe"
)

// here is the folder of the worktree that stands for the current one.
func (w *worktree) here() string { return filepath.Join(w.dir, w.prefix) }

// relocate is a stdio server as it is started from the worktree: its folder lies there, relative paths are seen from
// there, and every path into the user's own tree, in arguments and environment too, leads there.
func (w *worktree) relocate(s probe.Server) probe.Server {
	stdio := *s.Stdio
	stdio.Command = w.move(stdio.Command)
	if stdio.Dir = w.move(stdio.Dir); stdio.Dir == "" {
		stdio.Dir = w.here()
	}
	stdio.Args = nil
	for _, arg := range s.Stdio.Args {
		stdio.Args = append(stdio.Args, w.move(arg))
	}
	stdio.Env = map[string]probe.Secret{}
	for _, pair := range w.environ {
		if name, path, _ := strings.Cut(pair, "="); name == "PATH" && w.move(path) != path {
			stdio.Env[name] = probe.Secret(w.move(path))
		}
	}
	for name, value := range s.Stdio.Env {
		stdio.Env[name] = probe.Secret(w.move(value.Reveal()))
	}
	s.Stdio = &stdio
	return s
}

// move is a text in which paths into the user's own tree lead into the worktree.
func (w *worktree) move(text string) string {
	for _, root := range w.roots {
		text = moved(text, root, w.dir)
	}
	return text
}

// moved replaces a path at the beginning of longer ones, or where it stands alone: /a in "/a/b:/a", not in "/x/a" or "/ab".
func moved(text, from, to string) string {
	var out strings.Builder
	for {
		at := strings.Index(text, from)
		if at < 0 || from == string(filepath.Separator) {
			return out.String() + text
		}
		before, after := text[:at], text[at+len(from):]
		out.WriteString(before)
		if boundary(before, after) && !strings.HasPrefix(text[at:], to) { // which may lie in the tree itself
			out.WriteString(to)
		} else {
			out.WriteString(from)
		}
		text = after
		if text == "" {
			return out.String()
		}
	}
}

// boundary tells whether a path can begin behind one text and end, or go on with a separator, before another.
func boundary(before, after string) bool {
	const apart = "=:;,\"' \t@"
	starts := before == "" || strings.Contains(apart, before[len(before)-1:])
	ends := after == "" || os.IsPathSeparator(after[0]) || strings.Contains(apart, after[:1])
	return starts && ends
}

// shared tells whether a server is the same program on both sides: nothing of its command line leads into the tree. Only
// its working folder can then make a difference.
func (w *worktree) shared(s, relocated probe.Server) bool {
	if strings.ContainsAny(s.Stdio.Command, `/\`) {
		if relocated.Stdio.Command != s.Stdio.Command || !filepath.IsAbs(s.Stdio.Command) {
			return false
		}
	}
	for i, arg := range s.Stdio.Args {
		_, err := os.Stat(filepath.Join(s.Stdio.Dir, arg))
		if relocated.Stdio.Args[i] != arg || err == nil && arg != "" && !filepath.IsAbs(arg) {
			return false
		}
	}
	return relocated.Stdio.Env["PATH"] == s.Stdio.Env["PATH"]
}
