package main

import (
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/internal/report"
)

// elaborate tells on standard error, with --verbose, which files were read, and how servers answered and what was odd.
func (inv *invocation) elaborate(files []string, servers []surface) {
	if !inv.Verbose {
		return
	}
	for _, file := range files {
		inv.Note("read %s", report.Visible(inv.Rel(file)))
	}
	for _, s := range servers {
		inv.Note("%s: %s", report.Visible(s.Name), s.course())
		for _, n := range s.Notices {
			inv.Note("%s: %s", report.Visible(s.Name), report.Visible(n.Message))
		}
		for _, text := range s.NoiseText {
			inv.Note("%s: on stdout, not the protocol: %s", report.Visible(s.Name), report.Visible(text))
		}
	}
}

// course is how the probe of a server went, in a few words.
func (s surface) course() string {
	words := []string{string(s.State)}
	if s.Transport != "" {
		words = append(words, "over "+s.Transport)
	}
	if s.ProtocolVersion != "" {
		words = append(words, "protocol "+s.ProtocolVersion)
	}
	if s.Attempts > 1 {
		words = append(words, fmt.Sprintf("%d attempts", s.Attempts))
	}
	return strings.Join(append(words, fmt.Sprintf("%d ms", s.ElapsedMs)), ", ")
}
