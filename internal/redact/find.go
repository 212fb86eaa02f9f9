package redact

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// How long a secret must be to be looked for in other forms, lest ordinary words are taken for a short one.
const (
	leastFolded  = 8
	leastWrapped = 10
	keySize      = 4 // bytes of a form that it is looked up by
	nested       = 2 // base64 inside of base64 is decoded, too
)

// finder finds the forms of secrets in texts, whatever the case of letters, and wherever a line was wrapped.
type finder struct {
	forms  map[[keySize]byte][]string // in lower case, without white space
	filter [256]uint64                // bits of the keys in forms
	first  [256]bool                  // bytes that a form begins with, in either case
}

func newFinder(forms []string) *finder {
	f := &finder{forms: map[[keySize]byte][]string{}}
	for _, form := range forms {
		plain := strings.Map(func(r rune) rune {
			if r < 0x80 && isSpace(byte(r)) {
				return -1
			}
			return r
		}, form)
		if len(plain) < leastFolded {
			continue
		}
		plain = foldASCII(plain)
		key := [keySize]byte([]byte(plain))
		f.forms[key] = append(f.forms[key], plain)
		f.filter[hash(key)>>6] |= 1 << (hash(key) & 63)
		f.first[key[0]] = true
		if 'a' <= key[0] && key[0] <= 'z' {
			f.first[key[0]-'a'+'A'] = true
		}
	}
	return f
}

func hash(key [keySize]byte) uint32 {
	n := uint32(key[0]) | uint32(key[1])<<8 | uint32(key[2])<<16 | uint32(key[3])<<24
	return n * 0x9e3779b1 >> 18
}

// mayWrap tells bytes that skip looks at: all that begin a character besides ASCII, too.
func mayWrap(c byte) bool { return c <= ' ' || c == '\\' || c == '=' || c >= 0xc2 }

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

func fold(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func foldASCII(s string) string {
	out := []byte(s)
	for i, c := range out {
		out[i] = fold(c)
	}
	return string(out)
}

// skip is the offset behind white space at i, also as JSON writes it, and behind the soft line breaks of
// mail.
func skip(text string, i int) int {
	for i < len(text) {
		switch c := text[i]; {
		case isSpace(c):
			i++
		case c == '\\' && i+1 < len(text) && strings.IndexByte("nrtf", text[i+1]) >= 0:
			i += 2
		case c == '=' && i+1 < len(text) && (text[i+1] == '\n' || strings.HasPrefix(text[i+1:], "\r\n")):
			i++
		default:
			r, size := utf8.DecodeRuneInString(text[i:])
			if !unicode.IsSpace(r) {
				return i
			}
			i += size
		}
	}
	return i
}

type span struct{ start, end int }

// spans are the places of secrets in a text, in order; they do not overlap. first ends the search with the
// first.
func (f *finder) spans(text string, first bool) []span {
	var found []span
	for i := 0; i+keySize <= len(text); i++ {
		if !f.first[text[i]] {
			continue
		}
		end := f.at(text, i)
		if end == 0 {
			continue
		}
		if last := len(found) - 1; last >= 0 && i < found[last].end {
			found[last].end = max(found[last].end, end)
			continue
		}
		if found = append(found, span{i, end}); first {
			return found
		}
	}
	return found
}

// at is where the longest secret ends that begins at i; 0 = none does.
func (f *finder) at(text string, i int) int {
	var key [keySize]byte
	for at, n := i, 0; n < keySize; n++ {
		if at < len(text) && n > 0 && mayWrap(text[at]) {
			at = skip(text, at)
		}
		if at >= len(text) {
			return 0
		}
		key[n] = fold(text[at])
		at++
	}
	if h := hash(key); f.filter[h>>6]&(1<<(h&63)) == 0 {
		return 0
	}
	longest := 0
	for _, form := range f.forms[key] {
		longest = max(longest, matchAt(text, i, form))
	}
	return longest
}

// matchAt is where a form that begins at i ends; 0 = it does not begin there, or is too short for how it is
// written.
func matchAt(text string, i int, form string) int {
	at, wrapped := i, false
	for n := range len(form) {
		if at < len(text) && n > 0 && fold(text[at]) != form[n] {
			next := skip(text, at)
			wrapped, at = wrapped || next > at, next
		}
		if at >= len(text) || fold(text[at]) != form[n] {
			return 0
		}
		at++
	}
	if wrapped && len(form) < leastWrapped {
		return 0
	}
	return at
}

// runs calls use for every run of base64 digits in a text, in the standard alphabet and with the place of
// each in the text.
func runs(text string, use func(digits []byte, at []int)) {
	const leastRun = leastFolded*4/3 + 1
	var digits []byte
	var at []int
	marks := 0 // digits that words seldom have
	flush := func() {
		if len(digits) >= leastRun && marks >= 3 {
			use(digits, at)
		}
		digits, at, marks = digits[:0], at[:0], 0
	}
	for i := 0; i < len(text); i++ {
		if mayWrap(text[i]) {
			if next := skip(text, i); next > i {
				i = next - 1
				continue
			}
		}
		d := digit(text[i])
		if d == 0 {
			flush()
			continue
		}
		if d < 'a' || d > 'z' {
			marks++
		}
		digits, at = append(digits, d), append(at, i)
	}
	flush()
}

// digit is a digit of base64, in the standard alphabet whichever it is written in; 0 = it is none.
func digit(c byte) byte {
	switch {
	case c == '-':
		return '+'
	case c == '_':
		return '/'
	case 'a' <= fold(c) && fold(c) <= 'z', '0' <= c && c <= '9', c == '+', c == '/':
		return c
	}
	return 0
}

// encodedSpans are the places of secrets that are written in base64, wherever it begins and however it is
// wrapped.
func (f *finder) encodedSpans(text string, depth int, first bool) []span {
	var found []span
	runs(text, func(digits []byte, at []int) {
		for offset := 0; offset < 4 && !(first && len(found) > 0); offset++ {
			decoded := decode(digits[min(offset, len(digits)):])
			inner := f.spans(decoded, first)
			if depth > 1 {
				inner = append(inner, f.encodedSpans(decoded, depth-1, first)...)
			}
			for _, s := range inner {
				from, to := offset+s.start*8/6, min(offset+(s.end*8+5)/6, len(at))
				found = append(found, span{at[from], at[to-1] + 1})
			}
		}
	})
	return found
}

// decode is what base64 digits stand for; a last one that is no whole byte is left out.
func decode(digits []byte) string {
	if len(digits)%4 == 1 {
		digits = digits[:len(digits)-1]
	}
	out, _ := base64.RawStdEncoding.AppendDecode(nil, digits) // cannot fail: they are digits
	return string(out)
}

// What a person agrees to is shown in full: only literal secrets are masked, and of code nothing that could
// be a part of it.

var (
	// command is what a shell would take for a command inside of a word: $(x, `x`, ;x, |x.
	command = kit.Pattern("[$<>]\\([A-Za-z./ " +
		"]|`[A-Za-z./][^`]*`|[;|&]\\s*[A-Za-z./~][\\w./~-]*(?:[\\s$;|&<>]|$)")
	code         = kit.Pattern("[;|<>()`'\"\\\\{}]|\\$[A-Za-z_(]|&(?:&|\\s|$)")
	userInfo     = kit.Pattern(`(://)[A-Za-z0-9._~%+!*-]*:[A-Za-z0-9._~%+!*=-]+@`)
	namedLiteral = kit.Pattern(
		`(?i)([A-Za-z0-9_-]*(?:token|secret|passw|pwd|api-?_?key|credential|authorization|cookie)[A-Za-z0-9_-]*["']?(?:\s*[:=]\s*|\s+)["']?(?:(?:bearer|basic)\s+)?|\b(?:bearer|basic)\s+)([A-Za-z0-9_+=~.-]{6,})([(/]?)`)
	wholeLong   = kit.Pattern(`^[A-Za-z0-9_+=-]{24,}$`)
	withDefault = kit.Pattern(`\$\{[^{}]*\}`)
	pathLike    = kit.Pattern("^(?:~|[.]{1,2}|[A-Za-z]:)?[/\\\\][^\n\r;]*$")
	plainWord   = kit.Pattern(`^(?:[A-Z]?[a-z]{0,16}(?:[A-Z][a-z]{2,15})*|[A-Z]{1,16})[0-9]{0,8}[a-z]{0,2}$`)
	aroundWords = kit.Pattern(`\$\{[A-Za-z0-9_.:]*-|[ ,./:=@_*}\\+-]`)
	schemeWord  = kit.Pattern(`(?i)^\s*(bearer|basic|token|digest)\s+`)
)

// Literals is a command line in which nothing but literal secrets is replaced. isCode tells which arguments
// may be code.
func Literals(argv []string, isCode func(i int) bool) []string {
	shown := eachArg(argv, literalArg)
	for i, arg := range argv {
		if isCode(i) {
			shown[i] = Literal(arg)
		}
	}
	return shown
}

func literalArg(previous, arg string) string {
	if flag, value, ok := strings.Cut(arg, "="); ok && strings.HasPrefix(flag, "-") {
		return flag + "=" + literalArg(flag, value)
	}
	prefix, pair := nextIs[previous]
	switch {
	case pair:
		name := prefix().FindString(arg)
		return name + literalNamed(strings.TrimRight(name, ":="), arg[len(name):])
	case strings.HasPrefix(previous, "-") && !flagLike().MatchString(arg):
		return literalNamed(previous, arg)
	}
	return literalWord(arg)
}

// literalNamed is the value of what a command line names. One that may be a command is shown, whatever its
// name.
func literalNamed(name, value string) string {
	if !SecretName(name) || command().MatchString(withDefault().ReplaceAllString(value, "")) {
		return literalWord(value)
	}
	return LiteralValue(name, value)
}

// LiteralValue shows variables, and what is literal unless name or text may be a secret's. Nothing in it is
// taken for code.
func LiteralValue(name, value string) string {
	hide := hideUnlikePlain
	if SecretName(name) {
		hide = hidePart
	} else if address().FindString(value) == value && !strings.ContainsAny(value, ";\"'") {
		return MaskTokens(MaskURL(value))
	}
	scheme := schemeWord().FindString(value)
	if scheme != "" {
		hide = hidePart
	}
	return scheme + besidesVariables(value[len(scheme):], hide)
}

// besidesVariables is a text with all but its variables hidden by a function, their defaults too.
func besidesVariables(rest string, hide func(string) string) string {
	var out strings.Builder
	for rest != "" {
		at := withDefault().FindStringIndex(rest)
		if at == nil {
			at = []int{len(rest), len(rest)}
		}
		out.WriteString(hide(rest[:at[0]]))
		name, fallback, has := strings.Cut(rest[at[0]:at[1]], ":-")
		if has {
			name += ":-" + hide(strings.TrimSuffix(fallback, "}")) + "}"
		}
		out.WriteString(MaskTokens(name))
		rest = rest[at[1]:]
	}
	return out.String()
}

// hideUnlikePlain hides what may be a secret by its look: all but paths, and words and numbers as people
// write them.
func hideUnlikePlain(part string) string {
	unlike := func(word string) bool { return !plainWord().MatchString(word) }
	isPath := pathLike().MatchString(part) && maskPath(part) == part
	if literalWord(part) != part || !isPath && slices.ContainsFunc(aroundWords().Split(part, -1), unlike) {
		return Mask
	}
	return part
}

// hidePart hides a part of a secret, unless it is nothing but punctuation.
func hidePart(part string) string {
	if strings.Trim(part, " \t:;,.-_/=@") == "" {
		return part
	}
	return Mask
}

// literalWord is one argument or value; one with code in it is treated as code.
func literalWord(text string) string {
	switch bare := withDefault().ReplaceAllString(text, ""); {
	case code().MatchString(bare), strings.ContainsAny(bare, " \t\n"):
		return Literal(text)
	case address().MatchString(text) && address().FindStringIndex(text)[0] == 0:
		return MaskURL(text)
	case secretValue().MatchString(text), wholeLong().MatchString(text) && maskLong(text) == Mask:
		return Mask
	}
	return Literal(secretPair().ReplaceAllString(text, "${1}"+Mask))
}

// Literal replaces literal secrets alone: known tokens, passwords in addresses, and what is called a secret,
// looks like one and is not used by its name in the same text.
func Literal(text string) string {
	if privateKey().MatchString(text) {
		return Mask
	}
	text = userInfo().ReplaceAllString(MaskTokens(text), "${1}"+Mask+"@")
	return namedLiteral().ReplaceAllStringFunc(text, func(found string) string {
		parts := namedLiteral().FindStringSubmatch(found)
		name, value := strings.TrimRight(parts[1], " \t:=\"'"), parts[2]
		used := name != "" && (strings.Contains(text, "$"+name) || strings.Contains(text, "${"+name))
		if parts[3] != "" || used || !strings.ContainsAny(value, "0123456789") ||
			strings.Trim(value, "0123456789.") == "" {
			return found
		}
		return parts[1] + Mask
	})
}
