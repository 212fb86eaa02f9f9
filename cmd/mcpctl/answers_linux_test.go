package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// answers is the program that runs another one on a terminal of 80 by 24 and types the next line of a file at each
// prompt: answers FILE PROGRAM [ARG…]. The line "<end>" is Ctrl-D, as is every prompt after the last line; before the
// answer after it, the line "<copy> FROM TO" copies a file. The file screen has what the terminal showed; the standard streams and the status are those of the program.
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
	master, slave, err := openTerminal()
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
	if err := os.WriteFile("screen", []byte(screen), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, "answers:", err)
		return 2
	}
	return cmd.ProcessState.ExitCode()
}

// openTerminal opens a pseudo terminal that does not show what is typed.
func openTerminal() (master, slave *os.File, err error) {
	if master, err = os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0); err != nil {
		return nil, nil, err
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80})
	}
	if err == nil {
		slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	return master, slave, err
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
		typed := "\x04"
		if len(lines) > 0 && strings.HasPrefix(lines[0], "<copy> ") { // while the question is open
			from, to, _ := strings.Cut(strings.TrimPrefix(lines[0], "<copy> "), " ")
			text, err := os.ReadFile(from)
			if err == nil {
				err = os.WriteFile(to, text, 0o600)
			}
			if err != nil {
				return shown.String() + err.Error()
			}
			lines = lines[1:]
		}
		if len(lines) > 0 {
			if lines[0] != "<end>" {
				typed = lines[0] + "\n"
			}
			lines = lines[1:]
		}
		_, _ = master.WriteString(typed)
	}
}
