package config

import (
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
	Unknown string `json:"-"` // the name that no server has, masked; empty = another problem
	asked   bool   // the answer to one of the entry's Prompts fixes it
	lacks   string // what the environment lacks, which is not a mistake: "KEY, which is not set"
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

// Error returns a line for each problem, and one for each hint.
func (ps Problems) Error() string {
	var lines []string
	for _, p := range ps {
		lines = append(lines, p.Error())
		if p.Hint != "" {
			lines = append(lines, "hint: "+p.Hint)
		}
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the problems.
func (ps Problems) Unwrap() []error {
	return kit.Map(ps, func(p Problem) error { return p })
}

// maskTokens masks tokens in problems, where one stands in a wrong place.
func maskTokens(problems []Problem) []Problem {
	for i, p := range problems {
		problems[i].Message, problems[i].Hint = redact.MaskTokens(p.Message), redact.MaskTokens(p.Hint)
	}
	return problems
}
