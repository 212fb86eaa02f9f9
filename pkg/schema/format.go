package schema

import "github.com/mcpctl/mcpctl/pkg/schema/internal/refute"

// formats judges strings by the formats that the independent validator knows. A nil one takes formats for the
// annotations that they are by default (2020-12 validation §7.2.1).
type formats struct {
	judges map[string]*refute.Judge
}

func newFormats(assert bool) *formats {
	if !assert {
		return nil
	}
	return &formats{judges: map[string]*refute.Judge{}}
}

// accepts reports whether a string has a format.
func (f *formats) accepts(name, s string) answer {
	if f == nil {
		return inhabited
	}
	j, known := f.judges[name]
	if !known {
		j, _ = refute.NewJudge(map[string]any{"format": name}, true)
		f.judges[name] = j
	}
	if j == nil {
		return unsure
	}
	valid, err := j.Valid(s)
	if err != nil {
		return unsure
	}
	return answerOf(valid)
}
