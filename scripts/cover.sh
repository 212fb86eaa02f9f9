#!/bin/sh
# Runs the tests of pkg/ and internal/ with the race detector, prints the statement coverage of each package of pkg/ and
# fails when one is below the floor. "cover.sh others" lists the packages that it does not test.
set -eu
floor=85
# Packages that only compute need minutes and gigabytes under the race detector: those of pkg/ run without it, those of
# internal/ with "make test". The oracle adds no coverage.
computing='/internal/compare$|/internal/config$|/internal/report$|/internal/wording$|/pkg/check$|/pkg/diff$|/pkg/schema'
packages=$(${GO:-go} list ./... | grep -E '/(pkg|internal)/' | grep -v '/internal/oracle$')
raced=$(echo "$packages" | grep -v -E "$computing")
computing=$(echo "$packages" | grep -E "$computing" | grep /pkg/)
if [ "${1:-}" = others ]; then
	${GO:-go} list ./... | grep -v -x -F "$raced
$computing"
	exit
fi
mkdir -p coverage
run() { sh scripts/test.sh -timeout 9m -parallel 4 "$@"; }
measure() {
	profile=coverage/$1
	shift
	run -covermode=atomic -coverpkg=./pkg/... -coverprofile="$profile" "$@"
}
race=-race
if ! command -v gcc >/dev/null && ! command -v clang >/dev/null; then
	race=
	echo "NOT TESTED: data races: no C compiler is installed" >&2
fi
# shellcheck disable=SC2086,SC2046 # a flag or none, and a package a word
(
	[ -z "$race" ] || export CGO_ENABLED=1
	run $race $(echo "$raced" | grep -v /pkg/)
	measure raced $race $(echo "$raced" | grep /pkg/)
)
# shellcheck disable=SC2086
measure computing $computing
awk -v floor=$floor -f scripts/cover.awk coverage/raced coverage/computing
