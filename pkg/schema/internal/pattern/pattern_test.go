package pattern

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

func parsed(t *testing.T, ecma string) *Pattern {
	t.Helper()
	p, err := Parse(ecma)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestMatchMeansWhatECMAMeans(t *testing.T) {
	tests := []struct {
		ecma    string
		yes, no []string
	}{
		{`^\d$`, []string{"0", "9"}, []string{"०", "a", "", "0\n"}},
		{`^\D$`, []string{"०", "a", "\n", "🐲"}, []string{"0", "aa"}},
		{`^\w$`, []string{"a", "_", "Z"}, []string{"é", "-"}},
		{`^\W$`, []string{"é", "-", "\n"}, []string{"a", "_"}},
		{`^\s$`, []string{" ", "\t", "\v", "\f", "\u00a0", "\u2028", "\u2029", "\ufeff", "\u3000"},
			[]string{"\u200b", "a", "\u0085", "\u180e"}},
		{`^\S$`, []string{"a", "\u200b", "\u0085"}, []string{"\ufeff", "\u2029", "\v"}},
		{`^.$`, []string{"a", "🐲", "\u0085"}, []string{"\n", "\r", "\u2028", "\u2029", ""}},
		{`^abc$`, []string{"abc"}, []string{"abc\n", "\nabc", "x\nabc\ny"}},
		{`a`, []string{"bab", "a"}, []string{"b", "A"}},
		{`^[^]$`, []string{"\n", "a"}, []string{"", "ab"}},
		{`[]`, nil, []string{"", "a"}},
		{`^\cC$`, []string{"\x03"}, []string{"C", "cC"}},
		{`^\cc$`, []string{"\x03"}, []string{`\cc`}},
		{`^\t\n\v\f\r\0$`, []string{"\t\n\v\f\r\x00"}, []string{"tnvfr0"}},
		{`^\0[/:]\0:\0\/$`, []string{"\x00/\x00:\x00/"}, []string{"0/0:0/"}},
		{`^\x41\u0042\u{43}$`, []string{"ABC"}, nil},
		{`^[\b]$`, []string{"\b"}, []string{"b"}},
		{`\bcat\b`, []string{"a cat", "cat", "cat."}, []string{"cats", "tomcat", "écats"}},
		{`\Bcat`, []string{"tomcat"}, []string{"cat", "a cat"}},
		{`^\/a\-\.$`, []string{"/a-."}, []string{"/a-x"}},
		{`^[\w.-]+$`, []string{"a-b.c"}, []string{"a b"}},
		{`^[\w-z]$`, []string{"-", "q", "z"}, []string{" "}},
		{`^[[:alpha:]]$`, []string{"a]", "[]", ":]"}, []string{"b", "b]"}},
		{`^[a&&b]$`, []string{"a", "&"}, []string{"ab"}},
		{`^a{,2}$`, []string{"a{,2}"}, []string{"aa"}},
		{`^{x}$`, []string{"{x}"}, nil},
		{`^a{02}$`, []string{"aa"}, []string{"a", "a{02}"}},
		{`^a{0,00}b{2,010}$`, []string{"bb"}, []string{"b", "abb"}},
		{`^(?<year>\d{4})$`, []string{"2026"}, []string{"26"}},
		{`^a+?b*?$`, []string{"a", "aab"}, []string{"b"}},
		{`^\p{Lu}\P{L}$`, []string{"É1"}, []string{"é1"}},
	}
	for _, test := range tests {
		p := parsed(t, test.ecma)
		for _, s := range test.yes {
			checkMatch(t, p, s, true)
		}
		for _, s := range test.no {
			checkMatch(t, p, s, false)
		}
	}
}

// checkMatch asks both the matcher and the automaton.
func checkMatch(t *testing.T, p *Pattern, s string, want bool) {
	t.Helper()
	if got, sure := p.Match(s); got != want || !sure {
		t.Errorf("%s on %q: match is %v, want %v", p, s, got, want)
	}
	only, err := Exactly(s)
	if err != nil {
		t.Fatal(err)
	}
	if _, got := (Region{All: []*Pattern{p, only}}).Find(); (got == Yes) != want || got == Unknown {
		t.Errorf("%s on %q: automaton says %v, want %v", p, s, got, want)
	}
}

func TestParseRefusesWhatItCannotDecide(t *testing.T) {
	for _, ecma := range []string{
		`^(?=a)*b`, `(?i)a`, `(?P<x>a)`, `\p{Emoji}`, `\pL`, `\01`, `\x4`, `\u12`, `\u{110000}`,
		`[\ud800-\udbff]`, `[z-a]`, `[a`, `(a`, `^(?=a`, `a)`, `*a`, `^*`, `a|+`, `a{2,1}`,
		`a{99999999999}`, `a{1001}`, `\ud83d\udc32`, `(((a{1000}){1000}){1000}){1000}`, `a\`,
	} {
		if p, err := Parse(ecma); err == nil {
			t.Errorf("Parse(%q) is read as %s", ecma, p)
		}
	}
}

func TestIncludes(t *testing.T) {
	tests := []struct {
		wide, narrow string
		want         Answer
		witness      string
	}{
		{`a`, `a`, Yes, ""},
		{``, `^x$`, Yes, ""},
		{`^[a-z]+$`, `^[a-m]+$`, Yes, ""},
		{`^[a-m]+$`, `^[a-z]+$`, No, "n"},
		{`^[a-z]+$`, `.*`, No, ""},
		{`.+`, `^[^]+$`, No, "\n"},
		{`.+`, `.`, Yes, ""},
		{`.{1,}`, `.+`, Yes, ""},
		{`[a-z]*`, `^\d+$`, Yes, ""},
		{`^\d+$`, `[a-z]*`, No, ""},
		{`[a-z]cole`, `\wcole`, No, "0cole"},
		{`\wcole`, `[a-z]cole`, Yes, ""},
		{`f.*o`, `f.o`, Yes, ""},
		{`f.o`, `f.*o`, No, "fo"},
		{`^(emai)(l|k)$`, `^emai(l|k)$`, Yes, ""},
		{`^S_`, `^S_[a-z]+$`, Yes, ""},
		{`\bfoo\b`, `^foo$`, Yes, ""},
		{`^foo$`, `\bfoo\b`, No, "foo-"},
		{`^.{1,64}$`, `^[a-z0-9-]{1,63}$`, Yes, ""},
		{`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}$`, `^[0-9a-f]{8}-[0-9a-f]{4}$`, Yes, ""},
		{`(a|b)*a(a|b){16}`, `(b|a)*a(b|a){17}`, Unknown, ""},
	}
	for _, test := range tests {
		got, witness := Includes(parsed(t, test.wide), parsed(t, test.narrow))
		if got != test.want || witness != test.witness {
			t.Errorf("Includes(%s, %s) = %v %q, want %v %q", test.wide, test.narrow, got, witness, test.want, test.witness)
		}
	}
}

func TestRegion(t *testing.T) {
	lower, upper, short := parsed(t, `^[a-z]*$`), parsed(t, `^[A-Z]*$`), parsed(t, `^.{3}$`)
	names, err := Exactly("aaa", "aab")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name    string
		region  Region
		want    Answer
		witness string
	}{
		{"everything", Region{}, Yes, ""},
		{"disjoint but for nothing", Region{All: []*Pattern{lower, upper}}, Yes, ""},
		{"disjoint", Region{All: []*Pattern{lower, upper}, MinLen: 1}, No, ""},
		{"not the names", Region{All: []*Pattern{lower, short}, None: []*Pattern{names}}, Yes, "aac"},
		{"only the names", Region{All: []*Pattern{names}, None: []*Pattern{lower}}, No, ""},
		{"long", Region{All: []*Pattern{lower}, MinLen: 5}, Yes, "aaaaa"},
		{"very long", Region{All: []*Pattern{lower}, MinLen: 1000}, Yes, strings.Repeat("a", 1000)},
		{"length between", Region{All: []*Pattern{parsed(t, `^(aaaa)*$`)}, MinLen: 5, MaxLen: 7, Bounded: true}, No, ""},
		{"length beyond", Region{All: []*Pattern{parsed(t, `^(aaaa)*$`)}, MinLen: 5, MaxLen: 8, Bounded: true}, Yes, "aaaaaaaa"},
		{"too short", Region{All: []*Pattern{short}, MaxLen: 2, Bounded: true}, No, ""},
		{"too long", Region{All: []*Pattern{short}, MinLen: 4}, No, ""},
		{"no length", Region{MinLen: 3, MaxLen: 2, Bounded: true}, No, ""},
		{"length beside pattern", Region{All: []*Pattern{lower}, None: []*Pattern{parsed(t, `^.{2,4}$`)}, MinLen: 2, MaxLen: 4,
			Bounded: true}, No, ""},
	}
	for _, test := range tests {
		witness, got := test.region.Find()
		if got != test.want || witness != test.witness {
			t.Errorf("%s: %v %q, want %v %q", test.name, got, witness, test.want, test.witness)
		}
		if got == Yes && !test.region.Contains(witness) {
			t.Errorf("%s: %q is not in the region", test.name, witness)
		}
	}
}

// TestIrregularPatternsMatch matches single strings by patterns that have no automaton.
func TestIrregularPatternsMatch(t *testing.T) {
	for _, test := range []struct {
		ecma    string
		yes, no []string
	}{
		{`^(a|b|c)\1$`, []string{"aa", "cc"}, []string{"ab", "a"}},
		{`^(?<x>\d)-\k<x>$`, []string{"1-1"}, []string{"1-2"}},
		{`^[a-z]+(?!_)$`, []string{"ab"}, []string{"ab_"}},
		{`^\w+(?<!-old)$`, []string{"a"}, []string{"a-old"}},
		{`^(?=.*\d)(?=.*[A-Z]).{3,}$`, []string{"aB1"}, []string{"ab1", "B1", "aBc"}},
		{`^(?!con$|nul$)[a-z]+$`, []string{"cone", "a"}, []string{"con", "nul", "A"}},
		{`^(?=a)b|c`, []string{"c"}, []string{"b"}},
	} {
		p := parsed(t, test.ecma)
		if p.Regular() {
			t.Errorf("%s is regular", test.ecma)
		}
		for _, s := range append(test.yes, test.no...) {
			if found, sure := p.Match(s); found != slices.Contains(test.yes, s) || !sure {
				t.Errorf("%s on %q: %v %v", test.ecma, s, found, sure)
			}
		}
		if _, sure := p.Match(strings.Repeat("a", 257)); sure {
			t.Errorf("%s was matched against a long string", test.ecma)
		}
	}
}

// TestNotRead refuses what is no character, and a reference to no group.
func TestNotRead(t *testing.T) {
	for _, ecma := range []string{`^\00$`, `^\09$`, `^(?<a>x)\k<b>$`, `a\`} {
		if p, err := Parse(ecma); err == nil {
			t.Errorf("%s is read as %s", ecma, p)
		}
	}
}

// newer lists syntax of ECMAScript 2025, and names of properties, that Node.js 20 refuses and the reader does
// not.
var newer = []string{"(?i:abc)", "(?s:.)", "(?<a>b)(?<a>c)", "(?<a>b)|(?<a>c)", `\p{Foo}`}

// TestInvalidPatternsAreRefused compares with what new RegExp of Node.js 20 said of each pattern, with its flag
// u and without: what it refuses both times is refused.
func TestInvalidPatternsAreRefused(t *testing.T) {
	data, err := os.ReadFile("testdata/patterns.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		Pattern        string
		Unicode, Plain bool
	}
	if err := json.Unmarshal(data, &rows); err != nil || len(rows) < 80 {
		t.Fatalf("%d patterns, %v", len(rows), err)
	}
	unread := 0
	for _, row := range rows {
		_, err := Parse(row.Pattern)
		switch {
		case !row.Unicode && !row.Plain && err == nil && !slices.Contains(newer, row.Pattern):
			t.Errorf("%s is read, and ECMAScript refuses it", row.Pattern)
		case row.Unicode && err != nil:
			t.Logf("not read: %v", err)
			unread++
		}
	}
	if unread > 12 {
		t.Errorf("%d of %d patterns are not read", unread, len(rows))
	}
}

func TestSamples(t *testing.T) {
	for _, test := range []struct{ ecma, want string }{
		{`^(get|set)_[a-z]{2}(\.json)?$`, "get_aa.json set_aa.json get_bb.json get_zz.json get_aa"},
		{`^\d+x*$`, "0x 00x 000x 99x"},
		{`^a{2,40}$`, "aa aaa " + strings.Repeat("a", 40)},
	} {
		got := strings.Join(parsed(t, test.ecma).Samples(20), " ")
		for _, want := range strings.Fields(test.want) {
			if !strings.Contains(" "+got+" ", " "+want+" ") {
				t.Errorf("samples of %s: %q, want %q", test.ecma, got, want)
			}
		}
	}
}

func TestHostilePatternsEndSoon(t *testing.T) {
	hostile := []string{
		`(a|b)*a(a|b){1000}`,
		`(.*a){500}`,
		strings.Repeat(`(a?`, 300) + strings.Repeat(`)`, 300),
		`^(\p{L}|\p{N}|\p{Greek}x?){1,900}$`,
		strings.Repeat("a?", 1000) + strings.Repeat("a", 1000),
		"[" + strings.Repeat(`\p{L}\w`, 2000) + "]",
	}
	for _, ecma := range hostile {
		start := time.Now()
		if p, err := Parse(ecma); err == nil {
			Includes(p, parsed(t, `^[a-c]*$`))
			p.Samples(60)
		}
		if d := time.Since(start); d > 20*time.Second { // a fraction of a second on an idle machine
			t.Errorf("%.40s took %v", ecma, d)
		}
	}
}

// String is the pattern as it is searched for.
func (p *Pattern) String() string { return p.re().String() }

// TestLongest bounds the strings of patterns that are anchored at both ends.
func TestLongest(t *testing.T) {
	for source, want := range map[string]int{
		"^a{1,5}$": 5, "^(foo|bar)(,(foo|bar)){0,9}$": 39, "^\\d{4}-\\d{2}$": 7, "^$": 0, "^é?$": 1, "^a$|^bcd$": 3,
		"a": Endless, "^a": Endless, "a$": Endless, "^a+$": Endless, "^a|b$": Endless,
		"^(a{3,})?$": Endless, "(^a$)": 1,
	} {
		if p, err := Parse(source); err != nil || p.Longest() != want {
			t.Errorf("%s: %d, %v; want %d", source, p.Longest(), err, want)
		}
	}
}
