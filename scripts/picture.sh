#!/bin/sh
# Draws what mcpctl says of two releases of a real package: $1 is mcpctl, $2 the SVG that is written. Needs npm and its registry.
set -eu
mcpctl=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
old=npm:@playwright/mcp@0.0.70 new=npm:@playwright/mcp@0.0.83
status=0
(cd "$work" && "$mcpctl" diff --quiet --color always "$old" "$new" >out) || status=$?
test "$status" -eq 1 || {
	echo "picture: mcpctl diff ended with $status, not 1" >&2
	exit 1
}
{
	printf '$ mcpctl diff %s %s\n' "$old" "$new"
	sed -n '1,/causes more/p' "$work/out"
} | awk -f "$(dirname "$0")/picture.awk" >"$work/svg"
mv "$work/svg" "$2"
