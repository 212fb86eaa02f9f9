#!/bin/sh
# Draws the pages of the HTML report in a real browser. With CI set and as root, a missing one is installed where apt is.
set -eu
GO=${GO:-go}
browser() { command -v chromium || command -v chromium-browser || command -v google-chrome; }
if ! browser >/dev/null && [ -n "${CI:-}" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null || true
fi
if ! browser >/dev/null; then
	echo "SKIPPED LOUDLY: the pages in a browser, since neither Chromium nor Chrome is on this machine" >&2
	exit 0
fi
if [ -n "${MCPCTL_SCREENSHOTS:-}" ]; then
	mkdir -p "$MCPCTL_SCREENSHOTS"
fi
$GO test -tags browser -count=1 -timeout 5m -run '^TestBrowser' ./internal/report
