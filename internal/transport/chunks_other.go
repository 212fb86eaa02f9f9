//go:build !unix

package transport

func mapChunk() []byte { return make([]byte, 0, lastChunk) }

func unmapChunk([]byte) {}
