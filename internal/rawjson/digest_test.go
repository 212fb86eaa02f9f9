package rawjson_test

import (
	"encoding/json"
	"hash/maphash"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

var digestSeed = maphash.MakeSeed()

// TestDigest compares all pairs of these values: their digests are the same exactly where their canonical forms are.
func TestDigest(t *testing.T) {
	values := strings.Split(
		`1|1.0|"1"|true|null|{}|[]|[[]]|[{}]|[1]|[1,2]|[2,1]|[[1],2]|[[1,2]]|{"a":1}|{"a":2}|{"b":1}|{"a":[1]}|{"a":{"a":1}}|`+
			`{"a":1,"b":2}|{"b":2,"a":1}|{"a":2,"b":1}|{"a":1,"a":2}|{"a":2,"a":1}|{"a":1,"a":1}|{"\u0061":1}|{"a":{"b":1},`+
			`"c":2}|{"a":{"b":1,"c":2}}|`+
			`"a"|"\u0061"|"\/"|"/"|"\ud800"|"\ud801"|""|[""]|no JSON|[1`, "|")
	for _, x := range values {
		for _, y := range values {
			want := x == y || rawjson.Equal(json.RawMessage(x), json.RawMessage(y))
			if got := rawjson.Digest(digestSeed, json.RawMessage(x)) == rawjson.Digest(digestSeed, json.RawMessage(y)); got != want {
				t.Errorf("%s and %s have the same digest: %t, want %t", x, y, got, want)
			}
		}
	}
}
