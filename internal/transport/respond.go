package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
)

const answerTimeout = 10 * time.Second

// respond posts the answer to a request of the server. If that fails, the server has to live without: it cannot be told.
func (l *Link) respond(ctx context.Context, client *http.Client, url string, header http.Header, asked message) {
	var request transport.JSONRPCRequest
	if json.Unmarshal(asked.raw, &request) != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	response, err := l.answer.handle(ctx, request)
	if err != nil || response == nil {
		return
	}
	body, err := json.Marshal(response)
	if err != nil {
		return
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return
	}
	for name, values := range header {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", "application/json")
	if reply, err := client.Do(req); !errors.Is(err, context.Canceled) && reply != nil {
		_ = reply.Body.Close()
	}
}
