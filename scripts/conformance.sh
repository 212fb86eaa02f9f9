#!/bin/sh
# Installs the official conformance suites of MCP in the versions of CONFORMANCE from npm into a temporary folder
# (CONFORMANCE_DIR to keep one) and runs their client scenarios against mcpctl. They need a newer Node than some systems have;
# npm has that, too.
set -eu
GO=${GO:-go}
node_version=26.10.0
if ! command -v npm >/dev/null; then
	echo "SKIPPED: the conformance suites: npm is not installed" >&2
	exit 0
fi
if ! npm view "@modelcontextprotocol/conformance@${CONFORMANCE%% *}" version >/dev/null 2>&1; then
	echo "SKIPPED LOUDLY: the conformance suites, since npm cannot be reached from this machine" >&2
	exit 0
fi
dir=${CONFORMANCE_DIR:-$(mktemp -d)}
[ -n "${CONFORMANCE_DIR:-}" ] || trap 'rm -rf "$dir"' EXIT

# Install scripts of strangers are not run.
install() { npm install --prefix "$1" --no-audit --no-fund --ignore-scripts --loglevel=error "$2" >/dev/null; }

if ! node -e 'process.exit(require("fs").globSync ? 0 : 1)'; then
	install "$dir/node" "node-$(node -p 'process.platform + "-" + process.arch')@$node_version"
	PATH="$(dirname "$(find "$dir/node/node_modules" -path '*/bin/node' -type f | head -1)"):$PATH"
fi
MCPCTL_CONFORMANCE=
for version in $CONFORMANCE; do
	install "$dir/$version" "@modelcontextprotocol/conformance@$version"
	MCPCTL_CONFORMANCE="$MCPCTL_CONFORMANCE$version=$dir/$version/node_modules/.bin/conformance
"
done
export MCPCTL_CONFORMANCE PATH
$GO test -tags conformance -count=1 -timeout 10m -run '^TestConformance$' ./cmd/mcpctl "$@"
