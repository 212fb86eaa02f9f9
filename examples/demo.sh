#!/bin/sh
# Lists, shows and saves the example server, and compares it with its second version. make demo runs it with mcpctl and
# the server in PATH. Everything is written to a temporary directory.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here/mcp.json" "$work/mcp.json"
cd "$work"

bold='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
	bold=$(printf '\033[1m') plain=$(printf '\033[0m')
fi
say() { printf '\n%s$ %s%s\n' "$bold" "$*" "$plain"; }

# mcp.json is found here, not named: its servers start only after they are trusted. On a terminal mcpctl asks.
export XDG_STATE_HOME="$work/state"
say mcpctl trust
mcpctl trust
say mcpctl list
mcpctl list
say mcpctl list tickets
mcpctl list tickets
say mcpctl show tickets list_tickets
mcpctl show tickets list_tickets
say mcpctl snapshot
mcpctl snapshot

printf '\nThe server is now deployed in its second version (TICKETS_SURFACE=2).\n'
export TICKETS_SURFACE=2
say mcpctl diff
status=0
mcpctl diff || status=$?

printf '\nmcpctl diff ended with exit status %d: ' "$status"
if [ "$status" -ne 1 ]; then
	printf 'expected 1, something is wrong.\n'
	exit 1
fi
printf 'findings at or above --fail-on (default: breaking).\nIn CI this is what stops the change. "mcpctl accept FINGERPRINT" lets one change pass, "mcpctl snapshot" all of them.\n'
