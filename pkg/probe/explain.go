package probe

import (
	"context"
	"errors"
	"strings"

	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/internal/transport"
)

// facts are all that is known of a failure.
type facts struct {
	server  Server
	options Options
	stage   Stage
	err     error
	stderr  string
	heard   bool // the server said something before
	noise   []transport.Noise
}

// explain makes a failure one that a person can act on. The link is nil when there is none.
func (a attempt) explain(ctx context.Context, stage Stage, err error, link *transport.Conn) *Error {
	f := facts{server: a.server, options: a.options, stage: stage, err: ended(ctx, err, a.record.heard()), heard: a.record.heard() != ""}
	if link != nil {
		f.stderr = link.Diagnostics().Stderr
		f.noise = link.Noise()
	}
	var end *transport.LostError
	if errors.As(err, &end) && end.Stderr != "" {
		f.stderr = end.Stderr
	}
	var answer *RPCError
	if errors.As(err, &answer) {
		answer.Message = clip(a.masks().Text(answer.Message), longText)
		answer.shown, _ = a.masks().JSON(answer.data)
	}
	return &Error{
		Server: a.server.Name, Stage: stage, Stderr: a.masks().Cut(f.stderr), Hint: a.masks().Text(f.hint()), Unknown: a.masks().Text(f.unknownArgument()),
		Err: &cause{text: f.text(a.masks()), original: f.err},
	}
}

// text is the cause, with the reason for it when the server told one on stdout before it ended.
func (f facts) text(secrets redact.Secrets) string {
	text := clip(secrets.Text(plain(f.err)), longText)
	if exited(f.err) == "" || f.stderr != "" || len(f.noise) == 0 {
		return text
	}
	var said []string
	for _, piece := range f.noise {
		said = append(said, strings.TrimSpace(secrets.Cut(piece.Text)))
	}
	return text + "; it wrote to stdout: " + clip(strings.Join(said, " | "), longText)
}

// originalOf is an *Error's cause before it was made fit to be shown.
func originalOf(err error) error {
	if shown, ok := errors.AsType[*cause](err); ok {
		return shown.original
	}
	return err
}
