package source

import (
	"strings"
	"testing"
)

// TestUTF16: a file that is UTF-16 text is named as such.
func TestUTF16(t *testing.T) {
	for name, text := range map[string]string{
		"little, marked": "\xff\xfe{\x00}\x00", "big, marked": "\xfe\xff\x00{\x00}", "little": "{\x00}\x00",
		"big": "\x00[\x00]", "report": "\xff\xfe{\x00\"\x00m\x00",
	} {
		if _, err := parse(t.Context(), "x.json", "x", []byte(text)); err == nil || !strings.Contains(err.Error(),
			"x.json: UTF-16 text") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := parse(t.Context(), "x.json", "x", []byte("\ufeff{\"tools\":[]}")); err != nil {
		t.Errorf("UTF-8 with a mark: %v", err)
	}
}
