#!/bin/sh
# Runs go test with its arguments and shows its progress, see test.awk. Lint vets.
status=$(mktemp)
trap 'rm -f "$status"' EXIT
{
	${GO:-go} test -vet=off -json "$@" 2>&1
	echo $? >"$status"
} | LC_ALL=C awk -f scripts/test.awk
exit "$(cat "$status")"
