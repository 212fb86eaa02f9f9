#!/bin/sh
# Installs the pinned servers of testdata/real/servers.json into a temporary folder (REAL_DIR to keep one) and drives the
# real binary against each of them. Without Node the npm servers are skipped, without the argument "all" the Go servers
# that take minutes to build.
set -eu
GO=${GO:-go}
dir=${REAL_DIR:-$(mktemp -d)}
[ -n "${REAL_DIR:-}" ] || trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/bin"
root=$(pwd)
table=testdata/real/servers.json
sdk=@modelcontextprotocol/sdk@1.32.2 # the client that client.txtar compares with

pins() { sed -n "s/.*\"$1\": \"\([^\"]*\)\".*/\1/p" "$table"; }

$GO build -trimpath -o "$dir/bin/mcpctl" ./cmd/mcpctl
if [ "${1:-}" = all ]; then
	export MCPCTL_REAL_GO=yes
	for module in $(pins go); do
		echo "installing $module"
		GOBIN="$dir/bin" $GO install "$module"
	done
fi
for folder in $(pins module); do
	echo "building the tool of $folder"
	(cd "$folder" && $GO build -o "$dir/bin/$(basename "$folder")" "$($GO list tool)")
done
if command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1; then
	export MCPCTL_REAL_NODE=yes
	echo "installing $(pins npm | wc -l) servers from npm, on Node $(node --version)"
	# Install scripts are not run.
	# shellcheck disable=SC2046
	cp testdata/real/client.mjs "$dir" # where Node finds the SDK
	export MCPCTL_REAL_CLIENT="$dir/client.mjs"
	npm install --prefix "$dir" --no-audit --no-fund --ignore-scripts --loglevel=error $(pins npm) $sdk
else
	echo "SKIPPED: servers from npm: node is not installed" >&2
fi
PATH="$dir/node_modules/.bin:$dir/bin:$PATH" MCPCTL_REAL_BIN="$dir/bin/mcpctl" \
	$GO test -tags real -count=1 -timeout 10m -run '^TestReal' -v "$root/cmd/mcpctl"
