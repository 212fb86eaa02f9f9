package terminal

// The console that a process belongs to.
const deviceIn, deviceOut = "CONIN$", "CONOUT$"
