package tokens

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
	"github.com/tiktoken-go/tokenizer/codec"
)

var update = flag.Bool("update", false, "write the vocabulary from that of the reference implementation")

// TestTheVocabularyIsTheReferences writes or checks the embedded table.
func TestTheVocabularyIsTheReferences(t *testing.T) {
	reference := codec.NewO200kBase()
	texts := make([]string, size)
	longest := 0
	for rank := range texts {
		text, err := reference.Decode([]uint{uint(rank)})
		if err != nil {
			t.Fatal(err)
		}
		texts[rank], longest = text, max(longest, len(text))
	}
	if longest != maxToken {
		t.Errorf("the longest token has %d bytes, not %d", longest, maxToken)
	}
	want := encode(texts)
	if *update {
		if err := os.WriteFile("o200k_base.bin", want, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if table != string(want) {
		t.Fatal("o200k_base.bin is not what the reference says: go test ./internal/tokens -update writes it")
	}
}

// encode lays the vocabulary out as tokens.go reads it.
func encode(texts []string) []byte {
	order := make([]int, len(texts))
	for rank := range order {
		order[rank] = rank
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(texts[a], texts[b]) })
	data, text, before := make([]byte, textAt), []byte{}, ""
	for n, rank := range order {
		if n%blockSize == 0 {
			at := n / blockSize * width
			data[at], data[at+1], data[at+2] = byte(len(text)), byte(len(text)>>8), byte(len(text)>>16)
			before = ""
		}
		for bit := range rankBits {
			place := n*rankBits + bit
			data[ranksAt+place/8] |= byte(rank >> bit & 1 << (place % 8))
		}
		text = appendToken(text, before, texts[rank])
		before = texts[rank]
	}
	return append(data, text...)
}

func appendToken(text []byte, before, token string) []byte {
	shared := 0
	for shared < min(len(before), len(token)) && before[shared] == token[shared] {
		shared++
	}
	rest := len(token) - shared
	text = append(text, byte(min(shared, long)|min(rest, long)<<4))
	if shared >= long {
		text = append(text, byte(shared))
	}
	if rest >= long {
		text = append(text, byte(rest))
	}
	return append(text, token[shared:]...)
}

// definition is how o200k_base makes words (openai/tiktoken, MIT). It stands in a group of its own, because the reference's
// compiled form of it ends "\n \n" too early.
const definition = `(?:[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|` +
	`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|` +
	`\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)`

func FuzzCountFollowsTheDefinition(f *testing.F) {
	for _, text := range []string{
		"", "hello world", "Hello, World!", "  \n\n  x", "a   b", "I'll don't WE'RE it's'x", "12345678", "ÀÉÎ ñandú", "日本語 テスト",
		"مرحبا بالعالم", "e\u0301\u0301 A\u0301b", "🙂🙂👩‍👩‍👧", "///\n//x", "\t\t\tfoo", "camelCaseAndHTTPServer", "a\u00a0b", " \u2003x", "½²³٣",
		`{"type":"object","properties":{"x":{"type":"string"}}}`, strings.Repeat("a", 300), strings.Repeat(" ", 300), "\x00\x01", "ǅ ʰa", "\n \n", "it's", "we'll", "THEY'RE", "!",
	} {
		f.Add(text)
	}
	reference, words := codec.NewO200kBase(), regexp2.MustCompile(definition, regexp2.None)
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			t.Skip()
		}
		want, rest := 0, text
		for match, err := words.FindStringMatch(text); match != nil; match, err = words.FindNextMatch(match) {
			if err != nil {
				t.Fatal(err)
			}
			if got := rest[:word(rest)]; got != match.String() {
				t.Fatalf("%q begins with the word %q, want %q", rest, got, match.String())
			}
			rest = rest[len(match.String()):]
			want += counted(t, reference, match.String())
		}
		if got := Count(text); got != want {
			t.Errorf("%q has %d tokens, want %d", text, got, want)
		}
	})
}

// counted is how many tokens the reference makes of a word; our own number where it cuts the word itself: white space,
// which it may cut in two, and U+007F, which it drops.
func counted(t *testing.T, reference *codec.Codec, word string) int {
	_, parts, err := reference.Encode(word)
	if err != nil {
		t.Fatal(err)
	}
	if strings.TrimSpace(word) == "" || strings.Join(parts, "") != word {
		return pieces(t.Context(), word)
	}
	return len(parts)
}

// endsAfter is a context that ends once it was looked at so often.
type endsAfter struct {
	context.Context
	looks int
}

func (c *endsAfter) Err() error {
	if c.looks--; c.looks < 0 {
		return context.Canceled
	}
	return nil
}

// TestCountingEndsWithItsContext: within the words of a text, and within one that has no end; what was not counted to its end is not remembered.
func TestCountingEndsWithItsContext(t *testing.T) {
	for name, text := range map[string]string{"words": strings.Repeat("word ", 1<<10), "a word": strings.Repeat("abcdefgh", 1<<12)} {
		const looks = 5
		ctx, counter := &endsAfter{t.Context(), looks}, &Counter{}
		n, err := counter.CountWithin(ctx, text)
		if whole := Count(text); err != context.Canceled || n >= whole || ctx.looks < -looks {
			t.Errorf("%s: %d of %d tokens, %v, looked at %d times more", name, n, whole, err, -ctx.looks)
		}
		if again := counter.Count(text); again != Count(text) {
			t.Errorf("%s: %d tokens the second time", name, again)
		}
	}
}

// TestPreparedFindsTheSame: what is made for many words is a short cut to the same ranks.
func TestPreparedFindsTheSame(t *testing.T) {
	defer heads.Store(heads.Load())
	reference := codec.NewO200kBase()
	for rank := 0; rank < size; rank += 7 {
		token, err := reference.Decode([]uint{uint(rank)})
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{token, token[:len(token)-1], token + "~", token[:1]} {
			heads.Store(nil)
			want, known := rankOf(text)
			prepare()
			if got, ok := rankOf(text); got != want || ok != known || text == token && got != rank {
				t.Fatalf("%q has rank %d (%v), prepared %d (%v)", text, want, known, got, ok)
			}
		}
	}
}

func TestRealListings(t *testing.T) {
	files, err := filepath.Glob("../../testdata/*/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no listings: %v", err)
	}
	reference := codec.NewO200kBase()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, err := reference.Count(string(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := Count(string(text)); got != want {
			t.Errorf("%s has %d tokens, want %d", file, got, want)
		}
	}
}

// TestAnyBytesAreCounted shows that what is no text is counted too, and that every byte is part of a token at most.
func TestAnyBytesAreCounted(t *testing.T) {
	for _, text := range []string{"\xff\xfe", "a\xffb", "\xe2\x82"} {
		if n := Count(text); n < 1 || n > len(text) {
			t.Errorf("%q has %d tokens", text, n)
		}
	}
}

// TestLongWordsAreCountedInTime would take hours with an algorithm of quadratic time.
func TestLongWordsAreCountedInTime(t *testing.T) {
	for _, part := range []string{"a", "aB", " ", "=", "日", "\n"} {
		text := strings.Repeat(part, 256<<10/len(part))
		if n := Count(text); n < 1 || n > len(text) {
			t.Errorf("%q… has %d tokens", part, n)
		}
	}
}

func BenchmarkCount(b *testing.B) {
	text, err := os.ReadFile("../../testdata/corpus/mcp_grafana.json")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Count(string(text))
	}
}
