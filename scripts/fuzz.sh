#!/bin/sh
# Runs each fuzz test of the repository for the duration $1. Goes on after a failure and fails at the end.
set -u
export MCPCTL_FULL=1 # all seeds
failed=
for file in $(grep -rl --include='*_test.go' '^func Fuzz' cmd internal pkg); do
	for name in $(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$file"); do
		echo "fuzz: $name in $(dirname "$file")"
		${GO:-go} test -run '^$' -fuzz "^$name\$" -fuzztime "$1" "./$(dirname "$file")" || failed="$failed $name"
	done
done
test -z "$failed" || { echo "fuzz: failed:$failed" >&2; exit 1; }
