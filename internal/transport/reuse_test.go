package transport

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// counted is inBubble with the number of connections that were opened.
func counted(t *testing.T, h http.HandlerFunc) (l *Conn, opened *int) {
	l, opened = inBubble(t, h), new(int)
	base := l.web.base
	dial := base.DialContext
	base.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		*opened++
		return dial(ctx, network, address)
	}
	return l, opened
}

// TestConnectionsAreUsedAgain sends three messages to a server, which ends each answer behind what it says.
func TestConnectionsAreUsedAgain(t *testing.T) {
	long := strings.Repeat(" ", 10_000)
	for name, answer := range map[string]http.HandlerFunc{
		"in chunks":      write(200, jsonType, `{"jsonrpc":"2.0","id":ID,"result":{"text":"`+long+`"}}`),
		"in a stream":    write(200, sseType, sse(fine)+": bye\n\n"),
		"of one message": write(200, jsonType, fine),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, opened := counted(t, func(w http.ResponseWriter, r *http.Request) {
					if r.ContentLength > 40 {
						answer(w, r)
					} else {
						w.WriteHeader(202)
					}
					_ = http.NewResponseController(w).Flush() // so that the end comes by itself
				})
				for id := range int64(3) {
					if _, err := ask(t, l, id+1); err != nil {
						t.Fatal(err)
					}
				}
				if err := l.SendNotification(t.Context(), mcp.JSONRPCNotification{JSONRPC: "2.0"}); err != nil {
					t.Fatal(err)
				}
				if *opened != 1 {
					t.Errorf("%d connections for four messages", *opened)
				}
			})
		})
	}
}

// TestBodiesThatStayOpen has a server that ends no answer: it is waited for once.
func TestBodiesThatStayOpen(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{"a stream": write(200, sseType, sse(fine))} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, _ := counted(t, func(w http.ResponseWriter, r *http.Request) {
					answer(w, r)
					_ = http.NewResponseController(w).Flush()
					_, _ = io.Copy(io.Discard, r.Body)
					<-r.Context().Done()
				})
				began := time.Now()
				for id := range int64(3) {
					if _, err := ask(t, l, id+1); err != nil {
						t.Fatal(err)
					}
				}
				if took := time.Since(began); took != endWait {
					t.Errorf("three answers took %v, want %v", took, endWait)
				}
			})
		})
	}
}
