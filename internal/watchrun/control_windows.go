package watchrun

import "os"

// refreshSignals is empty: there is no such signal here.
func refreshSignals() []os.Signal { return nil }

// reloadSignals is empty: there is no such signal here.
func reloadSignals() []os.Signal { return nil }

// resizeSignals is empty: there is no such signal here.
func resizeSignals() []os.Signal { return nil }

func ignoreBackgroundReads() {}
