package oracle

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestAttack shows that the random values find what they are made to find: a value that one schema accepts and
// the other rejects.
func TestAttack(t *testing.T) {
	file, err := os.ReadFile("testdata/attack.txt")
	if err != nil {
		t.Fatal(err)
	}
	cases := strings.Split(string(file), "\n-- ")[1:]
	if len(cases) < 40 {
		t.Fatalf("only %d cases", len(cases))
	}
	for number, one := range cases {
		part := strings.Split(strings.TrimRight(one, "\n"), "\n")
		narrow, wide, found := decode([]byte(part[1])), decode([]byte(part[2])), part[3] == "found"
		n, err1 := newJudge(narrow, "schema")
		w, err2 := newJudge(wide, "schema")
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		var c run
		var value json.RawMessage
		for seed := 0; seed < 20 && value == nil; seed++ {
			value = c.attack(newGrammar(uint64(100*number+seed)), narrow, wide, n, w)
		}
		if (value != nil) != found {
			t.Errorf("%s: %s after %d values, want one: %v", part[0], value, c.checks, found)
		}
	}
}
