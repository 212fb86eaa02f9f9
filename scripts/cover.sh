#!/bin/sh
# Prints statement coverage for each package of product code, the scripts of cmd/mcpctl counted in, and fails when one
# under pkg/ is below the floor.
set -eu
floor=85
${GO:-go} test -coverpkg=./pkg/...,./internal/...,./cmd/... -coverprofile=coverage.out ./... >/dev/null
awk -v floor=$floor -f scripts/cover.awk coverage.out
