package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"time"
)

// appears is the program that lets a shell script wait for what another program writes: appears FILE COUNT REGEXP waits until
// as many lines match. Its status is 1 when that takes longer than five minutes.
func appears() int {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: appears FILE COUNT REGEXP")
		return 2
	}
	wanted, err := strconv.Atoi(os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, "appears:", err)
		return 2
	}
	pattern := regexp.MustCompile("(?m)" + os.Args[3])
	var text []byte
	for late := time.Now().Add(5 * time.Minute); time.Now().Before(late); time.Sleep(10 * time.Millisecond) {
		text, _ = os.ReadFile(os.Args[1]) // it may not be there yet
		if len(pattern.FindAll(text, -1)) >= wanted {
			return 0
		}
	}
	fmt.Fprintf(os.Stderr, "appears: %s never was in %s %d times, which has\n%s", pattern, os.Args[1], wanted, text)
	return 1
}
