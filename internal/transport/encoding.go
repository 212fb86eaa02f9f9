package transport

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"net/http"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// decode replaces the body of a reply by what its Content-Encoding stands for, and reports whether it can.
// net/http decodes the gzip that it asked for; gateways compress unasked.
func decode(reply *http.Response) bool {
	var open func(io.Reader) (io.Reader, error)
	switch strings.ToLower(strings.TrimSpace(reply.Header.Get("Content-Encoding"))) {
	case "", "identity":
		return true
	case "gzip", "x-gzip":
		open = func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }
	case "deflate":
		open = inflate
	case "zstd":
		open = func(r io.Reader) (io.Reader, error) {
			// RFC 9659 has the limit
			return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(8<<20))
		}
	default:
		return false
	}
	reply.Body = &decodedBody{Closer: reply.Body, encoded: reply.Body, open: open}
	reply.Header.Del("Content-Encoding")
	reply.Header.Del("Content-Length")
	reply.ContentLength = -1
	return true
}

// inflate reads deflate as RFC 9110 has it, in the format of zlib, and bare, as some servers send it.
func inflate(r io.Reader) (io.Reader, error) {
	buffered := bufio.NewReader(r)
	head, err := buffered.Peek(2) // RFC 1950, 2.2
	if err == nil && head[0]&15 == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
		return zlib.NewReader(buffered)
	}
	return flate.NewReader(buffered), nil
}

// decodedBody decodes from the first Read on: an event stream may stay silent after its headers.
type decodedBody struct {
	io.Closer
	encoded io.Reader
	open    func(io.Reader) (io.Reader, error)
	decoded io.Reader
}

// Read returns decoded bytes.
func (d *decodedBody) Read(p []byte) (int, error) {
	if d.decoded == nil {
		decoded, err := d.open(d.encoded)
		if err != nil {
			return 0, err
		}
		d.decoded = decoded
	}
	return d.decoded.Read(p)
}
