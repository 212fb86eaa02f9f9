//go:build browser

package monitor

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// tab is a page of a browser, and what went wrong in it.
type tab struct {
	t        *testing.T
	ctx      context.Context
	address  string
	mu       sync.Mutex
	troubles []string
}

// openPage serves a monitor and opens its page.
func openPage(t *testing.T, m *Monitor) *tab {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m.Serve(listener, nil, 0)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()), chromedp.Flag("disable-background-networking", true))
	allocated, end := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, closeTab := chromedp.NewContext(allocated)
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	t.Cleanup(func() { _ = chromedp.Cancel(ctx); cancel(); closeTab(); end(); m.Close() })
	p := &tab{t: t, ctx: ctx, address: "http://" + listener.Addr().String() + "/"}
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		t.Fatalf("starting a browser (Chromium or Chrome must be installed): %v", err)
	}
	if err := chromedp.Listen(ctx, p.hear); err != nil {
		t.Fatal(err)
	}
	command(p, network.Enable, network.EnableParams{})
	command(p, log.Enable, cdp.Empty{})
	p.visit()
	return p
}

func command[P, R any](p *tab, c cdp.Command[P, R], params P) {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, c, params); err != nil {
		p.t.Fatal(err)
	}
}

func (p *tab) visit() {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, chromedp.Navigate(p.address)); err != nil {
		p.t.Fatal(err)
	}
}

// hear keeps what a page that asks nobody else, and runs nothing that its policy forbids, would not do.
func (p *tab) hear(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(e.Request.URL, p.address) {
			p.troubles = append(p.troubles, "asks for "+e.Request.URL)
		}
	case *runtime.EventExceptionThrown:
		p.troubles = append(p.troubles, e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		if !strings.Contains(e.Entry.Text, "favicon") && !strings.Contains(e.Entry.URL, "favicon") && !strings.Contains(e.Entry.Text, "401") {
			p.troubles = append(p.troubles, e.Entry.Text)
		}
	}
}

func evaluate[T any](p *tab, expression string) T {
	p.t.Helper()
	value, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		p.t.Fatal(err)
	}
	return value
}

// until waits until an expression is true in the page.
func (p *tab) until(expression string) {
	p.t.Helper()
	for late := time.Now().Add(2 * time.Minute); !evaluate[bool](p, "Boolean("+expression+")"); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(late) {
			p.t.Fatalf("never: %s\n%s", expression, evaluate[string](p, "document.body.innerText"))
		}
	}
}

// quiet fails for what went wrong in the page.
func (p *tab) quiet() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, trouble := range p.troubles {
		p.t.Error(trouble)
	}
	p.troubles = nil
}

// press presses keys, one after the other.
func (p *tab) press(keys string) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, chromedp.KeyEvent(keys)); err != nil {
		p.t.Fatal(err)
	}
}

// TestBrowserPage shows every server with its trouble, opens by the keyboard, and is live.
func TestBrowserPage(t *testing.T) {
	m := monitorOf(Options{Loopback: true}, five()...)
	p := openPage(t, m)
	p.until(`document.querySelectorAll("details").length === 5`)
	p.until(`document.querySelector("#totals").textContent === "5 servers: 1 live, 1 degraded, 1 connecting, 1 disabled, 1 failed"`)
	texts := evaluate[string](p, `document.body.innerText`)
	for _, want := range []string{odd, "2 tools", "degraded", " s\n"} {
		if !strings.Contains(texts, want) {
			t.Errorf("the page does not show %q:\n%s", want, texts)
		}
	}
	if n := evaluate[int](p, `document.querySelector(".changes").childElementCount`); n != 1 {
		t.Errorf("%d bars of changes", n)
	}
	if label := evaluate[string](p, `document.querySelector(".latency").getAttribute("aria-label")`); !strings.HasPrefix(label, "last reading 3600000 ms") {
		t.Errorf("latency: %q", label)
	}
	// by the keyboard
	p.press("/")
	p.until(`document.activeElement.id === "name"`)
	p.press(kb.Escape + "trouble") // a character that is sent by itself gets there although its key was heeded
	p.until(`document.querySelector("#shown").textContent === "1 of 5 shown"`)
	p.press(kb.Escape)
	p.until(`document.querySelector("#shown").textContent === ""`)
	p.press(kb.Tab + kb.Tab + kb.Tab)
	p.until(`document.activeElement === document.querySelector("summary")`)
	p.press(kb.Enter)
	p.until(`document.querySelector(".stories pre") && document.querySelector(".stories pre").textContent.includes("tool-removed")`)
	// live
	e := change(odd)
	e.Findings[0].Item, e.Findings[0].Message = "tool/<img src=x onerror=alert(1)>", "<b>gone</b>"
	tell(m, e)
	p.until(`document.querySelector(".stories pre").textContent.includes("<img src=x")`)
	servers := five()
	servers[2] = Server{Name: "new", Transport: "http", Status: viewOf(status(watch.Live)), Refresh: make(chan struct{}, 1)}
	old := status(watch.Live)
	old.Stale = true
	servers[3] = Server{Name: "old", Transport: "http", Status: viewOf(old), Refresh: make(chan struct{}, 1)}
	m.Watch(servers[:4])
	tell(m, report.Event{Time: time.Now(), Event: "state", Server: "new", State: "live"})
	p.until(`document.querySelector("#totals").textContent=== "4 servers: 2 live, 1 degraded, 1 stale"`)
	evaluate[bool](p, `document.querySelector("#trouble").click(); true`)
	p.until(`[...document.querySelectorAll("details")].filter((e) => !e.hidden).length === 2`)
	evaluate[bool](p, `document.querySelectorAll(".refresh")[1].click(); true`)
	p.until(`document.querySelectorAll(".said")[1].textContent === "it is read"`)
	p.quiet()
	tell(m, report.Event{Time: time.Now(), Event: "summary"})
	p.until(`document.querySelector("#totals").textContent.endsWith("Watching has ended.")`)
}

// TestBrowserToken asks for the token, and shows nothing before.
func TestBrowserToken(t *testing.T) {
	p := openPage(t, monitorOf(Options{Loopback: true, Token: "t0ken"}, five()...))
	p.until(`!document.querySelector("#login").hidden`)
	if n := evaluate[int](p, `document.querySelectorAll("details").length`); n != 0 {
		t.Errorf("%d servers are shown to everybody", n)
	}
	evaluate[bool](p, `document.querySelector("#token").value = "t0ken"; document.querySelector("#login button").click(); true`)
	p.until(`document.querySelectorAll("details").length === 5 && document.querySelector("#login").hidden`)
	p.visit()
	p.until(`document.querySelectorAll("details").length === 5`)
	p.quiet()
}

// TestBrowserLayout: nothing is cut, covered or too pale to read on a telephone, a tablet and a desk, light and dark.
func TestBrowserLayout(t *testing.T) {
	layout, err := os.ReadFile("../report/testdata/browser/layout.js")
	if err != nil {
		t.Fatal(err)
	}
	long := five()[0]
	long.Name = strings.Repeat("a-very-long-name-", 12)
	p := openPage(t, monitorOf(Options{Loopback: true}, append(five(), long)...))
	for _, width := range []int64{360, 768, 1280} {
		for _, scheme := range []string{"light", "dark"} {
			t.Run(fmt.Sprintf("%d/%s", width, scheme), func(t *testing.T) {
				command(p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 900, DeviceScaleFactor: 1, Mobile: width < 500})
				command(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
				p.visit()
				p.until(`document.querySelectorAll("details").length === 6`)
				evaluate[bool](p, `for (const s of document.querySelectorAll("summary")) s.click(); true`)
				p.until(`document.querySelector(".stories pre") !== null`)
				for _, trouble := range evaluate[[]string](p, string(layout)) {
					t.Error(trouble)
				}
				back := evaluate[string](p, `getComputedStyle(document.body).backgroundColor`)
				if dark := back == "rgb(13, 17, 23)"; dark != (scheme == "dark") {
					t.Errorf("the background is %s", back)
				}
				if folder := os.Getenv("MCPCTL_SCREENSHOTS"); folder != "" {
					picture, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(100))
					if err == nil {
						err = os.WriteFile(filepath.Join(folder, fmt.Sprintf("watch-%d-%s.png", width, scheme)), picture, 0o600)
					}
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	p.quiet()
}
