#!/bin/sh
# Prints statement coverage for each package of product code by the tests of PACKAGES, else by all of them with the
# scripts of cmd/mcpctl, and fails when one under pkg/ is below the floor. Arguments are more flags of go test.
set -eu
floor=85
${GO:-go} test "$@" -timeout 25m -parallel 4 -coverpkg=./pkg/...,./internal/...,./cmd/... -coverprofile=coverage.out ${PACKAGES:-./...} >coverage.log 2>&1 || {
	grep -a -v '^ok' coverage.log >&2
	exit 1
}
awk -v floor=$floor -f scripts/cover.awk coverage.out
