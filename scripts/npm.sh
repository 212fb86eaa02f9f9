#!/bin/sh
# Packs mcpctl for npm: $1 is the version, $2 the folder to write to, every further word PLATFORM=BINARY, such as
# linux-x64=dist/mcpctl; without any, those of a release in dist. The package mcpctl has the others as optional dependencies, of which npm installs the one that fits.
set -eu
here=$(dirname "$0")
version=$1 out=$2
shift 2
mkdir -p "$out"
if [ $# -eq 0 ]; then
	for target in linux_amd64=linux-x64 linux_arm64=linux-arm64 darwin_amd64=darwin-x64 darwin_arm64=darwin-arm64 windows_amd64=win32-x64 windows_arm64=win32-arm64; do
		set -- "$@" "${target#*=}=$(ls -d "$here"/../dist/mcpctl_"${target%%=*}"_*/mcpctl*)"
	done
fi

# package NAME FOLDER, with further members of its package.json on standard input
package() {
	{
		printf '{\n  "name": "%s",\n  "version": "%s",\n' "$1" "$version"
		printf '  "description": "List, compare and check MCP (Model Context Protocol) servers",\n  "license": "Apache-2.0",\n'
		printf '  "repository": {"type": "git", "url": "git+https://github.com/mcpctl/mcpctl.git"},\n'
		cat
		printf '}\n'
	} >"$2/package.json"
	cp "$here/../LICENSE" "$here/../NOTICE" "$2/"
	(cd "$2" && npm pack --silent --pack-destination ..)
}

needs=
for word in "$@"; do
	platform=${word%%=*} binary=${word#*=}
	file=mcpctl
	case $platform in win32-*) file=mcpctl.exe ;; esac
	mkdir -p "$out/$platform"
	cp "$binary" "$out/$platform/$file"
	chmod 755 "$out/$platform/$file"
	printf '  "os": ["%s"],\n  "cpu": ["%s"],\n  "files": ["%s", "NOTICE"]\n' "${platform%-*}" "${platform#*-}" "$file" |
		package "@mcpctl/$platform" "$out/$platform"
	needs="$needs${needs:+, }\"@mcpctl/$platform\": \"$version\""
done
mkdir -p "$out/mcpctl"
cp "$here/npm/mcpctl.js" "$here/../README.md" "$out/mcpctl/"
printf '  "bin": {"mcpctl": "mcpctl.js"},\n  "files": ["mcpctl.js", "NOTICE"],\n  "engines": {"node": ">=18"},\n  "optionalDependencies": {%s}\n' "$needs" |
	package mcpctl "$out/mcpctl"
