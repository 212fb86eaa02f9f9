package probe

import (
	"context"
	"encoding/json"
)

// AskForLog asks a server of the era of the handshake that declares logging for log messages of Options.LogLevel and above
// (specification 2025-11-25, logging); since 2026-07-28 each request asks. A server that cannot tell keeps silent.
func (s *Session) AskForLog(ctx context.Context) {
	capabilities, err := readObject(s.hello.capabilities)
	level, _ := json.Marshal(s.attempt.options.LogLevel) // a text can be encoded
	if err != nil || s.hello.stateless || s.attempt.options.LogLevel == "" || capabilities.present("logging") == nil {
		return
	}
	_, _ = s.Request(ctx, Request{Stage: Handshake, Method: "logging/setLevel", Params: map[string]json.RawMessage{"level": level}})
}
