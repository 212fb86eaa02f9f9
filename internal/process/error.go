package process

import (
	"regexp"
	"sync"
)

// NamedError matches how lines begin that name an error, after a place in a file or npm's own word at most.
var NamedError = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^[ \t]*(npm (error|ERR!) )?(\S+:\d+:(\d+:)? )?(Uncaught )?` +
		`([\w.]*(Error|Exception)( \[\w+\])?|panic|(?i:fatal|error)): `)
})
