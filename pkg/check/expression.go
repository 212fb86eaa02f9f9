package check

import (
	"regexp"
	"sync"
)

// lazy is a regular expression that is read when it is used first: a program that checks nothing pays for none.
type lazy = func() *regexp.Regexp

func expression(text string) lazy {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
