package schema

import "testing"

// TestSame compares every two of some values both ways.
func TestSame(t *testing.T) {
	var values []any
	for _, text := range []string{
		`null`, `true`, `false`, `0`, `-0`, `0.0`, `1`, `1.0`, `10e-1`, `1e2`, `100`, `1e400`, `10e399`, `"1"`, `""`, `"a"`, `"\u0061"`, `"<"`, `"\u003c"`,
		`[]`, `[1]`, `[1.0]`, `[1,2]`, `[2,1]`, `[null]`, `{}`, `{"a":1}`, `{"a":1.0}`, `{"b":1}`, `{"a":null}`, `{"a":1,"b":[{}]}`, `{"b":[{}],"a":1}`, `[{}]`, `[[]]`,
	} {
		s := mustParse(t, `{"const":`+text+`}`)
		values = append(values, s.doc.root.(map[string]any)["const"])
	}
	equal := 0
	for _, a := range values {
		for _, b := range values {
			want := canonical(a) == canonical(b)
			if got := same(a, b); got != want {
				t.Errorf("same(%s, %s) = %v", canonical(a), canonical(b), got)
			}
			if want {
				equal++
			}
		}
	}
	if equal <= len(values) {
		t.Error("no two different values were the same")
	}
}
