package main

import (
	"runtime/debug"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// leastMemory is what a comparison may take however small its two sides are, in bytes.
const leastMemory = 32 << 20

// beLean asks the garbage collector to keep to three times what is compared. It works harder only near that.
func beLean(pairs []pair) {
	size := int64(0)
	for _, p := range pairs {
		size += sizeOf(p.old.snapshot) + sizeOf(p.now.snapshot)
	}
	debug.SetMemoryLimit(max(leastMemory, 3*size))
}

// sizeOf is how many bytes of JSON the items of a snapshot are.
func sizeOf(s *snapshot.Snapshot) int64 {
	if s == nil {
		return 0
	}
	size := 0
	for _, kind := range snapshot.Kinds() {
		for _, item := range s.List(kind).Items() {
			size += len(item.Raw)
		}
	}
	return int64(size)
}
