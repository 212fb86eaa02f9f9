package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/redact"
)

// Problem is one mistake in the configuration, with the way to fix it. It holds no value of a variable or
// header.
type Problem struct {
	File    string `json:"file"`           // empty = not in a file
	Line    int    `json:"line,omitempty"` // 1-based; 0 = the whole file
	Server  string `json:"server,omitempty"`
	Message string `json:"message"` // lower case, without full stop
	Hint    string `json:"hint,omitempty"`
	asked   bool   // the answer to one of the entry's Prompts fixes it
}

// Error returns `FILE:LINE: server "NAME": MESSAGE`, without the parts that are not known and the hint.
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

// Problems is several problems as one error; errors.As finds each Problem.
type Problems []Problem

// Error returns a line for each problem.
func (ps Problems) Error() string {
	return strings.Join(kit.Map(ps, Problem.Error), "\n")
}

// Unwrap returns the problems.
func (ps Problems) Unwrap() []error {
	return kit.Map(ps, func(p Problem) error { return p })
}

// Explain returns an error of Load or Select with the hints as further lines; other errors as they are.
func Explain(err error) error {
	var problems Problems
	var problem Problem
	switch {
	case errors.As(err, &problems):
	case errors.As(err, &problem):
		problems = Problems{problem}
	default:
		return err
	}
	var lines []string
	for _, p := range problems {
		lines = append(lines, p.Error())
		if p.Hint != "" {
			lines = append(lines, "hint: "+p.Hint)
		}
	}
	return explained{problems, strings.Join(lines, "\n")}
}

// explained is the error that shows problems with their hints.
type explained struct {
	problems Problems
	text     string
}

// Error returns the problems and their hints.
func (e explained) Error() string { return e.text }

// Unwrap returns the problems.
func (e explained) Unwrap() error { return e.problems }

// maskTokens masks tokens in problems, where one stands in a wrong place.
func maskTokens(problems []Problem) []Problem {
	for i, p := range problems {
		problems[i].Message, problems[i].Hint = redact.MaskTokens(p.Message), redact.MaskTokens(p.Hint)
	}
	return problems
}
