package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/printable"
)

// inputPrompt is a prompt of the configuration, and the servers of this run that need its answer.
type inputPrompt struct {
	config.Prompt
	servers []string
}

// inputsOf returns the inputs that entries lack, each once.
func inputsOf(entries []config.Entry) []inputPrompt {
	var asked []inputPrompt
	for _, e := range entries {
		for _, p := range e.Asks() {
			at := slices.IndexFunc(asked, func(q inputPrompt) bool { return q.Variable == p.Variable })
			if at < 0 {
				at, asked = len(asked), append(asked, inputPrompt{Prompt: p})
			}
			asked[at].servers = append(asked[at].servers, e.Server.Name)
		}
	}
	return asked
}

// askInputs asks for each input and returns the answers by variable. Without a terminal nothing is asked,
// and the servers fail.
func askInputs(ctx context.Context, p host.Process, asked []inputPrompt) (map[string]string, error) {
	if len(asked) == 0 {
		return nil, nil
	}
	t, err := host.OpenTerminal(p)
	if err != nil {
		return nil, nil
	}
	defer t.Close()
	answers := map[string]string{}
	for _, q := range asked {
		value, err := q.ask(ctx, t)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.Is(err, host.ErrNoAnswer):
			t.Printf("\n")
			return nil, errInput(q.ID, q.Variable)
		case err != nil:
			return nil, fmt.Errorf("asking for the input %q: %w", q.ID, err)
		}
		answers[q.Variable] = value
	}
	return answers, nil
}

// ask asks until the answer is one of the options, if there are any.
func (q inputPrompt) ask(ctx context.Context, t *host.Terminal) (string, error) {
	name := strconv.Quote(q.ID)
	if q.Description != "" {
		name += " (" + printable.Message(q.Description) + ")"
	}
	t.Printf("mcpctl: the input %s is needed by %s\n", name, printable.Message(strings.Join(q.servers, ", ")))
	prompt, usual := "answer", q.Default
	for i, o := range q.Options {
		prompt = fmt.Sprintf("choose 1 to %d", len(q.Options))
		t.Printf("%3d) %s\n", i+1, printable.Message(o.Label))
	}
	switch {
	case q.Password:
		prompt += " (not shown)"
	case usual != "":
		prompt += fmt.Sprintf(" [%s]", printable.Message(usual))
	}
	switch {
	case usual != "":
		t.Printf("Enter takes the default\n")
	case q.Options == nil:
		t.Printf("Enter leaves it empty\n")
	}
	for range host.MaxAttempts {
		text, err := t.Ask(ctx, prompt+": ", q.Password)
		if err != nil {
			return "", err
		}
		if value, ok := q.chosen(cmp.Or(text, usual)); ok {
			return value, nil
		}
	}
	return "", fmt.Errorf("%d answers were none of the choices", host.MaxAttempts)
}

// chosen returns the value of an answer; ok is false for one that is not an option.
func (q inputPrompt) chosen(text string) (value string, ok bool) {
	for i, o := range q.Options {
		if slices.Contains([]string{strconv.Itoa(i + 1), o.Label, o.Value}, strings.TrimSpace(text)) {
			return o.Value, true
		}
	}
	return text, q.Options == nil
}
