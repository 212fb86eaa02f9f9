//go:build unix

package transport

import "syscall"

// mapChunk is memory of the system, or of Go where it gives none.
func mapChunk() []byte {
	memory, err := syscall.Mmap(-1, 0, lastChunk, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return make([]byte, 0, lastChunk)
	}
	return memory[:0]
}

// unmapChunk gives memory back; what is Go's own is left to Go.
func unmapChunk(chunk []byte) { _ = syscall.Munmap(chunk[:lastChunk]) }
