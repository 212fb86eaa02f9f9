package report

import (
	"encoding/json"
	"io"
)

func writeJSON(w io.Writer, r *Report, _ Options) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}
