package diff

// ChangedBytes is for the tests outside of the package.
var ChangedBytes = changedBytes
