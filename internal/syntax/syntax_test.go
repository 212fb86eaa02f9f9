package syntax

import (
	"bytes"
	"strings"
	"testing"
)

func TestDecode(t *testing.T) {
	for in, want := range map[string]string{
		"\ufeff{}":           "",
		"{}":                 "",
		"\xff\xfe{\x00}\x00": "UTF-16 text; save it as UTF-8",
		"\xfe\xff\x00{":      "UTF-16 text; save it as UTF-8",
		"{\"\xc3\"}":         "not UTF-8 text; save it as UTF-8",
		string(bytes.Repeat([]byte(" "), MaxFile+1)): "larger than 16 MiB",
	} {
		data, err := Decode([]byte(in))
		if err == nil && (want != "" || string(data) != "{}") || err != nil && err.Error() != want {
			t.Errorf("Decode(%.20q) = %.20q, %v, want %q", in, data, err, want)
		}
	}
}

// A hostile file costs no more than its size, and never the process.
func TestHostileFiles(t *testing.T) {
	const n = 1 << 20
	for name, data := range map[string]string{
		"json lists":   strings.Repeat("[", n),
		"json objects": strings.Repeat(`{"a":`, n),
		"json comment": `// "` + "\n" + strings.Repeat("[", n),
	} {
		if _, err := JSON([]byte(data)); err == nil || err.Line != 1 {
			t.Errorf("%s: %v, want an error", name, err)
		}
	}
	bomb := "a: &a [1,1,1,1,1,1,1,1,1]\n"
	for c := 'b'; c < 'j'; c++ {
		bomb += string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+string(c-1)+",", 9) + "]\n"
	}
	for name, data := range map[string]string{"yaml lists": strings.Repeat("[", n), "yaml aliases": bomb} {
		if _, err := YAML([]byte(data)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
