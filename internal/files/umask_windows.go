package files

import "os"

// newFileMode is the mode of a file that everybody may read; access is inherited from the folder here.
func newFileMode() os.FileMode { return 0o666 }
