package call

import (
	"encoding/json"
	"testing"
)

// TestToolClaims has no word that the server did not say.
func TestToolClaims(t *testing.T) {
	for annotations, want := range map[string]string{
		`{}`: "it may change something; the server does not say what",
		`{"readOnlyHint":false,"openWorldHint":true}`: "it may change something; the server does not say what",
		`{"destructiveHint":"no"}`:                    "it may change something; the server does not say what",
		`{"destructiveHint":true}`:                    "the server says that it may change or destroy something",
		`{"destructiveHint":false}`:                   "the server says that it only adds something",
		`{"idempotentHint":true}`: "it may change something; the server says that it changes nothing more when " +
			"called again",
		`{"idempotentHint":false}`:                         "it may change something; the server says that it acts again when called again",
		`{"destructiveHint":false,"idempotentHint":false}`: "the server says that it only adds something and acts again when called again",
		`{"destructiveHint":true,"idempotentHint":true}`: "the server says that it may change or destroy something and changes nothing " +
			"more when called again",
	} {
		if got := toolClaims(json.RawMessage(`{"name":"t","annotations":` + annotations + `}`)); got != want {
			t.Errorf("%s: %s, want %s", annotations, got, want)
		}
	}
}
