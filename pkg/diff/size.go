package diff

import (
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

// sizeOfItems returns how many bytes of items only one side has.
func sizeOfItems(old, new []snapshot.Item) (size int) {
	seed := maphash.MakeSeed()
	digest := func(item snapshot.Item) uint64 { return rawjson.Digest(seed, item.Raw) }
	before, after := kit.Map(old, digest), kit.Map(new, digest)
	inOld, inNew := kit.Set(before), kit.Set(after)
	for i, item := range old {
		if !inNew[before[i]] {
			size += len(item.Raw)
		}
	}
	for i, item := range new {
		if !inOld[after[i]] {
			size += len(item.Raw)
		}
	}
	return size
}
