package pattern

import (
	"regexp"
	"strings"
	"testing"
)

// patternOf turns bytes into a pattern that ECMA-262 and RE2 read alike, and into the strings to try it on.
func patternOf(data []byte) string {
	tokens := []string{"a", "b", "0", "_", "-", "é", "🐲", "(?:", ")", "|", "*", "+", "?", "{2}", "{1,3}", "{0,}", "[ab]", "[^a]", "[a-z]",
		"^", "$",
		`\d`, `\D`, `\w`, `\W`, `\b`, `\B`, `\t`, `\x41`, "b.c", `\.`}
	var out strings.Builder
	for _, c := range data {
		out.WriteString(tokens[int(c)%len(tokens)])
	}
	return strings.ReplaceAll(out.String(), ".", `[^\n]`)
}

func strings3() []string {
	alphabet := "ab0-\té"
	all := []string{""}
	for start, n := 0, 0; n < 3; n++ {
		end := len(all)
		for _, s := range all[start:end] {
			for _, c := range alphabet {
				all = append(all, s+string(c))
			}
		}
		start = end
	}
	return all
}

func FuzzMatchAgreesWithRegexp(f *testing.F) {
	f.Add([]byte{0, 10, 1})
	f.Add([]byte{19, 7, 0, 9, 1, 8, 11, 20})
	f.Add([]byte{25, 23, 11, 26, 17})
	tries := strings3()
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 24 {
			return
		}
		source := patternOf(data)
		re, err := regexp.Compile(source)
		p, err2 := Parse(source)
		if err != nil || err2 != nil {
			return
		}
		for _, s := range tries {
			if found, sure := p.Match(s); found != re.MatchString(s) || !sure {
				t.Fatalf("%s on %q: %v, regexp says %v", source, s, found, re.MatchString(s))
			}
		}
	})
}

func FuzzIncludes(f *testing.F) {
	f.Add([]byte{18, 11}, []byte{0, 11}, 0, 3)
	f.Add([]byte{19, 0, 10, 20}, []byte{19, 14}, 1, 2)
	f.Add([]byte{25, 0}, []byte{26, 0, 10}, 0, -1)
	tries := strings3()
	f.Fuzz(func(t *testing.T, a, b []byte, least, most int) {
		if len(a)+len(b) > 40 || least < 0 || least > 50 || most > 100 {
			return
		}
		wide, err := Parse(patternOf(a))
		narrow, err2 := Parse(patternOf(b))
		if err != nil || err2 != nil {
			return
		}
		r := Region{All: []*Pattern{narrow}, None: []*Pattern{wide}, MinLen: least, MaxLen: most, Bounded: most >= 0}
		checkRegion(t, r, tries)
		checkRegion(t, Region{All: []*Pattern{narrow, wide}, MinLen: least}, tries)
		checkRegion(t, Region{None: []*Pattern{narrow, wide}}, tries)
	})
}

func checkRegion(t *testing.T, r Region, tries []string) {
	t.Helper()
	witness, found := r.Find()
	if found == Yes && !r.Contains(witness) {
		t.Fatalf("%v: %q is not in the region", r, witness)
	}
	for _, s := range tries {
		if !r.Contains(s) {
			continue
		}
		if found == No {
			t.Fatalf("%v: said to be empty, holds %q", r, s)
		}
		if found == Yes && len([]rune(s)) < len([]rune(witness)) {
			t.Fatalf("%v: %q is shorter than %q", r, s, witness)
		}
	}
}
