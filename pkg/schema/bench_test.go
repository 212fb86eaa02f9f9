package schema

import (
	"encoding/json"
	"os"
	"testing"
)

// benchmarkPairs are the rows of the tables, each decided both ways.
func benchmarkPairs(b *testing.B) [][2]json.RawMessage {
	b.Helper()
	raw, err := os.ReadFile("internal/oracle/testdata/pairs/objects.json")
	if err != nil {
		b.Fatal(err)
	}
	var cases []struct{ Narrow, Wide json.RawMessage }
	if err := json.Unmarshal(raw, &cases); err != nil {
		b.Fatal(err)
	}
	var pairs [][2]json.RawMessage
	for _, c := range cases {
		pairs = append(pairs, [2]json.RawMessage{c.Narrow, c.Wide})
	}
	return pairs
}

func BenchmarkParse(b *testing.B) {
	raw := json.RawMessage(branches("oneOf", 20, ""))
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(raw); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkProve(b *testing.B) {
	var schemas [][2]*Schema
	for _, p := range benchmarkPairs(b) {
		schemas = append(schemas, [2]*Schema{mustParse(b, string(p[0])), mustParse(b, string(p[1]))})
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, s := range schemas {
			Equivalent(b.Context(), s[0], s[1], Budget{})
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(schemas)), "ns/pair")
}

func BenchmarkContainsWithWitness(b *testing.B) {
	narrow := mustParse(b, branches("oneOf", 8, ""))
	wide := mustParse(b, branches("oneOf", 8, `,"b":{"type":"integer"}`))
	for b.Loop() {
		if r := Contains(b.Context(), wide, narrow, Budget{Semantics: Strict}); r.Witness == nil {
			b.Fatal("no witness")
		}
	}
}

func BenchmarkEdits(b *testing.B) {
	before := mustParse(b, branches("oneOf", 20, ""))
	after := mustParse(b, branches("oneOf", 20, `,"b":{"type":"integer"}`))
	for b.Loop() {
		if len(Compare(b.Context(), before, after, Budget{}).Edits) != 20 {
			b.Fatal("not the edits that are there")
		}
	}
}
