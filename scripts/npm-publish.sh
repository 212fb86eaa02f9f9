#!/bin/sh
# Publishes the packages that npm.sh packed into $1 as version $2, with further flags for npm publish: first those of the systems,
# then mcpctl, after its dependencies. Published versions are left out, so that a run can be repeated.
# A pre-release is no "latest". NPM_PUBLISH=echo only shows what would be done.
set -eu
folder=$1 version=$2
shift 2
tag=latest
case $version in *-*) tag=next ;; esac
# wanted reports whether a package is still to be published.
wanted() { [ "${NPM_PUBLISH:-}" = echo ] || [ -z "$(npm view "$1@$version" version 2>/dev/null)" ]; }
for file in "$folder"/mcpctl-*-"$version".tgz "$folder/mcpctl-$version.tgz"; do
	[ -e "$file" ] || { echo "npm: $file is not packed" >&2; exit 1; }
	name=$(basename "$file" "-$version.tgz")
	case $name in mcpctl-*) name=@mcpctl/${name#mcpctl-} ;; esac
	if wanted "$name"; then
		${NPM_PUBLISH:-npm publish} --access public --tag "$tag" "$@" "$file"
	else
		echo "npm: $name@$version is published already"
	fi
done
