package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// stopWait is how long an interrupted run may take to stop the servers it started once it is told to hurry. Killing what
// does not listen takes less; ending at once would leave such processes behind.
const stopWait = 3 * time.Second

// untilSignal is a context that ends at the first SIGINT or SIGTERM; after a second one the process ends within stopWait,
// after a third at once.
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
		second := <-arrived
		select {
		case <-arrived:
		case <-time.After(stopWait):
		}
		os.Exit(int(signalStatus(second)))
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
