package diff

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// MostBytes is how much may differ, in bytes of both sides, to be compared: more could take gigabytes of
// memory.
const MostBytes = 8 << 20

// TooLargeError says that more changed than is compared. Nothing is known of it.
type TooLargeError struct{ Bytes int }

// Error names both sizes.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%.1f MiB changed on both sides; at most %d MiB are compared",
		float64(e.Bytes)/(1<<20), MostBytes>>20)
}

// Size returns how many bytes of either side the other one does not have; 0 if a side is missing.
func Size(old, new *snapshot.Snapshot) int {
	if old == nil || new == nil {
		return 0
	}
	size := 0
	if old.Instructions != new.Instructions {
		size += len(old.Instructions) + len(new.Instructions)
	}
	if !slices.Equal(old.Supported, new.Supported) {
		size += len(strings.Join(slices.Concat(old.Supported, new.Supported), ""))
	}
	was, is := besideLists(old), besideLists(new)
	for _, key := range keys(was, is) {
		if !same(was[key], is[key]) {
			size += len(was[key]) + len(is[key])
		}
	}
	for _, kind := range snapshot.Kinds() {
		size += sizeOfItems(old.List(kind).Items(), new.List(kind).Items())
	}
	return size
}

// besideLists returns the JSON members of a snapshot that are not lists.
func besideLists(s *snapshot.Snapshot) view {
	v := view{"serverInfo": s.Server, "capabilities": s.Capabilities}
	maps.Copy(v, s.Extra)
	return v
}

// sizeOfItems takes an item that stands in one place on both sides for the same, which costs least.
func sizeOfItems(old, new []snapshot.Item) int {
	seed := maphash.MakeSeed()
	a, b := digestsOf(seed, old, new), digestsOf(seed, new, old)
	return lacking(old, a, b) + lacking(new, b, a)
}

// digestsOf returns digests of the items, 0 for those in the same place of the other side.
func digestsOf(seed maphash.Seed, items, others []snapshot.Item) []uint64 {
	digests := make([]uint64, len(items))
	for i, item := range items {
		if i >= len(others) || !bytes.Equal(item.Raw, others[i].Raw) {
			digests[i] = rawjson.Digest(seed, item.Raw)
		}
	}
	return digests
}

// lacking returns how many bytes of items the others do not have.
func lacking(items []snapshot.Item, digests, others []uint64) (size int) {
	there := kit.Set(others)
	for i, item := range items {
		if digests[i] != 0 && !there[digests[i]] {
			size += len(item.Raw)
		}
	}
	return size
}
