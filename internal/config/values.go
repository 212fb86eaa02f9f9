package config

import (
	"cmp"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// Client is how to log in to a server, as configured. The zero value is enough for servers that follow the
// specification.
type Client struct {
	ID            string       // of a client that was registered before; empty = register, or Document
	Secret        probe.Secret // its secret; empty = it has none
	Scopes        []string     // asked for instead of those that the server names
	Metadata      string       // URL of the authorization server's metadata, instead of what the server names
	Authorize     string       // authorization endpoint, instead of the metadata's; with TokenEndpoint
	TokenEndpoint string       // token endpoint, instead of the metadata's
	Redirect      string       // redirect URI of the registered client; empty = any port of 127.0.0.1
	Document      string       // URL of a Client ID Metadata Document that stands for this client
	Machine       bool         // the client gets its tokens without a person, by client_credentials
	Refresh       probe.Secret // a refresh token from elsewhere, for runs without a person
	Never         bool         // no token is ever sent
	// hosts of the above that the user did not name: they must have public addresses
	Doubted []string
}

// Grants are what a server may do in the sandbox besides what all may.
type Grants struct {
	Network []string // hosts that it needs; bubblewrap knows none, so any of them opens the whole network
	Write   []string // directories that it may write to, absolute
}

// Budgets are limits on what servers offer; 0 = none.
type Budgets struct {
	Tokens, Tools             int // of all servers together
	ServerTokens, ServerTools int // of each server
	ToolTokens                int // of each tool
	ItemBytes                 int // of each tool, prompt, resource and template, as JSON without blanks
	TextCharacters            int // of each text that a server wrote for a reader
}

// Place is where an application has a server.
type Place struct {
	Application string // as people call it
	ID          string // of the application, as names of servers have it
	Scope       string // "user", "project", "managed", …
	File        string // as shown to people
	Line        int    // 1-based
	Name        string // what the server is called there, if not as its entry
	State       string // "disabled", "overridden" by another definition of the application, or "" in use
}

// File is a file of an application that discovery looked at.
type File struct {
	Application string
	Scope       string
	Path        string
	State       string // "read", "broken", "overruled" (an administrator's file decides alone) or "absent"
	Servers     int
	Problem     string // why it could not be read, with its line
}

// Description is what an entry starts or contacts, for people: variables as written, only the names of
// environment variables and headers, secrets masked.
type Description struct {
	Transport string // "stdio", "http" or "sse"
	Command   []string
	Dir       string
	Env       []string
	URL       string
	Headers   []string
	Helper    string // command that gives headers
}

// Describe returns the description of an entry.
func (e Entry) Describe() Description {
	var d Description
	if s := e.Server.Stdio; s != nil {
		d.Transport, d.Env = "stdio", kit.SortedKeys(s.Env)
		d.Dir = redact.MaskTokens(cmp.Or(e.dir, s.Dir))
		for _, word := range redact.MaskArgs(e.words()) {
			d.Command = append(d.Command, redact.MaskTokens(word))
		}
	}
	if h := e.Server.HTTP; h != nil {
		d.Transport, d.Headers = string(h.Kind), kit.SortedKeys(h.Headers)
		if h.Kind == probe.AutoHTTP {
			d.Transport = "http"
		}
		if h.Helper != nil {
			d.Helper = redact.MaskTokens(redact.MaskLine(h.Helper.Command))
		}
		d.URL = redact.MaskTokens(redact.MaskURL(e.address()))
	}
	return d
}
