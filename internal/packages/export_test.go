package packages

import "github.com/gofrs/flock"

// Release ends the use of every package by this process, as its end does.
func Release() {
	inUse.Range(func(folder, lock any) bool {
		inUse.Delete(folder)
		return lock.(*flock.Flock).Unlock() == nil
	})
}
