#!/bin/sh
# Vets mcpctl for every system and processor it ships for.
set -eu
for target in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64; do
	echo "cross: $target"
	GOOS=${target%/*} GOARCH=${target#*/} CGO_ENABLED=0 ${GO:-go} build -trimpath -o /dev/null ./cmd/mcpctl
done
