package host

import "testing"

// TestFold breaks a note between words only.
func TestFold(t *testing.T) {
	for columns, want := range map[int]string{
		0:  "mcpctl: a: no answer within 4s",
		40: "mcpctl: a: no answer within 4s",
		20: "mcpctl: a: no answer\n  within 4s",
	} {
		if got := Fold("mcpctl: a: no answer within 4s", columns, "  "); got != want {
			t.Errorf("%d columns: %q, want %q", columns, got, want)
		}
	}
}
