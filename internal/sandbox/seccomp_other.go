//go:build !linux

package sandbox

import (
	"errors"
	"os"
)

// filterFile is an error where there is no bubblewrap.
func filterFile() ([]*os.File, error) {
	return nil, errors.New("there are filters of system calls on Linux alone")
}
