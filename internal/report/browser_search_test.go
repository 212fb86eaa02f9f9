//go:build browser

package report

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestBrowserTenThousand opens the pages of 10,000 servers, says how long the browser took, and searches: a search shows what it
// finds and no more.
func TestBrowserTenThousand(t *testing.T) {
	const n = 10_000
	tab := openBrowser(t)
	for name, one := range map[string]struct {
		report *Report
		words  string
		found  int // how many parts of the page have the words
	}{
		"changes":     {fleetReport(n), "format_9963 export", 1},
		"no findings": {listed(fleetReport(n), "snapshot"), "server-09990", 1},
	} {
		t.Run(name, func(t *testing.T) {
			page := written(t, "html", one.report, Options{})
			file := filepath.Join(t.TempDir(), "page.html")
			if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
				t.Fatal(err)
			}
			tab.do(t, chromedp.Navigate("file://"+file))
			load := evaluate[float64](t, tab, `performance.getEntriesByType("navigation")[0].loadEventEnd`)
			nodes := evaluate[int](t, tab, `document.querySelectorAll("*").length`)
			high := evaluate[float64](t, tab, `document.documentElement.scrollHeight`)
			t.Logf("%d KiB, %d elements, loaded in %.0f ms, %.0f pixels high", len(page)>>10, nodes, load, high)
			seen := `[...document.querySelectorAll(".finding, main > section:not(.cause), tbody tr")].filter((e) => ` +
				`e.checkVisibility()).length`
			all := evaluate[int](t, tab, seen)
			search := func(words string) int {
				return evaluate[int](t, tab,
					fmt.Sprintf(
						`form.elements.words.value = %q; form.elements.words.dispatchEvent(new Event("input", {bubbles: true})); %s`, words,
						seen))
			}
			if got := search(one.words); got != one.found {
				t.Errorf("a search for %q shows %d parts, want %d", one.words, got, one.found)
			}
			if got := search("nothing has these words"); got != 0 {
				t.Errorf("a search for nothing shows %d parts", got)
			}
			if got := search(""); got == 0 || got != all {
				t.Errorf("without a search %d parts are shown, %d at first", got, all)
			}
		})
	}
}
