package call

import (
	"encoding/json"
	"testing"
)

// TestToolClaims has no word that the server did not say.
func TestToolClaims(t *testing.T) {
	for annotations, want := range map[string]string{
		`{}`: "it may change something; the server does not say what",
		`{"readOnlyHint":false,"openWorldHint":true}`:      "it may change something; the server does not say what",
		`{"destructiveHint":"no"}`:                         "it may change something; the server does not say what",
		`{"destructiveHint":true}`:                         "the server says: it may destroy something",
		`{"destructiveHint":false}`:                        "the server says: it only adds something",
		`{"idempotentHint":true}`:                          "it may change something; the server says: calling it again changes nothing",
		`{"idempotentHint":false}`:                         "it may change something; the server says: calling it again does it again",
		`{"destructiveHint":false,"idempotentHint":false}`: "the server says: it only adds something; calling it again does it again",
		`{"destructiveHint":true,"idempotentHint":true}`:   "the server says: it may destroy something; calling it again changes nothing",
	} {
		if got := toolClaims(json.RawMessage(`{"name":"t","annotations":` + annotations + `}`)); got != want {
			t.Errorf("%s: %s, want %s", annotations, got, want)
		}
		if len(want) > 79 {
			t.Errorf("%d columns: %s", len(want), want)
		}
	}
}
