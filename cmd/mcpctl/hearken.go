package main

import (
	"bufio"
	"context"
	"os"
	"os/signal"
	"strings"
)

// hearken asks all servers at once whenever somebody types r and Enter, or sends the signal for it, until ctx ends.
func (v *vigil) hearken(ctx context.Context) (stop func()) {
	asked := make(chan os.Signal, 1)
	if wanted := refreshSignals(); len(wanted) > 0 {
		signal.Notify(asked, wanted...)
	}
	ignoreBackgroundReads()
	go v.hearInput()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-ctx.Done():
				return
			case <-asked:
				v.ask()
			}
		}
	}()
	return func() {
		signal.Stop(asked)
		<-done
	}
}

// hearInput reads the standard input to its end. Nobody waits for it: a terminal has no end.
func (v *vigil) hearInput() {
	lines := bufio.NewScanner(v.in)
	for lines.Scan() {
		if strings.TrimSpace(lines.Text()) == "r" {
			v.ask()
		}
	}
}
