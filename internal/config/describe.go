package config

// shown is an entry's command line or URL as a person may see it.
type shown struct {
	command []string
	url     string
}

// Description is what `mcpctl config` says about a server; nothing in it is secret.
type Description struct {
	Name      string    `json:"name"`
	File      string    `json:"file"`
	Line      int       `json:"line,omitempty"`
	Transport string    `json:"transport,omitempty"` // "stdio", "http" (streamable, falling back to SSE), "streamable-http", "sse"
	Command   []string  `json:"command,omitempty"`   // with variables as written and secret-looking arguments masked
	Dir       string    `json:"cwd,omitempty"`
	Env       []string  `json:"env,omitempty"` // names only, sorted
	URL       string    `json:"url,omitempty"` // without user info, query values masked
	Headers   []string  `json:"headers,omitempty"`
	Timeout   string    `json:"timeout,omitempty"`
	State     string    `json:"state"` // "enabled", "disabled", "refused" (not in allow) or "invalid"
	Problems  []Problem `json:"problems,omitempty"`
}

// Describe tells what would be run or contacted for the entry.
func (e Entry) Describe() Description { return Description{} }
