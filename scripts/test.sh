#!/bin/sh
# Runs go test with its arguments and shows its progress, see test.awk. Lint vets.
# Tests live for seconds: to collect garbage a fourth as often saves a fifth of the processor time of pkg/diff and report.
export GOGC="${GOGC:-400}"
status=$(mktemp)
trap 'rm -f "$status"' EXIT
{
	${GO:-go} test -vet=off -json "$@" 2>&1
	echo $? >"$status"
} | LC_ALL=C awk -f scripts/test.awk
exit "$(cat "$status")"
