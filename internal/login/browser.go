package login

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"

	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/terminal"
)

// openBrowser opens a page in the user's browser, which outlives us: BROWSER if it is set, else what the system has. The
// page is an argument of its own, never part of a command line that a shell reads.
func openBrowser(p host.Process, page string) error {
	browsers := systemBrowsers(p, page)
	if chosen, _ := p.Lookup("BROWSER"); chosen != "" {
		browsers = nil
		for _, command := range strings.Split(chosen, string(os.PathListSeparator)) {
			browsers = append(browsers, withPage(strings.Fields(command), page))
		}
	}
	err := errors.New("there is none")
	for _, words := range browsers {
		if len(words) == 0 {
			continue
		}
		if err = start(words, p.Environ); err == nil {
			return nil
		}
	}
	return err
}

// withPage is a command of BROWSER with the page in the place of %s, or at its end.
func withPage(words []string, page string) []string {
	if len(words) == 0 {
		return nil
	}
	placed := false
	for i, word := range words {
		if strings.Contains(word, "%s") {
			words[i], placed = strings.ReplaceAll(word, "%s", page), true
		}
	}
	if !placed {
		words = append(words, page)
	}
	return words
}

// systemBrowsers are the commands that open a page on a system.
func systemBrowsers(p host.Process, page string) [][]string {
	switch p.GOOS {
	case "windows":
		return [][]string{{"rundll32", "url.dll,FileProtocolHandler", page}}
	case "darwin":
		return [][]string{{"open", page}}
	}
	for _, screen := range []string{"DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"} {
		if value, _ := p.Lookup(screen); value != "" {
			return [][]string{{"xdg-open", page}, {"wslview", page}, {"x-www-browser", page}}
		}
	}
	return nil
}

// start runs a program and leaves it alone.
func start(words, environ []string) error {
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = environ
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }()
	return nil
}

// readPasted reads the address that a browser ended at from standard input, until ctx ends.
func readPasted(ctx context.Context, p host.Process) (string, error) {
	type answer struct {
		text []byte
		err  error
	}
	read := make(chan answer, 1)
	go func() {
		text, err := terminal.ReadLine(p.In)
		read <- answer{text, err}
	}()
	select {
	case a := <-read:
		if a.err != nil {
			return "", terminal.ErrClosed
		}
		return string(a.text), nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}
