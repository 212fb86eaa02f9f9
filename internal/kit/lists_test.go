package kit_test

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// TestParallel does each once, and nothing once the run has ended.
func TestParallel(t *testing.T) {
	done := make([]int, 100)
	ctx, cancel := context.WithCancel(t.Context())
	kit.Parallel(ctx, len(done), func(i int) { done[i]++ })
	cancel()
	kit.Parallel(ctx, len(done), func(i int) { done[i]++ })
	for i, n := range done {
		if n != 1 {
			t.Errorf("%d was done %d times", i, n)
		}
	}
}

// TestLists keeps the order of what lists are made of, leaves their sources alone, and makes nil of nothing.
func TestLists(t *testing.T) {
	words := []string{"b", "a", "b"}
	for name, pair := range map[string][2]any{
		"map":        {kit.Map(words, strings.ToUpper), []string{"B", "A", "B"}},
		"map none":   {kit.Map(nil, strings.ToUpper), []string(nil)},
		"flat":       {kit.Flat([]string{"a b", "", "c"}, strings.Fields), []string{"a", "b", "c"}},
		"filter":     {kit.Filter(words, func(w string) bool { return w == "b" }), []string{"b", "b"}},
		"filter all": {kit.Filter(words, func(string) bool { return false }), []string(nil)},
		"source":     {words, []string{"b", "a", "b"}},
		"set":        {kit.Set(words), map[string]bool{"a": true, "b": true}},
		"distinct":   {kit.Distinct(words), []string{"b", "a"}},
		"group":      {kit.Group([]string{"b1", "a1", "b2"}, func(w string) byte { return w[0] }), [][]string{{"b1", "b2"}, {"a1"}}},
		"group none": {kit.Group(nil, func(w string) byte { return w[0] }), [][]string(nil)},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("%s: got %v, want %v", name, pair[0], pair[1])
		}
	}
}
