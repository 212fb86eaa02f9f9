package transport

// Noise is output on stdout that is not a protocol message.
type Noise struct {
	Text  string // the first 256 bytes
	Bytes int    // its whole length
}
