package diff

import (
	"fmt"
	"hash/maphash"

	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// MostBytes is how much may differ, in bytes of both sides, to be compared: more could take gigabytes of memory.
const MostBytes = 8 << 20

// TooLargeError says that more changed than is compared. Nothing is known of it.
type TooLargeError struct{ Bytes int }

// Error names both sizes.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("what changed is %.1f MiB on both sides, of which %d MiB are compared at most", float64(e.Bytes)/(1<<20), MostBytes>>20)
}

// Size is how many bytes of items and texts one side has and the other has not, of both sides. It is 0 for what has no side.
func Size(old, new *snapshot.Snapshot) int {
	if old == nil || new == nil {
		return 0
	}
	return lacking(old, new) + lacking(new, old)
}

// lacking is how many bytes of one surface the other one has not.
func lacking(in, from *snapshot.Snapshot) int {
	size := 0
	if in.Instructions != from.Instructions {
		size += len(in.Instructions)
	}
	if !same(in.Server, from.Server) {
		size += len(in.Server)
	}
	for _, kind := range snapshot.Kinds() {
		size += lackingItems(in.List(kind).Items(), from.List(kind).Items())
	}
	return size
}

func lackingItems(in, from []snapshot.Item) int {
	seed, size := maphash.MakeSeed(), 0
	written, said := map[uint64]bool{}, map[uint64]bool{}
	for _, item := range from {
		written[maphash.Bytes(seed, item.Raw)] = true
	}
	in = lists.Filter(in, func(item snapshot.Item) bool { return !written[maphash.Bytes(seed, item.Raw)] })
	keys := lists.Set(lists.Map(in, func(item snapshot.Item) string { return item.Key }))
	for _, item := range from { // in another spelling
		if keys[item.Key] {
			said[rawjson.Digest(seed, item.Raw)] = true
		}
	}
	for _, item := range in {
		if !said[rawjson.Digest(seed, item.Raw)] {
			size += len(item.Raw)
		}
	}
	return size
}
