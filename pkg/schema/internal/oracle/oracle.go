// Package oracle judges the engine of pkg/schema from outside: by labelled pairs that others wrote, and by random
// pairs whose verdicts an independent validator tries to disprove. It holds tests only.
package oracle
