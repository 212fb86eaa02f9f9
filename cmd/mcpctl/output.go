package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/moby/sys/atomicwriter"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/report"
)

// write puts a report where --output says, or on standard output.
func (inv *invocation) write(data []byte) error {
	if inv.output == "" {
		_, err := inv.Out.Write(data)
		return err
	}
	if err := writeOutput(inv.output, data); err != nil {
		return fmt.Errorf("writing --output %s: %w", inv.output, err)
	}
	return nil
}

// writeOutput writes a whole file or none. What a symbolic link points at is replaced, not the link; a device or a pipe,
// such as /dev/stdout, is written into, for it cannot be replaced.
func writeOutput(path string, data []byte) error {
	if err := leadsOut(path); err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = file.Write(data)
		if closed := file.Close(); err == nil {
			err = closed
		}
		return err
	}
	return writeWhole(config.RealPath(path), data)
}

// writeWhole replaces a file that is whole at any time. It keeps the mode that the file has; a new one gets that of the
// user's umask, which atomicwriter does not heed.
func writeWhole(path string, data []byte) error {
	mode := newFileMode()
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		mode = info.Mode().Perm()
	}
	return atomicwriter.WriteFile(path, data, mode)
}

// checkOutput finds a path that cannot be written before any server is contacted for nothing.
func checkOutput(path string) error {
	if path == "" {
		return nil
	}
	return checkFile("--output ", path)
}

// checkFile finds a file that cannot be written; flag is what stands before it on the command line.
func checkFile(flag, path string) error {
	if isFolder(path) {
		return exit.Usagef("%s%s is a folder: name a file in it", flag, path)
	}
	if folder := filepath.Dir(path); !isFolder(folder) {
		return exit.Usagef("%s%s: there is no folder %s: make it first", flag, path, folder)
	}
	if err := leadsOut(path); err != nil {
		return exit.Misuse(fmt.Errorf("%s%s: %w", flag, path, err))
	}
	return nil
}

// leadsOut is the error for a file of the project that is a link to somewhere else.
func leadsOut(path string) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	if real := config.LeadsOut(dir, path); real != "" {
		return fmt.Errorf("it is a link out of the project, to %s: name that file if you mean it", report.Visible(real))
	}
	return nil
}
