package files

import "io/fs"

// checkOwner has nothing to check: the files of a profile are the user's by inheritance.
func checkOwner(string, fs.FileInfo) error { return nil }

func ownGroup(fs.FileInfo) bool { return true }
