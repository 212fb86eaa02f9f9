package config

// Place is where an application has a server.
type Place struct {
	App   string `json:"application"` // as people call it
	ID    string `json:"id"`          // of the application, as names have it
	Scope string `json:"scope"`       // "user", "project", "managed", …
	File  string `json:"file"`
	Line  int    `json:"line"`
	Name  string `json:"name,omitempty"`  // what the server is called there, if not as here
	State string `json:"state,omitempty"` // "disabled", "overridden" = the application uses another definition; empty = in use
}
