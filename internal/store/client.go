package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/host"
)

// request is what mcpctl-store is asked: a line of JSON, and Size bytes behind it. mcpctl-store/main.go has the same.
type request struct {
	ID    int     `json:"id"`
	Op    string  `json:"op"`              // get, put, list or remove
	At    string  `json:"at"`              // SCHEME://BUCKET/KEY
	If    *string `json:"if,omitempty"`    // put: the version that is replaced, empty = there is none; nil = whatever is there
	After string  `json:"after,omitempty"` // list: the page after the one that said so
	Size  int     `json:"size,omitempty"`
	body  []byte
}

// answer is what it says, in the same form.
type answer struct {
	ID      int      `json:"id"`
	Version string   `json:"version,omitempty"` // of what was got
	Names   []string `json:"names,omitempty"`   // keys of a page
	Next    string   `json:"next,omitempty"`    // there is another page
	Size    int      `json:"size,omitempty"`
	Kind    string   `json:"kind,omitempty"` // of the error: absent, changed, nobucket, denied or failed
	Error   string   `json:"error,omitempty"`
	body    []byte
}

// Client reaches the stores of one run. Its methods may be called at the same time.
type Client struct {
	process host.Process
	limit   time.Duration // for one answer

	mu      sync.Mutex
	helper  *helper
	seen    map[string]string // versions of what was read and not written since; empty = it was not there
	failed  int               // answers in a row
	refusal error             // why nothing is asked for a while
	until   time.Time         // when that ends
}

// New is a client that starts nothing before it is needed.
func New(p host.Process) *Client {
	return &Client{process: p, limit: 2 * time.Minute, seen: map[string]string{}}
}

// Get is an object. The error of one that is not there wraps fs.ErrNotExist.
func (c *Client) Get(ctx context.Context, at string) ([]byte, error) {
	a, err := c.ask(ctx, request{Op: "get", At: at})
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.seen[at] = a.Version
	}
	return a.body, err
}

// Put writes an object: over what this run has read there, or over whatever is there if it has read nothing. The error of one that
// somebody else has written since wraps host.ErrChanged.
func (c *Client) Put(ctx context.Context, at string, data []byte) error {
	c.mu.Lock()
	version, read := c.seen[at]
	delete(c.seen, at)
	c.mu.Unlock()
	if !read {
		return c.put(ctx, at, data, nil)
	}
	return c.put(ctx, at, data, &version)
}

// Create writes an object that is not there yet; otherwise the error wraps host.ErrChanged.
func (c *Client) Create(ctx context.Context, at string, data []byte) error {
	return c.put(ctx, at, data, new(string))
}

// put writes. An answer that was lost is asked for again below us, and then it is our own object that is in the way.
func (c *Client) put(ctx context.Context, at string, data []byte, version *string) error {
	_, err := c.ask(ctx, request{Op: "put", At: at, If: version, Size: len(data), body: data})
	if !errors.Is(err, host.ErrChanged) {
		return err
	}
	if now, again := c.ask(ctx, request{Op: "get", At: at}); again == nil && bytes.Equal(now.body, data) {
		return nil
	}
	return err
}

// Remove removes an object, which need not be there.
func (c *Client) Remove(ctx context.Context, at string) error {
	_, err := c.ask(ctx, request{Op: "remove", At: at})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// List is all that lies below a folder, in the order of the names.
func (c *Client) List(ctx context.Context, folder string) (all []string, err error) {
	bucket, prefix := split(strings.TrimRight(folder, "/") + "/")
	for page := (answer{}); ; {
		if page, err = c.ask(ctx, request{Op: "list", At: bucket + prefix, After: page.Next}); err != nil {
			return nil, err
		}
		for _, name := range page.Names {
			all = append(all, bucket+name)
		}
		if page.Next == "" {
			return all, nil
		}
	}
}

// split cuts SCHEME://BUCKET/ from the key behind it.
func split(at string) (bucket, key string) {
	scheme, rest, _ := strings.Cut(at, "://")
	bucket, key, _ = strings.Cut(rest, "/")
	return scheme + "://" + bucket + "/", key
}

// Check finds what keeps a location from being reached at all.
func (c *Client) Check(at string) error {
	err := Check(at)
	if err == nil && !strings.HasPrefix(at, "file:") {
		_, err = c.program()
	}
	return err
}

// After so many failures in a row a store cannot be reached, and is left alone for a while: thousands of servers need not wait for
// each, and what watches for weeks tries again.
const (
	mostFailures = 2 * workers
	respite      = 30 * time.Second
)

// ask asks the one who knows, and turns what is wrong into an error.
func (c *Client) ask(ctx context.Context, r request) (answer, error) {
	if err := Check(r.At); err != nil {
		return answer{}, err
	}
	reach := c.helped
	if strings.HasPrefix(r.At, "file:") {
		reach = c.inFolder
	}
	a, err := reach(ctx, r)
	if err == nil {
		err = a.failure(r)
	}
	if err != nil {
		a = answer{}
	}
	return a, err
}

func (a answer) failure(r request) error {
	doing := map[string]string{"get": "reading", "put": "writing", "list": "listing", "remove": "removing"}[r.Op]
	said := strings.Join(strings.Fields(a.Error), " ")
	switch a.Kind {
	case "":
		return nil
	case "absent":
		return &fs.PathError{Op: doing, Path: r.At, Err: fs.ErrNotExist}
	case "changed":
		return exit.Unable(exit.Advise("nothing of theirs was touched: run it again, which begins with what is there now", "%s %s: %w", doing, r.At, host.ErrChanged))
	case "nobucket":
		return exit.Unable(exit.Advise("make the bucket, or correct its name", "%s %s: %s", doing, r.At, said))
	case "denied":
		return exit.Unable(exit.Advise("log in as the cloud's own tool does: docs/store.md says where credentials are looked for", "%s %s: %s", doing, r.At, said))
	}
	return exit.Unable(exit.Advise("nothing is known of what is there: run it again once the store answers", "%s %s: %s", doing, r.At, said))
}

// helped asks mcpctl-store, which is started when it is needed first.
func (c *Client) helped(ctx context.Context, r request) (answer, error) {
	h, err := c.started()
	if err != nil {
		return answer{}, err
	}
	limit := c.limit + time.Duration(r.Size>>18)*time.Second // at 256 KiB a second
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	a, err := h.ask(within, r)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err != nil && ctx.Err() != nil:
		return answer{}, context.Cause(ctx)
	case err != nil && within.Err() != nil:
		err = fmt.Errorf("no answer within %s", limit)
	case err == nil && a.Kind != "failed" && a.Kind != "denied":
		c.failed = 0
		return a, nil
	case err == nil:
		err = errors.New(a.Error)
	}
	if c.failed++; c.failed >= mostFailures || within.Err() != nil {
		c.refusal, c.until = answer{Kind: "failed", Error: err.Error()}.failure(r), time.Now().Add(respite)
	}
	if a.Kind == "" {
		a = answer{Kind: "failed", Error: err.Error()}
	}
	return a, nil
}

// started is mcpctl-store. One that ended is started anew, unless there is no use in it.
func (c *Client) started() (*helper, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refusal != nil && time.Now().Before(c.until) {
		return nil, c.refusal
	}
	if c.helper != nil && !c.helper.over() {
		return c.helper, nil
	}
	program, err := c.program()
	if err == nil {
		c.helper, err = start(c.process, program)
	}
	return c.helper, err
}

// Close ends what was started.
func (c *Client) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.helper != nil {
		c.helper.close()
	}
}
