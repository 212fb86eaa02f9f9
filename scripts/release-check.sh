#!/bin/sh
# Validates .goreleaser.yaml, builds a release without publishing it and checks its archives: $1 is GoReleaser's module,
# the other arguments are the processors to build for. Reports each step that this machine cannot run.
set -eu
GO=${GO:-go}
bin=$PWD/bin
GOBIN=$bin $GO install "$1"
"$bin/goreleaser" check
shift
processors=$*
config=$bin/goreleaser.yaml
sed "s/goarch: \[.*\]/goarch: [$(echo "$processors" | tr ' ' ',')]/" .goreleaser.yaml >"$config"

skip=
leave_out() {
	echo "SKIPPED: release: $1: $2" >&2
	skip=$skip${skip:+,}$1
}
if [ "$processors" != "amd64 arm64" ]; then
	leave_out docker "the image is that of both processors"
elif ! { docker buildx version && docker info; } >/dev/null 2>&1; then
	leave_out docker "no docker engine with buildx answers here"
fi
command -v syft >/dev/null 2>&1 || leave_out sbom "syft is not installed (https://github.com/anchore/syft)"
leave_out sign "the signature is that of the release workflow, which alone has its identity"
"$bin/goreleaser" release --config "$config" --snapshot --clean ${skip:+--skip="$skip"}

wrong() {
	echo "release: $1" >&2
	exit 1
}
cd dist
version=$(sed -n 's/.*"version": *"\([^"]*\)".*/\1/p' metadata.json)
test -n "$version" || wrong "metadata.json names no version"
sums=sha256sum
command -v $sums >/dev/null 2>&1 || sums="shasum -a 256"
$sums --check --quiet checksums.txt
targets=
for system in linux darwin windows; do
	for processor in $processors; do targets="$targets ${system}_$processor"; done
done
for target in $targets; do
	archive=mcpctl_${version}_$target.tar.gz list="tar -tzf" # the name that scripts/action/install.sh downloads
	case $target in windows_*) archive=mcpctl_${version}_$target.zip list="unzip -Z1" ;; esac
	grep -q "  $archive\$" checksums.txt || wrong "checksums.txt does not name $archive"
	command -v "${list%% *}" >/dev/null || { echo "SKIPPED: release: ${list%% *} is not installed, $archive is not checked" >&2; continue; }
	$list "$archive" | grep -Eq '^mcpctl(\.exe)?$' || wrong "$archive holds no mcpctl"
	$list "$archive" | grep -qx 'mcpctl.1' || wrong "$archive holds no manual"
	case $skip in
	*sbom*) ;;
	*) test -s "$archive.sbom.json" || wrong "missing SBOM of $archive" ;;
	esac
done
test -s homebrew/Casks/mcpctl.rb || wrong "missing Homebrew cask"

# The same binaries as packages of npm, for npx mcpctl.
if command -v npm >/dev/null 2>&1; then
	set -- # with both processors, the binaries that npm.sh finds itself
	if [ "$processors" = amd64 ]; then
		set -- linux-x64="$(ls mcpctl_linux_amd64_*/mcpctl)" darwin-x64="$(ls mcpctl_darwin_amd64_*/mcpctl)" \
			win32-x64="$(ls mcpctl_windows_amd64_*/mcpctl.exe)"
	fi
	sh ../scripts/npm.sh "$version" npm "$@" >/dev/null
	test "$(ls npm/*.tgz | wc -l)" -eq "$(($(echo "$targets" | wc -w) + 1))" || wrong "npm lacks a package"
	NPM_PUBLISH=echo sh ../scripts/npm-publish.sh npm "$version" | tail -n 1 | grep -q " npm/mcpctl-$version.tgz\$" || wrong "mcpctl itself is not the last to be published to npm"
else
	echo "SKIPPED: release: npm is not installed" >&2
fi

# The binary for this machine prints its version, and a second build has the same bytes.
host=$($GO env GOOS)_$($GO env GOARCH)
released=$(ls -d mcpctl_"$host"_*/mcpctl*)
"./$released" version | grep -qF "mcpctl $version " || wrong "$released does not say that it is $version"
cd ..
CGO_ENABLED=0 $GO build -trimpath -ldflags "-s -w -X main.buildVersion=$version" -o bin/mcpctl-again ./cmd/mcpctl
cmp bin/mcpctl-again "dist/$released" || wrong "the binary cannot be built again"
size=$(($(wc -c <bin/mcpctl-again)))
test "$size" -le 30000000 || wrong "the binary has $size bytes, more than 30,000,000"
rm bin/mcpctl-again
echo "release: $version is whole: $(ls dist/*.tar.gz dist/*.zip | wc -l) archives"
