package check

import (
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/ecma"
	"github.com/mcpctl/mcpctl/pkg/schema"
)

func TestExponential(t *testing.T) {
	for pattern, want := range map[string]bool{
		`(a+)+$`: true, `^(\w+\s?)*$`: true, `^(a|b|ab)*c`: true, `^(([a-z])+.)+[A-Z]([a-z])+$`: true, `^\s*(\S+\s*)*$`: true,
		`^([a-zA-Z0-9_.-])+@(([a-zA-Z0-9-])+\.)+([a-zA-Z0-9]{2,4})+$`: true,
		`^(a*)*$`: true, `^(a|a)*$`: true, `^([a-z]|[a-d])+$`: true, `^(?!-)(\w+-?)*$`: true, `^(a*b*)*c`: true, `^(?:a?a?)*$`: true, `^(\p{L}+)*$`: true,
		`^(a|ab)*$`: false, `^(a|ab)*c`: false, `^(a{0,3}b)*$`: false, `^((a)\2)*$`: false,
		`(a+)+`: false, `^[a-z]+(-[a-z]+)*$`: false, `^(\d+,)*\d+$`: false, `^(.*,){3}$`: false, `(a|b)*b(a|b){30}$`: false,
		`^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]+$`: false, `(?<=a)b`: false, `(`: false,
	} {
		if got := exponential(pattern, &schema.Pool{Left: 1}); got != want {
			t.Errorf("%s: %v, want %v", pattern, got, want)
		}
	}
}

// TestHostilePatternsEnd asks of patterns that are large or nested deep.
func TestHostilePatternsEnd(t *testing.T) {
	for _, pattern := range []string{
		strings.Repeat("(", 4<<20), strings.Repeat("(", 5000) + strings.Repeat(")*", 5000), strings.Repeat("(a|b)*", 300) + "$", strings.Repeat("(a*", 150) + strings.Repeat(")*", 150) + "$",
		"[" + strings.Repeat(`\u{1F600}-`, 9999), strings.Repeat("a{1,9}", 60) + "$",
	} {
		began := time.Now()
		readPattern(pattern, ecma.Unicode)
		readPattern(pattern, ecma.Plain)
		exponential(pattern, &schema.Pool{Left: 1})
		t.Logf("%.20s… of %d: %s", pattern, len(pattern), time.Since(began))
	}
}

func FuzzPattern(f *testing.F) {
	f.Add(`(?<a>b)\k<a>[^\]a-z]{2,3}?\u{61}|\cA`)
	f.Fuzz(func(t *testing.T, pattern string) {
		if with, without := readPattern(pattern, ecma.Unicode).Fault, readPattern(pattern, ecma.Plain).Fault; without != "" && with == "" {
			t.Errorf("%q is read with the flag u and not without: %s", pattern, without)
		}
		exponential(pattern, &schema.Pool{Left: 1})
	})
}
