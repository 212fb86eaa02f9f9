package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/host/terminaltest"
)

// answers is the program that runs another one on a terminal of 80 by 24 and types the next line of a file at each
// prompt: answers FILE PROGRAM [ARG…]. The line "<end>" is Ctrl-D, as is every prompt after the last line, and "<interrupt>"
// at the end of a line Ctrl-C. Before an answer, the line "<copy> FROM TO" copies a file and "<wait> TIME" waits. The file
// screen has what the terminal showed; the standard streams and the status are those of the program.
func answers() int {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: answers FILE PROGRAM [ARG…]")
		return 2
	}
	lines, err := os.ReadFile(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "answers:", err)
		return 2
	}
	master, slave, err := terminaltest.New()
	if err != nil {
		fmt.Fprintln(os.Stderr, "answers:", err)
		return 2
	}
	cmd := exec.Command(os.Args[2], os.Args[3:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = os.Stdin, os.Stdout, os.Stderr, []*os.File{slave}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "answers:", err)
		return 2
	}
	_ = slave.Close()
	screen := typeAnswers(master, strings.Split(strings.TrimSuffix(string(lines), "\n"), "\n"))
	_ = cmd.Wait() // its status says it
	if !echoes(master) {
		screen += "\nthe terminal is left without echo"
	}
	if err := os.WriteFile("screen", []byte(screen), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, "answers:", err)
		return 2
	}
	return cmd.ProcessState.ExitCode()
}

// onScreen is the program that runs another one on a terminal of so many columns, and prints what is shown there without
// colours, and with CLEARED what was cleared, too: onscreen COLUMNS PROGRAM [ARG…]. A row that is wider ends it with status 9.
func onScreen() int {
	columns, err := strconv.Atoi(os.Args[1])
	if err != nil || len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: onscreen COLUMNS PROGRAM [ARG…]")
		return 2
	}
	master, slave, err := terminaltest.New()
	if err == nil {
		err = unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: uint16(columns)})
	}
	cmd := exec.Command(os.Args[2], os.Args[3:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "onscreen:", err)
		return 2
	}
	_ = slave.Close()
	var shown strings.Builder
	for chunk := make([]byte, 4096); err == nil; { // no program has the terminal any more
		var n int
		n, err = master.Read(chunk)
		shown.Write(chunk[:n])
		if strings.HasSuffix(shown.String(), ": ") && strings.Contains(shown.String(), "[y]es") {
			_, _ = master.WriteString("\x04")
		}
	}
	_ = cmd.Wait() // its status says it
	text := regexp.MustCompile(`[^\n]*\r\x1b\[J|\x1b\[[0-9;]*[mKJ]|\r`).ReplaceAllString(shown.String(), "")
	if os.Getenv("CLEARED") != "" { // what was cleared is printed, too
		fmt.Print(strings.NewReplacer("\r\x1b[J", "<clear>", "\r", "").Replace(shown.String()))
	} else {
		fmt.Print(text)
	}
	for line := range strings.Lines(text) {
		if wide := host.Columns(strings.TrimSuffix(line, "\n")); wide > columns {
			fmt.Fprintf(os.Stderr, "%d columns of %d: %s", wide, columns, line)
			return 9
		}
	}
	return cmd.ProcessState.ExitCode()
}

// echoes reports whether a terminal shows what is typed.
func echoes(terminal *os.File) bool {
	state, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS)
	return err == nil && state.Lflag&unix.ECHO != 0
}

// typeAnswers types an answer whenever the last line shown is a prompt, and returns all that was shown.
func typeAnswers(master *os.File, lines []string) string {
	var shown strings.Builder
	chunk := make([]byte, 4096)
	for {
		n, err := master.Read(chunk)
		shown.Write(chunk[:n])
		if err != nil { // no program has the terminal any more
			return strings.ReplaceAll(shown.String(), "\r\n", "\n")
		}
		if !strings.HasSuffix(shown.String(), " ") {
			continue
		}
		for strings.HasSuffix(shown.String(), "(not shown): ") && echoes(master) {
			time.Sleep(time.Millisecond)
		}
		// while the question is open
		for len(lines) > 0 && (strings.HasPrefix(lines[0], "<copy> ") || strings.HasPrefix(lines[0], "<wait> ")) {
			if err := meanwhile(strings.Fields(lines[0])); err != nil {
				return shown.String() + err.Error()
			}
			lines = lines[1:]
		}
		typed := "\x04"
		if len(lines) > 0 {
			if text, interrupted := strings.CutSuffix(lines[0], "<interrupt>"); interrupted {
				typed = text + "\x03"
			} else if text != "<end>" {
				typed = text + "\n"
			}
			lines = lines[1:]
		}
		_, _ = master.WriteString(typed)
	}
}

// meanwhile copies a file, or waits.
func meanwhile(words []string) error {
	if words[0] == "<wait>" {
		wait, err := time.ParseDuration(words[1])
		time.Sleep(wait)
		return err
	}
	text, err := os.ReadFile(words[1])
	if err != nil {
		return err
	}
	return os.WriteFile(words[2], text, 0o600)
}
