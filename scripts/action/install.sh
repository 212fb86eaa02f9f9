#!/usr/bin/env bash
# Puts mcpctl into the PATH of the steps that follow: the released VERSION, else the release that ACTION_REF names (v1.2.3, or v1 for
# its newest), held against its checksum and, where the gh command has a token to ask with, against the attestation of the workflow
# that built it; else this commit, built with Go. MCPCTL_RELEASES is where releases are, for mirrors; MCPCTL_LATEST leads to the newest.
set -euo pipefail

folder=$RUNNER_TEMP/mcpctl-bin
mkdir -p "$folder"
echo "$folder" >> "$GITHUB_PATH"
if [ -x "$folder/mcpctl" ]; then exit; fi # an earlier step of the job

case $VERSION,${ACTION_REF:-} in
  ,v[0-9]*.[0-9]*.[0-9]*) VERSION=$ACTION_REF ;;
  ,v[0-9]*)
    newest=$(curl --silent --show-error --max-time 30 --output /dev/null --write-out '%{redirect_url}' "${MCPCTL_LATEST:-https://github.com/mcpctl/mcpctl/releases/latest}" || true)
    case ${newest##*/} in
      "$ACTION_REF".*) VERSION=${newest##*/} ;;
      *) echo "::notice::the newest release of mcpctl is none of $ACTION_REF: this commit of the action is built with Go" ;;
    esac ;;
esac
if [ -z "$VERSION" ]; then
  cd "$GITHUB_ACTION_PATH"
  go build -trimpath -ldflags '-s -w' -o "$folder/" ./cmd/mcpctl
  exit
fi

number=${VERSION#v}
case $RUNNER_OS in
  Linux) system=linux ;;
  macOS) system=darwin ;;
  Windows) system=windows ;;
  *) echo "::error::mcpctl is not released for $RUNNER_OS: leave version out, and it is built" ; exit 2 ;;
esac
case $RUNNER_ARCH in
  X64) processor=amd64 ;;
  ARM64) processor=arm64 ;;
  *) echo "::error::mcpctl is not released for $RUNNER_ARCH: leave version out, and it is built" ; exit 2 ;;
esac

kind=tar.gz
[ "$system" != windows ] || kind=zip
file=mcpctl_${number}_${system}_${processor}.$kind
releases=${MCPCTL_RELEASES:-https://github.com/mcpctl/mcpctl/releases/download}
cd "$(mktemp -d "$RUNNER_TEMP/mcpctl.XXXXXX")"
fetch() { curl --fail --silent --show-error --location --proto '=https,file' --retry 3 --remote-name "$releases/v$number/$1"; }
if ! fetch "$file" || ! fetch checksums.txt; then
  echo "::error::no release $VERSION of mcpctl for $system/$processor at $releases"
  exit 2
fi

# The list must name the file exactly once: an empty list would agree with anything.
awk -v file="$file" '$2 == file || $2 == "*" file' checksums.txt > wanted.txt
if [ "$(wc -l < wanted.txt)" -ne 1 ]; then
  echo "::error::checksums.txt of mcpctl $VERSION does not name $file once"
  exit 2
fi
if command -v sha256sum > sum.path; then check=(sha256sum --check); else check=(shasum -a 256 --check); fi
if ! "${check[@]}" wanted.txt; then
  echo "::error::$file is not the file that was released: its checksum differs"
  exit 2
fi

# The checksums lie beside the archive, so they show that it arrived whole, not who made it. The attestation shows that.
if command -v gh > gh.path && [ -n "${GH_TOKEN:-}" ]; then
  # With the tag: an older release under the name of this one is not it.
  if ! gh attestation verify "$file" --repo mcpctl/mcpctl --cert-identity "https://github.com/mcpctl/mcpctl/.github/workflows/release.yml@refs/tags/v$number"; then
    echo "::error::$file was not built by the release workflow of mcpctl from the tag v$number: its attestation does not verify"
    exit 2
  fi
  echo "mcpctl $VERSION: checksum and build attestation verified"
else
  echo "mcpctl $VERSION: checksum verified; its build attestation was not: gh and GH_TOKEN are needed"
fi
case $kind in
  zip) unzip -q -o "$file" -d "$folder" ;; # which Git for Windows brings
  *) tar -xzf "$file" -C "$folder" ;;
esac
