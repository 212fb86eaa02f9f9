package config

// Found tells how the file of an entry came to be read, and with that on whose word its command would run.
type Found int

const (
	// Named was the user's own word: --config, MCPCTL_CONFIG, MCP_SERVER_URL or the command line, and what such a file includes.
	Named Found = iota
	// Searched was come upon in the project's folders: whoever writes to the repository may have written it.
	Searched
	// Discovered was come upon among the files of applications.
	Discovered
)

// String names it as reports do.
func (f Found) String() string { return [...]string{"named", "searched", "discovered"}[f] }
