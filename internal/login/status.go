package login

import (
	"github.com/mcpctl/mcpctl/internal/seen"
)

// Result is what the commands about logins report.
type Result struct {
	Servers  []Server
	Problems []string // what is wrong but belongs to no server
	Status   int
}

// Server is a server at a URL with its login.
type Server struct {
	seen.Server
	URL   string // secrets masked
	Login seen.LoginStatus
}
