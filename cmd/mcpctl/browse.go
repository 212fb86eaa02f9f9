package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/mcpctl/mcpctl/internal/terminal"
)

// browse opens a page in the user's browser, which outlives us: BROWSER if it is set, else what the system has. The page
// is an argument of its own, never part of a command line that a shell reads.
func (inv *invocation) browse(_ context.Context, page string) error {
	browsers := [][]string{}
	if chosen, _ := inv.Lookup("BROWSER"); chosen != "" {
		for _, command := range strings.Split(chosen, string(os.PathListSeparator)) {
			browsers = append(browsers, withPage(strings.Fields(command), page))
		}
	} else {
		browsers = inv.systemBrowsers(runtime.GOOS, page)
	}
	err := errors.New("there is none")
	for _, words := range browsers {
		if len(words) == 0 {
			continue
		}
		if err = inv.start(words); err == nil {
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
func (inv *invocation) systemBrowsers(goos, page string) [][]string {
	switch goos {
	case "windows":
		return [][]string{{"rundll32", "url.dll,FileProtocolHandler", page}}
	case "darwin":
		return [][]string{{"open", page}}
	}
	display, _ := inv.Lookup("DISPLAY")
	wayland, _ := inv.Lookup("WAYLAND_DISPLAY")
	wsl, _ := inv.Lookup("WSL_DISTRO_NAME")
	if display == "" && wayland == "" && wsl == "" {
		return nil
	}
	return [][]string{{"xdg-open", page}, {"wslview", page}, {"x-www-browser", page}}
}

// start runs a program and leaves it alone.
func (inv *invocation) start(words []string) error {
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = inv.Environ
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }()
	return nil
}

// pasted reads the address that a browser ended at from standard input, until ctx ends.
func (inv *invocation) pasted(ctx context.Context) (string, error) {
	type answer struct {
		text []byte
		err  error
	}
	read := make(chan answer, 1)
	go func() {
		text, err := terminal.ReadLine(inv.In)
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
