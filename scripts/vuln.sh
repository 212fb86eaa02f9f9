#!/bin/sh
# Runs govulncheck ($1), and reports it as skipped if its database cannot be reached.
set -u
log=$(mktemp)
trap 'rm -f "$log"' EXIT
${GO:-go} run "$1" ./... >"$log" 2>&1
status=$?
cat "$log"
if [ $status -ne 0 ] && grep -Eq 'fetching vulnerabilities|vuln\.go\.dev' "$log"; then
	echo "SKIPPED: govulncheck: the vulnerability database cannot be reached from here" >&2
	exit 0
fi
exit $status
