package watchrun

import "os"

// refreshSignals returns no signals: Windows has none.
func refreshSignals() []os.Signal { return nil }

// reloadSignals returns no signals: Windows has none.
func reloadSignals() []os.Signal { return nil }

func ignoreBackgroundReads() {}
