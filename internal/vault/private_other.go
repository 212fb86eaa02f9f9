//go:build !unix

package vault

// private has nothing to check where files of the profile are private by inheritance.
func private(string) error { return nil }
