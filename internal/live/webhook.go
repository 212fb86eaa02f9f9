package live

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/journal"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/transport"
)

// Webhook is where changes are posted.
type Webhook struct {
	URL    string // empty = nowhere
	Format string // one of WebhookFormats; empty = json
	Secret string // signs posts; empty = they are not signed
}

// WebhookFormats are the bodies that a post can have.
func WebhookFormats() []string { return []string{"json", "slack", "teams"} }

// Bounds of posts.
const (
	postTime  = 10 * time.Second
	chatBytes = 12 << 10 // of what changed; chats take 28 KB at most

	shortReply = 4 << 10 // bytes; after a longer one the connection is closed
)

func (w Webhook) check() error {
	to, err := url.Parse(w.URL)
	switch {
	case w.URL != "" && !strings.HasPrefix(w.URL, "http://") && !strings.HasPrefix(w.URL, "https://"):
		return exit.Usagef("--webhook is a URL that begins with http:// or https://")
	case err != nil, w.URL != "" && to.Host == "": // the URL may hold a secret
		return exit.Usagef("--webhook is no URL that can be posted to: write it as https://HOST/PATH, with %%20 for a space")
	case w.Format != "" && !slices.Contains(WebhookFormats(), w.Format):
		return exit.Usagef("--webhook-format is %s, not %q%s", strings.Join(WebhookFormats(), ", "), w.Format, match.DidYouMean(w.Format, WebhookFormats()))
	case w.Format != "" && w.URL == "":
		return exit.Usagef("--webhook-format is for --webhook: give the URL to post to")
	}
	return nil
}

// sender posts a change once.
func (w Webhook) sender(p host.Process) func(context.Context, journal.Entry) error {
	connections := http.DefaultTransport.(*http.Transport).Clone()
	connections.Proxy, connections.MaxConnsPerHost, connections.MaxIdleConnsPerHost = host.Proxy, atOnce, atOnce
	client := &http.Client{Transport: connections, Timeout: postTime, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return func(ctx context.Context, e journal.Entry) error {
		body, err := w.body(e)
		if err != nil {
			return fmt.Errorf("posting to --webhook: %w", err)
		}
		return w.post(ctx, client, p.Version, e, body)
	}
}

// post posts a body. What the receiver says about this one post is final; that it cannot be reached, or is busy or broken, is not.
func (w Webhook) post(ctx context.Context, client *http.Client, version string, e journal.Entry, body []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("posting to --webhook: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "mcpctl/"+version)
	request.Header.Set("X-Mcpctl-Delivery", e.ID)
	request.Header.Set("X-Mcpctl-Sequence", strconv.Itoa(e.Change))
	if w.Secret != "" {
		request.Header.Set("X-Mcpctl-Signature-256", "sha256="+signature(w.Secret, body))
	}
	reply, err := client.Do(request)
	if where, ok := err.(*url.Error); ok {
		err = where.Err // without the URL, which may hold a secret
	}
	if err != nil {
		return temporaryError{fmt.Errorf("posting to --webhook: %w", err), 0}
	}
	defer reply.Body.Close()
	_, _ = io.CopyN(io.Discard, reply.Body, shortReply) // the connection serves the next post
	err = fmt.Errorf("posting to --webhook: HTTP %s", reply.Status)
	switch code := reply.StatusCode; {
	case code >= 200 && code <= 299:
		return nil
	case code >= 500, code == http.StatusRequestTimeout, code == http.StatusTooEarly, code == http.StatusTooManyRequests, code == http.StatusNotFound:
		return temporaryError{err, transport.AskedWait(reply.Header.Get("Retry-After"))} // nothing is there while a receiver is replaced, too
	}
	return fmt.Errorf("%w: a change of %s was not passed on", err, report.Visible(e.Server))
}

// signature is the HMAC-SHA256 of a text, in hexadecimal digits.
func signature(secret string, text []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(text)
	return hex.EncodeToString(mac.Sum(nil))
}

func (w Webhook) body(e journal.Entry) ([]byte, error) {
	if w.Format == "" || w.Format == "json" {
		return withNewline(e.Line), nil
	}
	headline, story, err := told(e)
	if err != nil {
		return nil, err
	}
	if w.Format == "slack" {
		return rawjson.Encode(slackMessage(headline, story))
	}
	return rawjson.Encode(teamsMessage(headline, story))
}

// told is a change in one line, and as watch writes it for people.
func told(e journal.Entry) (headline, story string, err error) {
	event, story, err := report.ReadEvent(e.Line, report.Options{})
	if err != nil {
		return "", "", err
	}
	sum := report.Summarize(event.Findings, nil)
	headline = fmt.Sprintf("%s %s: %d breaking, %d warning, %d info", report.Visible(e.Server), e.Kind, sum.Breaking, sum.Warning, sum.Info)
	if story = strings.TrimSpace(story); len(story) > chatBytes {
		cut := chatBytes
		if line := strings.LastIndexByte(story[:cut], '\n'); line > 0 {
			cut = line
		}
		rest := strings.Count(story[cut:], "\n")
		story = strings.ToValidUTF8(story[:cut], "") + fmt.Sprintf("\n… and %d more lines: the event %s has them", rest, e.ID)
	}
	return headline, story, nil
}

// slackMessage is what an incoming webhook of Slack takes. Nothing in it is a link, a mention or the end of the block
// (https://docs.slack.dev/messaging/formatting-message-text).
func slackMessage(headline, story string) any {
	plain := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "`", "'")
	type text struct {
		Text string `json:"text"`
	}
	return text{plain.Replace(headline) + "\n```\n" + plain.Replace(story) + "\n```"}
}

// teamsMessage is what a workflow of Microsoft Teams takes: an adaptive card, whose text runs know no Markdown.
func teamsMessage(headline, story string) any {
	type object = map[string]any
	run := func(text, key, value string) object {
		return object{"type": "RichTextBlock", "inlines": []object{{"type": "TextRun", "text": text, key: value}}}
	}
	card := object{
		"$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard", "version": "1.4",
		"body": []object{run(headline, "weight", "Bolder"), run(story, "fontType", "Monospace")},
	}
	return object{"type": "message", "attachments": []object{{"contentType": "application/vnd.microsoft.card.adaptive", "content": card}}}
}
