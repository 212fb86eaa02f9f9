package monitor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// problem is why a request was refused, as RFC 9457 writes it.
type problem struct {
	Type    string   `json:"type"`
	Title   string   `json:"title"`
	Status  int      `json:"status"`
	Detail  string   `json:"detail"`
	Nearest []string `json:"nearest,omitempty"` // what may have been meant
}

func writeProblem(w http.ResponseWriter, p problem) {
	p.Type, p.Title = "about:blank", http.StatusText(p.Status)
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	_, _ = w.Write(encode(p)) // the client has gone if it fails
}

func refuse(w http.ResponseWriter, status int, format string, args ...any) {
	writeProblem(w, problem{Status: status, Detail: fmt.Sprintf(format, args...)})
}

// encode is the JSON of a value of ours, which always has one, with raw JSON in it as it is.
func encode(value any) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value)
	return out.Bytes()
}

// writeJSON answers with a document. A client that has it already, as its ETag tells, is told so.
func writeJSON(w http.ResponseWriter, r *http.Request, document []byte) {
	if tag := w.Header().Get("ETag"); tag != "" && names(r.Header.Get("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(document) // the client has gone if it fails
}

// names tells whether one of the tags in a header is this one, strong or weak (RFC 9110 §13.1.2).
func names(header, tag string) bool {
	for one := range strings.SplitSeq(header, ",") {
		one = strings.TrimSpace(one)
		if one == "*" || strings.TrimPrefix(one, "W/") == strings.TrimPrefix(tag, "W/") {
			return true
		}
	}
	return false
}
