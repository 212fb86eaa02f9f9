package config

import (
	"fmt"
	"strings"
)

// Problem is one mistake in the configuration, where it is and how to mend it. It never holds the value of an
// environment variable, a header or a URL's user info.
type Problem struct {
	File    string `json:"file"`           // empty = not in a file
	Line    int    `json:"line,omitempty"` // 1-based; 0 = the whole file
	Server  string `json:"server,omitempty"`
	Message string `json:"message"`        // lower case, without full stop
	Hint    string `json:"hint,omitempty"` // what to do next
	asked   bool   // an answer of the entry's Prompts mends it
}

// Error is `FILE:LINE: server "NAME": MESSAGE`, as far as they are known, without the hint.
func (p Problem) Error() string {
	message := p.Message
	if p.Server != "" {
		message = fmt.Sprintf("server %q: %s", p.Server, message)
	}
	switch {
	case p.File == "":
		return message
	case p.Line == 0:
		return fmt.Sprintf("%s: %s", p.File, message)
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, message)
}

// Problems is several mistakes as one error; errors.As finds each Problem.
type Problems []Problem

// Error is one line per problem.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap is every Problem.
func (ps Problems) Unwrap() []error {
	errs := make([]error, len(ps))
	for i, p := range ps {
		errs[i] = p
	}
	return errs
}
