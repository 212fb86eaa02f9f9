package check

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// clientRules are on what applications say about the tools of a server.
var clientRules = map[string]rule{"client-filter-unknown": filterUnknown}

// ClientTools are the tools of a server that the applications which load it give to their models, where one
// of them does not give all.
type ClientTools struct {
	On      int            `json:"on"`      // number of tools that at least one application gives
	Of      int            `json:"of"`      // number of all tools
	Tokens  int            `json:"tokens"`  // as Tokens, of those that are on
	Filters []ClientFilter `json:"filters"` // the applications that do not give all
}

// ClientFilter is how one application limits the tools of a server.
type ClientFilter struct {
	Application string      `json:"application"` // as people call it
	File        string      `json:"file"`        // that has the keys, as shown to people
	Line        int         `json:"line"`        // of the first rule, 1-based
	Keys        []string    `json:"keys"`        // that limit the tools, such as "enabled_tools"
	On          int         `json:"on"`          // number of tools that are on
	Tokens      int         `json:"tokens"`      // as Tokens, of those that are on
	Off         []ClientOff `json:"off"`         // the other tools, in the order of the server
	// names and patterns in the file that match no tool; known only of a server that was listed completely
	Unknown []ClientEntry `json:"unknown,omitempty"`
}

// ClientOff is a tool that an application does not give to its model.
type ClientOff struct {
	Tool string `json:"tool"`
	Key  string `json:"key"` // that decides
}

// ClientEntry is a name or pattern of tools in the file of an application.
type ClientEntry struct {
	Key  string `json:"key"`
	Text string `json:"text"` // as it is written
	Line int    `json:"line"` // 1-based
	Glob bool   `json:"glob,omitempty"`
	Tool string `json:"-"` // the name of the tool, without what the application puts before it
}

// ClientToolsOf returns the number and the tokens of the tools of a server that are on.
func ClientToolsOf(s *snapshot.Snapshot, on func(tool string) bool) (tools, tokens int) {
	size := len(s.Instructions)
	for _, t := range s.Tools.Items() {
		if !on(t.Key) {
			continue
		}
		if tools++; forModel(t) {
			size += promptBytes(t)
		}
	}
	return tools, estimate(size)
}

// filterUnknown reports names and patterns in the files of applications that match no tool of the server, and
// filters that leave no tool.
func filterUnknown(s *server, report reporter) {
	if s.Clients == nil {
		return
	}
	names, unknown := kit.Map(s.tools, func(t *item) string { return t.Key }), 0
	for _, f := range s.Clients.Filters {
		add := func(line int, key, text, says string) {
			at := finding.Location{File: f.File, Line: max(line, 1)}
			found := finding.Finding{Location: &at, Message: fmt.Sprintf("%s: %s.", at, says),
				Path: rawjson.Join("", filepath.ToSlash(filepath.Clean(f.File)), key)}
			if text != "" {
				found.Old = rawjson.Quote(text)
			}
			report(found)
		}
		for _, n := range f.Unknown {
			if unknown++; unknown > maxGuesses {
				names = nil
			}
			says := fmt.Sprintf("%s names %q for %s, and the server has no such tool%s", n.Key, n.Text,
				f.Application, kit.DidYouMean(n.Tool, names))
			if n.Glob {
				says = fmt.Sprintf("%s has the pattern %q for %s, which matches no tool of the server", n.Key,
					n.Text, f.Application)
			}
			add(n.Line, n.Key, n.Text, says)
		}
		if f.On == 0 && len(f.Off) > 0 {
			key := f.Off[0].Key
			add(f.Line, key, "", fmt.Sprintf("%s leaves none of %s on in %s", key,
				kit.Counted(len(f.Off), "tool"), f.Application))
		}
	}
}

// IsOff reports whether the application does not give a tool to its model.
func (f ClientFilter) IsOff(tool string) bool {
	return slices.ContainsFunc(f.Off, func(o ClientOff) bool { return o.Tool == tool })
}
