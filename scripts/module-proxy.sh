#!/bin/sh
# Writes this commit as a version of the module into $1, a directory of the form of a Go module proxy, and prints the version.
set -eu
out=$1/github.com/mcpctl/mcpctl/@v
mkdir -p "$out"
version=v0.0.0-$(TZ=UTC git log -1 --format=%cd --date=format-local:%Y%m%d%H%M%S)-$(git rev-parse HEAD | cut -c1-12)
echo "$version" >>"$out/list"
git show HEAD:go.mod >"$out/$version.mod"
printf '{"Version": "%s", "Time": "%s"}' "$version" "$(TZ=UTC git log -1 --format=%cd --date=format-local:%Y-%m-%dT%H:%M:%SZ)" >"$out/$version.info"
set --
for nested in $(git ls-tree -r --name-only HEAD | grep '/go\.mod$'); do set -- "$@" ":!${nested%/go.mod}"; done # modules of their own
git archive --format=zip --prefix="github.com/mcpctl/mcpctl@$version/" --output="$out/$version.zip" HEAD . "$@"
echo "$version"
