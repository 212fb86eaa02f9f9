package reload

import (
	"hash/crc64"
	"io"
	"io/fs"
	"os"
	"time"
)

// wholly is up to which size files are compared by what is in them; larger ones by when they were written.
const wholly = 8 << 20

// fresh is how old a file must be for its time to be trusted: clocks of file systems are coarse, and a file may be written
// twice at one time.
const fresh = 2 * time.Second

// stamp tells one state of a file from another.
type stamp struct {
	size    int64
	written time.Time
	sum     uint64 // of its content; 0 = not read
	settled bool   // a file with this size and time is the same
	read    int64  // bytes that were read for it
}

// stampOf is the stamp of a file, which is read – up to so many bytes – unless the one before tells enough.
func stampOf(path string, info fs.FileInfo, before stamp, budget int64) stamp {
	now := stamp{size: info.Size(), written: info.ModTime(), settled: time.Since(info.ModTime()) > fresh}
	switch {
	case now.size == 0:
	case before.settled && before.size == now.size && before.written.Equal(now.written):
		now.sum = before.sum
	case now.size <= min(wholly, budget):
		now.sum, now.read = sumOf(path), now.size
	}
	return now
}

func sumOf(path string) uint64 {
	file, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer file.Close()
	sum := crc64.New(crc64.MakeTable(crc64.ECMA))
	if _, err := io.Copy(sum, io.LimitReader(file, wholly)); err != nil {
		return 0
	}
	return sum.Sum64()
}

// same tells whether a file has not changed.
func (s stamp) same(other stamp) bool {
	if s.size != other.size || s.sum != other.sum {
		return false
	}
	return s.size == 0 || s.sum != 0 || s.written.Equal(other.written)
}
