package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xrash/smetrics"
)

// find is the position of word in words.
func find(words []string, word string) (int, bool) {
	i := slices.Index(words, word)
	return i, i >= 0
}

// Nearest are up to three of words that word may be a misspelling of, the nearest first.
func Nearest(word string, words []string) []string {
	type candidate struct {
		word  string
		score float64
	}
	var near []candidate
	for _, w := range words {
		score := likeness(strings.ToLower(word), strings.ToLower(w))
		if score >= 0.8 {
			near = append(near, candidate{w, score})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return strings.Compare(a.word, b.word)
	})
	var out []string
	for _, c := range near[:min(len(near), 3)] {
		out = append(out, c.word)
	}
	return out
}

// likeness is 0 (nothing alike) to 1 (equal). Names that hold each other count as near.
func likeness(a, b string) float64 {
	switch {
	case a == b:
		return 1
	case a == "" || b == "" || len(a) > 200 || len(b) > 200:
		return 0
	case len(a) > 2 && len(b) > 2 && (strings.Contains(a, b) || strings.Contains(b, a)):
		return max(0.9, smetrics.JaroWinkler(a, b, 0.7, 4))
	}
	return smetrics.JaroWinkler(a, b, 0.7, 4)
}

// suggest is a hint with the words nearest to a misspelt one, or with all of them when none is near and they are few.
func suggest(word string, words []string) string {
	if near := Nearest(word, words); len(near) > 0 {
		return "did you mean " + quoted(near, " or ") + "?"
	}
	if len(words) == 0 || len(words) > 12 {
		return ""
	}
	return fmt.Sprintf("there is %s", quoted(words, ", "))
}

func quoted(words []string, separator string) string {
	q := make([]string, len(words))
	for i, w := range words {
		q[i] = fmt.Sprintf("%q", w)
	}
	return strings.Join(q, separator)
}
