package invoke

import "testing"

func TestSize(t *testing.T) {
	for text, want := range map[string]Size{"1": 1, "500KB": 500_000, "16mb": 16_000_000, "1 KiB": 1024, "64MiB": 64 << 20, "2MB": 2_000_000} {
		var s Size
		if err := s.Set(text); err != nil || s != want {
			t.Errorf("%q is %d, %v; want %d", text, s, err, want)
		}
		var again Size
		if err := again.Set(s.String()); err != nil || again != s {
			t.Errorf("%d is written %q, which is %d, %v", s, s.String(), again, err)
		}
	}
	for _, text := range []string{"", "0", "-1", "1GB", "65MiB", "many", "9999999999999999999MB", "1.5MB"} {
		var s Size
		if s.Set(text) == nil {
			t.Errorf("%q is taken for %d", text, s)
		}
	}
}
