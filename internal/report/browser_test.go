//go:build browser

package report

import (
	"context"
	_ "embed"
	"fmt"
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

	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// browserLayout finds, in the page itself, what a reader would call broken.
//
//go:embed testdata/browser/layout.js
var browserLayout string

// TestBrowser draws every page of the cases in a real browser, on a telephone, a tablet and a desk, light and dark: it
// asks no one for anything, nothing is cut, covered or too pale to read, and the scheme is the one asked for. With
// MCPCTL_SCREENSHOTS the pictures are kept in that folder.
func TestBrowser(t *testing.T) {
	tab := openBrowser(t)
	for name, one := range cases(t) {
		if one.Assessed().Findings == nil && !strings.Contains(name, "list-fleet") {
			continue
		}
		file := filepath.Join(t.TempDir(), filepath.Base(name)+".html")
		if err := os.WriteFile(file, []byte(written(t, "html", &one.Report, told(one.Options))), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, width := range []int64{390, 768, 1280} {
			for _, scheme := range []string{"light", "dark"} {
				t.Run(fmt.Sprintf("%s/%d/%s", filepath.Base(name), width, scheme), func(t *testing.T) { tab.draw(t, file, width, scheme) })
			}
		}
	}
}

// TestBrowserFilters turns the boxes of the page as a reader does.
func TestBrowserFilters(t *testing.T) {
	tab := openBrowser(t)
	file := filepath.Join(t.TempDir(), "page.html")
	two := diffOf(0, seen.Findings{
		{Rule: "tool-removed", Level: finding.Breaking, Server: "a", Item: "tool/x", Message: "`x` was removed."},
		{Rule: "tool-added", Level: finding.Info, Server: "a", Item: "tool/zebra", Message: "`zebra` is new."},
		{Rule: "tool-removed", Level: finding.Breaking, Server: "b", Item: "tool/z", Message: "`z` was removed."},
	}, DiffServer{Server: seen.Server{Name: "a"}}, DiffServer{Server: seen.Server{Name: "b"}})
	if err := os.WriteFile(file, []byte(written(t, "html", two, Options{})), 0o600); err != nil {
		t.Fatal(err)
	}
	tab.do(t, chromedp.Navigate("file://"+file))
	count := func(after, which string) int {
		return evaluate[int](t, tab, after+`; [...document.querySelectorAll(".finding")].filter((f) => f.checkVisibility() && `+which+
			`).length`)
	}
	box := `document.querySelector('input[value="breaking"]').click()`
	search := `form.elements.words.value = "zebra"; form.elements.words.dispatchEvent(new Event("input", {bubbles: true}))`
	if n := count("", "true"); n != 3 {
		t.Errorf("%d findings at first, want 3", n)
	}
	if n := count(box, "true"); n != 1 {
		t.Errorf("%d findings without the breaking ones, want 1", n)
	}
	if n := count(box+"; "+search, "true"); n != 1 {
		t.Errorf("%d findings about zebra, want 1", n)
	}
}

// tab is one page of a browser, and what went wrong in it.
type tab struct {
	ctx      context.Context
	mu       sync.Mutex
	troubles []string
}

func openBrowser(t *testing.T) *tab {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND"))
	allocated, end := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, closeTab := chromedp.NewContext(allocated)
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	t.Cleanup(func() { _ = chromedp.Cancel(ctx); cancel(); closeTab(); end() })
	tab := &tab{ctx: ctx}
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		t.Fatalf("starting a browser (Chromium or Chrome must be installed): %v", err)
	}
	if err := chromedp.Listen(ctx, tab.hear); err != nil {
		t.Fatal(err)
	}
	ask(t, tab, network.Enable, network.EnableParams{})
	ask(t, tab, log.Enable, cdp.Empty{})
	return tab
}

// do acts in the page.
func (tab *tab) do(t *testing.T, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(tab.ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// evaluate is the value of an expression in the page.
func evaluate[T any](t *testing.T, tab *tab, expression string) T {
	t.Helper()
	value, err := chromedp.Run(tab.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// ask sends a command to the browser.
func ask[P, R any](t *testing.T, tab *tab, command cdp.Command[P, R], params P) {
	t.Helper()
	if _, err := chromedp.Call(tab.ctx, command, params); err != nil {
		t.Fatal(err)
	}
}

// hear keeps what a silent page would not do.
func (tab *tab) hear(event any) {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(e.Request.URL, "file://") {
			tab.troubles = append(tab.troubles, "asks for "+e.Request.URL)
		}
	case *runtime.EventExceptionThrown:
		tab.troubles = append(tab.troubles, e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		tab.troubles = append(tab.troubles, e.Entry.Text)
	}
}

func (tab *tab) draw(t *testing.T, file string, width int64, scheme string) {
	tab.mu.Lock()
	tab.troubles = nil
	tab.mu.Unlock()
	ask(t, tab, emulation.SetDeviceMetricsOverride,
		emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 900, DeviceScaleFactor: 1, Mobile: width < 500})
	ask(t, tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	tab.do(t, chromedp.Navigate("file://"+file))
	found := evaluate[[]string](t, tab, browserLayout)
	red := evaluate[int](t, tab, `Number(getComputedStyle(document.body).backgroundColor.match(/\d+/)[0])`)
	if dark := red < 64; dark != (scheme == "dark") {
		t.Errorf("the background has the red %d in the %s scheme", red, scheme)
	}
	tab.mu.Lock()
	defer tab.mu.Unlock()
	for _, trouble := range append(found, tab.troubles...) {
		t.Error(trouble)
	}
	if folder := os.Getenv("MCPCTL_SCREENSHOTS"); folder != "" {
		picture, err := chromedp.Run(tab.ctx, chromedp.FullScreenshot(100))
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("%s-%d-%s.png", strings.TrimSuffix(filepath.Base(file), ".html"), width, scheme)
		if err := os.WriteFile(filepath.Join(folder, name), picture, 0o600); err != nil {
			t.Error(err)
		}
	}
}
