#!/bin/sh
# Runs mcpctl, and does not only compile it, for systems that this machine is not: Linux on arm64 under qemu-user, and Windows on
# amd64 under Wine. What cannot be had here is skipped loudly (Debian: qemu-user-static; wine64 and gcc-mingw-w64-x86-64).
set -eu
GO=${GO:-go}
work=$(mktemp -d)
serving=
finish() {
	[ -z "$serving" ] || kill "$serving" 2>/dev/null || true
	if [ -d "$work/prefix" ]; then
		export WINEPREFIX="$work/prefix"
		wineserver -k 2>/dev/null || true
		wineserver -w 2>/dev/null || true
	fi
	rm -rf "$work"
}
trap finish EXIT

fail() {
	echo "systems: $system: $1" >&2
	cat "$work/out" "$work/err" >&2
	exit 1
}

# m STATUS WORD… runs mcpctl of the system, which has to end with that status.
m() {
	want=$1 got=0
	shift
	HOME=$work timeout 300 "$run" "$bin/mcpctl$exe" "$@" >"$work/out" 2>"$work/err" </dev/null || got=$?
	[ "$got" -eq "$want" ] || fail "mcpctl $*: status $got, not $want"
}

says() { tr -d '\r' <"$work/out" | grep -q -- "$1" || fail "\"$1\" is not said"; }

# drive VERSION does what everybody does first, in an empty folder; words in $start make a server of the system run here.
drive() {
	mkdir "$work/here"
	cd "$work/here"
	m 0 version
	says "$1"
	printf '{"tools": [{"name": "a", "inputSchema": {"type": "object"}}]}' >old.json
	printf '{"tools": []}' >new.json
	m 1 diff old.json new.json
	says 'was removed'
	m 0 list "http://$address/mcp"
	says close_ticket
	# shellcheck disable=SC2086
	set -- $start "$bin/tickets$exe"
	m 0 list -- "$@"
	says close_ticket
	m 0 snapshot -- "$@"
	says created
	m 0 diff -- "$@"
	says 'no changes'
	m 1 diff -- "$@" -surface 2
	says create_ticket
	m 0 watch --for 15s --interval 2s --journal events.jsonl -- "$@"
	[ -s events.jsonl ] || fail "nothing was written into the journal"
	[ -z "$(find . -name '*.tmp*')" ] || fail "something temporary was left: $(find . -name '*.tmp*')"
	cd "$root"
	rm -rf "$work/here"
	echo "systems: $system: version, diff, list over HTTP and stdio, snapshot and watch with a journal work"
}

# build GOOS GOARCH
build() {
	bin=$work/$1-$2
	mkdir "$bin"
	for program in mcpctl=./cmd/mcpctl tickets=./examples/tickets; do
		CGO_ENABLED=0 GOOS=$1 GOARCH=$2 $GO build -trimpath -o "$bin/${program%%=*}$exe" "${program#*=}"
	done
}

root=$(pwd)
address=127.0.0.1:$((20000 + $$ % 20000))
$GO build -trimpath -o "$work/tickets" ./examples/tickets
export MCPCTL_FORMAT=table CI=true
"$work/tickets" -listen "$address" 2>/dev/null &
serving=$!

system="linux/arm64 under qemu" exe=''
if emulator=$(command -v qemu-aarch64-static || command -v qemu-aarch64); then
	build linux arm64
	run=$emulator start=$emulator
	drive linux/arm64
else
	echo "SKIPPED LOUDLY: $system: qemu-aarch64 is not installed (Debian: qemu-user-static)" >&2
fi

system="windows/amd64 under Wine" exe=.exe
wine=$(command -v wine64 || command -v wine || ls /usr/lib/wine/wine64 2>/dev/null || true)
if [ -n "$wine" ] && command -v x86_64-w64-mingw32-gcc >/dev/null; then
	build windows amd64
	export WINEPREFIX="$work/prefix" WINEDEBUG=-all
	HOME=$work timeout 300 "$wine" wineboot --init >/dev/null 2>&1
	# Go takes its random numbers from ProcessPrng of bcryptprimitives.dll, which Wine 8 lacks.
	library=$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll
	if [ ! -e "$library" ]; then
		printf '%s\n' '#include <windows.h>' 'BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);' \
			'__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE to, SIZE_T n) { return SystemFunction036(to, (ULONG)n); }' >"$work/prng.c"
		x86_64-w64-mingw32-gcc -shared -o "$library" "$work/prng.c" -ladvapi32
	fi
	run=$wine start=
	drive windows/amd64
else
	echo "SKIPPED LOUDLY: $system: Wine or mingw is not installed (Debian: wine64 gcc-mingw-w64-x86-64)" >&2
fi
