package probe

import (
	"cmp"
	"slices"
	"time"
)

// window is how many may be asked at once, as TCP finds it (RFC 5681): one more with each good answer, so that it doubles each
// round, until it was too wide once. It is halved then, and from there on grows by step each round.
type window struct {
	size, least, most, step float64
	cut                     time.Time // when it was too wide; zero = never
}

// fixed is a window that stays as it is.
func fixed(n int) window { return window{size: float64(n), least: float64(n), most: float64(n)} }

// adapting is a window of all servers, which never gets narrower than it was.
func adapting(n, most int) window {
	return window{size: float64(n), least: float64(n), most: float64(most), step: float64(n)}
}

// polite is a window of one host. Once that had too much, one is added after ten rounds: it would have too much again.
func polite(n, most int) window {
	return window{size: float64(n), least: 1, most: float64(most), step: 0.1}
}

func (w *window) widen() {
	grown := 1.0
	if !w.cut.IsZero() {
		grown = w.step / w.size
	}
	w.size = min(w.size+grown, w.most)
}

// halve is told when what was too much had been asked: all of one round halve once.
func (w *window) halve(asked, now time.Time) (halved bool) {
	if asked.Before(w.cut) {
		return false
	}
	w.size, w.cut = max(w.size/2, w.least), now
	return true
}

// Answers are slow when half of a round took longer than a multiple of the best half.
const (
	round      = 16
	slowFactor = 2
)

// latency is how long answers take: half of the last round, and half of the best one.
type latency struct {
	recent      []time.Duration
	usual, best time.Duration // best: 0 before a round is over
	slow        int           // rounds, up to the last one
}

// hear tells, once a round is over, whether its answers were slow. Those that stay slow with an eighth as many asked are so by themselves.
func (l *latency) hear(took time.Duration) (slow bool) {
	if l.recent = append(l.recent, took); len(l.recent) < round {
		l.usual = cmp.Or(l.usual, took)
		return false
	}
	slices.Sort(l.recent)
	l.usual, l.recent = l.recent[round/2], l.recent[:0]
	if l.best == 0 || l.slow == 3 || l.usual < l.best {
		l.best = l.usual
	}
	if l.usual <= slowFactor*l.best {
		l.slow = 0
		return false
	}
	l.slow++
	return true
}
