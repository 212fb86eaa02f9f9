package check_test

import (
	"testing"

	"github.com/mcpctl/mcpctl/pkg/check"
)

// BenchmarkTokens counts what all listings cost, as list does.
func BenchmarkTokens(b *testing.B) {
	surfaces := readListings(b, *listings)
	for b.Loop() {
		for _, s := range surfaces {
			check.Tokens(s.Snapshot)
		}
	}
}

// BenchmarkRun looks at all listings together.
func BenchmarkRun(b *testing.B) {
	surfaces := readListings(b, *listings)
	for b.Loop() {
		run(b, surfaces, check.Options{})
	}
}
