package diff

// What the tests outside of the package use.
var (
	ChangedBytes = changedBytes
	Extended     = extended
)
