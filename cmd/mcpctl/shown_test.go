package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// shown is the program that runs another one, of which a script reads the last words on a terminal: testscript closes that when the
// program ends, read or not. What is written after it is more than a terminal holds, and ends only once the words before were read.
func shown() int {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: shown PROGRAM [ARG…]")
		return 2
	}
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		fmt.Fprintln(os.Stderr, "shown:", err)
		return 2
	}
	if tty, err := os.OpenFile("/dev/tty", os.O_WRONLY, 0); err == nil {
		_, _ = io.WriteString(tty, strings.Repeat(" ", 64<<10))
	}
	return cmd.ProcessState.ExitCode()
}
