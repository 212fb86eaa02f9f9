#!/bin/sh
# Runs go test with its arguments. Prints a line for each package, the log of what failed, and every skipped test with
# its reason.
set -u
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
${GO:-go} test -v "$@" >"$log" 2>&1 || status=$?
if [ "$status" -ne 0 ]; then
	grep -a -v -E '^(=== (RUN|PAUSE|CONT)|PASS$| *--- PASS)' "$log"
else
	grep -a -E '^(ok|\?) ' "$log"
fi
awk '
	/^=== (RUN|CONT|NAME) / { name = $3; next }
	/^ +[a-z_0-9]+\.go:[0-9]+: / { text = $0; sub(/^ +[a-z_0-9]+\.go:[0-9]+: */, "", text); reason[name] = text; next }
	/^ *--- SKIP: / { print "skipped: " $3 ": " reason[$3] }
' "$log" | sort -u
exit "$status"
