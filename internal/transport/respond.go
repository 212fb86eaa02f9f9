package transport

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"time"
)

const answerTimeout = 10 * time.Second

// respond posts the answer to a request of the server. If that fails, the server has to live without: it cannot be told.
func (l *Link) respond(ctx context.Context, client *http.Client, url string, header http.Header, asked message) {
	body := l.answer.reply(ctx, asked)
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return
	}
	for name, values := range header {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if reply, err := client.Do(req); !errors.Is(err, context.Canceled) && reply != nil {
		_ = reply.Body.Close()
	}
}
