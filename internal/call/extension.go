package call

import "strings"

// Extension is how the name of a file with the contents of the piece ends. It follows from the media type by a fixed
// table, so that a result is saved under the same name on every machine, and never as a server wishes.
func (p Piece) Extension() string {
	kind, _, _ := strings.Cut(strings.ToLower(p.MIME), ";")
	if extension, ok := extensions()[strings.TrimSpace(kind)]; ok {
		return extension
	}
	if p.Binary() {
		return ".bin"
	}
	return ".txt"
}

func extensions() map[string]string {
	return map[string]string{
		"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", "image/svg+xml": ".svg", "image/avif": ".avif",
		"image/bmp": ".bmp", "image/tiff": ".tiff",
		"audio/wav": ".wav", "audio/x-wav": ".wav", "audio/mpeg": ".mp3", "audio/ogg": ".ogg", "audio/flac": ".flac", "audio/mp4": ".m4a", "audio/webm": ".weba",
		"video/mp4": ".mp4", "video/webm": ".webm",
		"application/json": ".json", "application/pdf": ".pdf", "application/zip": ".zip", "application/gzip": ".gz", "application/xml": ".xml",
		"text/plain": ".txt", "text/html": ".html", "text/css": ".css", "text/csv": ".csv", "text/markdown": ".md", "text/xml": ".xml",
	}
}
