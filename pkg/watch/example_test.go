package watch_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// growing is a session with a server that gains a tool and announces that. A real one is a probe.Session.
type growing struct {
	signal   chan struct{}
	readings int
}

func (g *growing) Hello() *snapshot.Snapshot { return &snapshot.Snapshot{Protocol: "2025-11-25"} }

func (g *growing) List(_ context.Context, kinds ...snapshot.Kind) ([]snapshot.List, error) {
	tools := []json.RawMessage{json.RawMessage(`{"name":"list_tickets"}`)}
	if g.readings++; g.readings > 1 {
		tools = append(tools, json.RawMessage(`{"name":"close_ticket"}`))
	} else {
		g.signal <- struct{}{}
	}
	var lists []snapshot.List
	for _, kind := range kinds {
		if kind == snapshot.Tools {
			lists = append(lists, snapshot.NewList(kind, tools))
		}
	}
	return lists, nil
}

func (g *growing) Signal() <-chan struct{} { return g.signal }
func (g *growing) News() snapshot.News {
	return snapshot.News{Changed: []snapshot.Kind{snapshot.Tools}, Count: 1}
}
func (g *growing) Ping(context.Context) error { return nil }
func (g *growing) Done() <-chan struct{}      { return nil }
func (g *growing) Lost() error                { return nil }
func (g *growing) Close() error               { return nil }

// Example watches a server until its first change.
func Example() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	source := watch.Source{Name: "tickets", Open: func(context.Context) (watch.Session, error) {
		return &growing{signal: make(chan struct{}, 1)}, nil
	}}
	_ = watch.Run(ctx, source, watch.Options{Quiet: time.Millisecond}, func(e watch.Event) {
		for _, f := range e.Findings {
			fmt.Println(e.Server, e.Kind, f.Rule, f.Item)
			cancel()
		}
	})
	// Output: tickets changed tool-added tool/close_ticket
}
