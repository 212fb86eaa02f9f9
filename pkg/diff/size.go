package diff

import (
	"fmt"
	"hash/maphash"
	"maps"
	"slices"

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
	seed := maphash.MakeSeed()
	before, after := sizes(seed, old), sizes(seed, new)
	for digest := range before {
		if _, both := after[digest]; both {
			delete(before, digest)
			delete(after, digest)
		}
	}
	total := 0
	for _, size := range slices.AppendSeq(slices.Collect(maps.Values(before)), maps.Values(after)) {
		total += size
	}
	return total
}

// sizes returns the sizes of the parts of a snapshot in bytes, by their digests.
func sizes(seed maphash.Seed, s *snapshot.Snapshot) map[uint64]int {
	parts := append(slices.Collect(maps.Values(s.Extra)), s.Server, s.Capabilities,
		rawjson.Quote(s.Instructions), asJSON(s.Supported))
	for _, kind := range snapshot.Kinds() {
		for _, item := range s.List(kind).Items() {
			parts = append(parts, item.Raw)
		}
	}
	sizes := map[uint64]int{}
	for _, part := range parts {
		sizes[rawjson.Digest(seed, part)] += len(part)
	}
	return sizes
}
