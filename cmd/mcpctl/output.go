package main

import (
	"fmt"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
)

// write puts a report where --output says, or on standard output.
func (inv *invocation) write(data []byte) error {
	if inv.output == "" {
		_, err := inv.Out.Write(data)
		return err
	}
	if err := files.WriteOutput(inv.Dir, inv.output, data); err != nil {
		return fmt.Errorf("writing --output %s: %w", inv.output, err)
	}
	return nil
}

// checkOutput finds a path that cannot be written before any server is contacted for nothing.
func (inv *invocation) checkOutput(path string) error {
	if path == "" {
		return nil
	}
	return inv.checkFile("--output ", path)
}

// checkFile finds a file that cannot be written; flag is what stands before it on the command line.
func (inv *invocation) checkFile(flag, path string) error {
	if err := files.CheckOutput(inv.Dir, path); err != nil {
		return exit.Misuse(fmt.Errorf("%s%w", flag, err))
	}
	return nil
}
