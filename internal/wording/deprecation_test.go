package wording

import (
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// TestDeprecations has the ways in which servers announce the end of a tool, and texts about things that are deprecated.
func TestDeprecations(t *testing.T) {
	for item, want := range map[string]string{
		`{"description":"Reads a file. DEPRECATED: Use read_text_file instead."}`:                    "told, read_text_file",
		`{"title":"Read File (Deprecated)","description":"Reads a file."}`:                           "told",
		`{"_meta":{"deprecated":true,"replacement":"get_lineage"}}`:                                  "told, get_lineage",
		"{\"description\":\"**DEPRECATED \u2014 use `get_lineage` instead.** It will be removed.\"}": "told, get_lineage",
		`{"description":"[DEPRECATED \u2014 use list_v2 \u2014 sunset 2026-12-31] Lists."}`: "told 2026-12-31, " +
			"list_v2",
		`{"annotations":{"deprecated":true,"sunset":"2026-12-31"}}`:                                                 "told 2026-12-31",
		`{"_meta":{"com.acme/deprecated":{"since":"2.0","removedAfter":"2026-12-31T00:00:00Z","replacedBy":"b"}}}`:  "told 2026-12-31, b",
		`{"_meta":{"sunset_date":"Thu, 31 Dec 2026 00:00:00 GMT"}}`:                                                 "told 2026-12-31",
		`{"frontmatter":{"name":"x","metadata":{"status":"deprecated"}}}`:                                           "told",
		`{"deprecated":"use b_2 instead"}`:                                                                          "told, b_2",
		`{"description":"deprecated since 2.0, will be removed on 2027-01-31"}`:                                     "told 2027-01-31",
		`{"description":"Finds deprecated APIs. Deprecated API removals are listed; use ` + "`x`" + ` to filter."}`: "",
		`{"description":"Deprecated endpoints of the service."}`:                                                    "",
		`{"deprecated":false,"_meta":{"replacement":"b","status":"stable"}}`:                                        "",
		`{"description":"Lists contracts with their sunset 2026-12-31."}`:                                           "",
		`["deprecated"]`: "",
	} {
		got := ""
		if d, told := DeprecationOf(rawjson.ObjectOf([]byte(item))); told {
			if got = "told"; !d.Sunset.IsZero() {
				got += " " + d.Date()
			}
			if d.Replacement != "" {
				got += ", " + d.Replacement
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", item, got, want)
		}
	}
}

func TestSunsetsPass(t *testing.T) {
	at := time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC)
	d := Deprecation{Sunset: at}
	if d.Passed(at.Add(-time.Second)) || !d.Passed(at) || d.Passed(time.Time{}) || (Deprecation{}).Passed(at) {
		t.Error("a sunset is from its day on, and of no day that is not known")
	}
}
