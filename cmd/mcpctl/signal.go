package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// untilSignal is a context that ends at the first SIGINT or SIGTERM; a second one ends the process at once.
// The function it returns gives the exit status of the signal that arrived, 0 for none.
func untilSignal() (context.Context, func() int) {
	ctx, cancel := context.WithCancelCause(context.Background())
	arrived := make(chan os.Signal, 2)
	signal.Notify(arrived, os.Interrupt, syscall.SIGTERM)
	var status atomic.Int32
	go func() {
		first := <-arrived
		status.Store(signalStatus(first))
		cancel(fmt.Errorf("interrupted by a signal (%v)", first))
		os.Exit(int(signalStatus(<-arrived)))
	}()
	return ctx, func() int { return int(status.Load()) }
}

// signalStatus is 128 plus the signal's number, as shells have it.
func signalStatus(s os.Signal) int32 {
	if s == syscall.SIGTERM {
		return 143
	}
	return 130
}
