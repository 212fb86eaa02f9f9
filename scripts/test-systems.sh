#!/bin/sh
# Runs mcpctl, and does not only compile it, for systems that this machine is not: Linux on arm64 under qemu-user, and Windows on
# amd64 under Wine; and where others run it: the action and the workflow of init under nektos/act ($1 is its module), the hook under
# pre-commit. What cannot be had here is skipped loudly (Debian: qemu-user-static; wine64 and gcc-mingw-w64-x86-64; pre-commit).
set -eu
GO=${GO:-go}
act=${1:-}
work=$(mktemp -d)
serving=
finish() {
	[ -z "$serving" ] || kill "$serving" 2>/dev/null || true
	if [ -d "$work/prefix" ]; then
		export WINEPREFIX="$work/prefix"
		wineserver -k 2>/dev/null || true
		wineserver -w 2>/dev/null || true
	fi
	chmod -R u+w "$work" 2>/dev/null || true # what Go has fetched is read-only
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
	m 0 watch --for 15s --interval 2s --state seen -- "$@"
	ls seen/*.json >/dev/null || fail "the state directory is empty"
	[ -z "$(find . -name '*.tmp*')" ] || fail "something temporary was left: $(find . -name '*.tmp*')"
	cd "$root"
	rm -rf "$work/here"
	echo "systems: $system: version, diff, list over HTTP and stdio, snapshot and watch with a state directory work"
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

# A clone of this tree to fetch from, and a project with a server and its snapshot.
clone=$work/clone project="$work/a project"
git clone -q "$root" "$clone"
commit=$(git -C "$clone" rev-parse HEAD)
$GO build -trimpath -o "$work/mcpctl" ./cmd/mcpctl
git init -q -b main "$project"
cd "$project"
HOME=$work "$work/mcpctl" init --yes --quiet --ci github -- "$work/tickets" >"$work/out" 2>"$work/err"
save() { git add -A && git -c user.name=a -c user.email=a@example.com -c commit.gpgsign=false commit -qm "$1"; }
save 'What init wrote'
modules=$($GO env GOMODCACHE) cache=$($GO env GOCACHE)

# runs STATUS WORD… runs a command, which has to end with that status.
runs() {
	want=$1 got=0
	shift
	env HOME="$work" GOMODCACHE="$modules" GOCACHE="$cache" PRE_COMMIT_HOME="$work/hooks" timeout 900 "$@" >"$work/out" 2>"$work/err" </dev/null || got=$?
	[ "$got" -eq "$want" ] || fail "$*: status $got, not $want"
}

system="the action under act"
if [ -n "$act" ] && GOBIN=$work $GO install "$act" 2>"$work/err"; then
	mkdir "$work/stub"
	printf 'name: stub\nruns:\n  using: composite\n  steps: [{shell: bash, run: "true"}]\n' >"$work/stub/action.yml"
	# GitHub's own actions cannot be downloaded: checkout has its files already, and Go is installed.
	stubs=$(sed -n 's/.*uses: \(actions\/[^ ]*\).*/\1/p' "$clone/.github/workflows/ci.yml" "$clone/action.yml" .github/workflows/mcpctl.yml | sort -u)
	# on EVENT JOB FILE runs a job on this machine itself.
	on() {
		want=$1 event=$2 job=$3 file=$4
		set -- --local-repository "$(sed -n 's/.*uses: \(mcpctl\/mcpctl@[^ ]*\).*/\1/p' "$project/.github/workflows/mcpctl.yml" | sort -u)=$clone"
		for stub in $stubs; do set -- "$@" --local-repository "$stub=$work/stub"; done
		runs "$want" "$work/act" "$event" -j "$job" -W "$file" -P ubuntu-latest=-self-hosted --container-daemon-socket - "$@"
	}
	cd "$clone"
	on 0 push action .github/workflows/ci.yml
	says 'Job succeeded'
	cd "$project"
	on 0 pull_request mcpctl .github/workflows/mcpctl.yml
	says 'no changes'
	sed -i 's/"command":"[^"]*tickets"/&,"args":["-surface","2"]/' mcpctl.yaml
	grep -q surface mcpctl.yaml || fail "mcpctl.yaml has no command to change: $(cat mcpctl.yaml)"
	on 1 pull_request mcpctl .github/workflows/mcpctl.yml
	says 'close_ticket'
	git checkout -q mcpctl.yaml
	echo "systems: $system: the job of this repository, and the workflow that init writes, pass and fail as they should"

	# A build that knows only its version, as go install MODULE@VERSION makes it: the workflow installs that version.
	system="the workflow of an installed version under act"
	version=$(cd "$clone" && sh scripts/module-proxy.sh "$work/proxy")
	mkdir "$work/installed project" "$work/gobin"
	GOPROXY="file://$work/proxy,file://$modules/cache/download" GONOSUMDB='*' GOMODCACHE=$work/modules GOBIN=$work/gobin \
		$GO install "github.com/mcpctl/mcpctl/cmd/mcpctl@$version" 2>"$work/err" || fail "go install"
	cd "$work/installed project"
	git init -q -b main .
	HOME=$work "$work/gobin/mcpctl" init --yes --quiet --ci github -- "$work/tickets" >"$work/out" 2>"$work/err" || fail "init: status $?"
	save 'What init wrote'
	rm "$work/gobin/mcpctl"
	installed() {
		want=$1
		set --
		for stub in $(sed -n 's/.*uses: \(actions\/[^ ]*\).*/\1/p' .github/workflows/mcpctl.yml | sort -u); do set -- "$@" --local-repository "$stub=$work/stub"; done
		runs "$want" env GOPROXY="file://$work/proxy,file://$modules/cache/download" GONOSUMDB='*' GOMODCACHE="$work/modules" GOBIN="$work/gobin" \
			PATH="$work/gobin:$PATH" "$work/act" pull_request -W .github/workflows/mcpctl.yml -P ubuntu-latest=-self-hosted --container-daemon-socket - "$@"
	}
	installed 0
	says 'no changes'
	sed -i 's/"command":"[^"]*tickets"/&,"args":["-surface","2"]/' mcpctl.yaml
	installed 1
	says 'close_ticket'
	echo "systems: $system: it installs $version, passes, and fails after a break"

	# The nightly workflow of docs/ci.md for servers that other people publish: an issue for changes, and the job fails only if
	# a server cannot be read. Its gh writes down what it is asked.
	system="the nightly workflow of docs/ci.md under act"
	mkdir -p "$work/vendors project/.github/workflows" "$work/gh"
	cd "$work/vendors project"
	git init -q -b main .
	awk '$0 == "```" { if (text ~ /^name: mcp-vendors/) printf "%s", text; inside = 0 }
		inside { text = text $0 "\n" }
		$0 == "```yaml" { inside = 1; text = "" }' "$clone/docs/ci.md" >.github/workflows/mcpctl.yml
	printf '#!/bin/sh\n[ "$1" != auth ] || exit 1 # that is act\necho "$@" >>"%s"\n' "$work/asked" >"$work/gh/gh"
	chmod 755 "$work/gh/gh"
	vendor() { printf 'servers: {tickets: {command: "%s", args: ["-surface", "%s"]}}\n' "$1" "$2" >vendors.yaml; }
	vendor "$work/tickets" 1
	HOME=$work "$work/mcpctl" snapshot --config vendors.yaml >"$work/out" 2>"$work/err" || fail "snapshot: status $?"
	save 'Servers of others'
	mine=$project project=$PWD path=$PATH
	PATH=$work/gh:$PATH
	on 0 schedule vendors .github/workflows/mcpctl.yml
	says 'no changes'
	[ ! -e "$work/asked" ] || fail "gh was asked: $(cat "$work/asked")"
	vendor "$work/tickets" 2
	on 0 schedule vendors .github/workflows/mcpctl.yml
	says 'close_ticket'
	grep -q '^issue create --label mcp-vendors .*--body-file /' "$work/asked" || fail "gh was asked: $(cat "$work/asked")"
	vendor "$work/nothing" 1
	on 1 schedule vendors .github/workflows/mcpctl.yml
	[ "$(grep -c '^issue create' "$work/asked")" -eq 1 ] || fail "gh was asked: $(cat "$work/asked")"
	project=$mine PATH=$path
	echo "systems: $system: nothing, an issue for a change, and a failure for a server that does not start"

	# Authors' projects whose programs git ignores: init writes the workflow, and a clean clone runs it.
	# author LANGUAGE runs that for the project in the current directory.
	author() {
		system="the workflow of init for a $1 server under act"
		save 'A server'
		HOME=$work "$work/mcpctl" init --yes --quiet --ci github -- $2 >"$work/out" 2>"$work/err" || fail "init: status $?"
		save 'What init wrote'
		mine=$project project=$work/clean-$1
		git clone -q . "$project"
		stubs=$(sed -n 's/.*uses: \(actions\/[^ ]*\).*/\1/p' "$clone/action.yml" .github/workflows/mcpctl.yml | sort -u)
		cd "$project"
		on 0 pull_request mcpctl .github/workflows/mcpctl.yml
		says 'no changes'
		sed -i "$3" "$4"
		! git diff --quiet || fail "nothing changed in $4"
		git clean -q -d -x -f
		on 1 pull_request mcpctl .github/workflows/mcpctl.yml
		says "$5"
		project=$mine
		echo "systems: $system: a clean clone passes, and fails after a break"
	}
	mkdir "$work/author-go"
	cd "$work/author-go"
	git init -q -b main .
	cp "$clone/examples/tickets/"*.go "$clone/examples/tickets/"*.json "$clone/go.sum" .
	sed "s|^module .*|module example.com/tickets|" "$clone/go.mod" >go.mod
	echo bin >.gitignore
	GOMODCACHE=$modules GOCACHE=$cache $GO build -o bin/tickets .
	author Go bin/tickets 's/"1", "which/"2", "which/' main.go '.close_ticket. was removed'
	if command -v npm >/dev/null; then
		mkdir -p "$work/author-typescript/src"
		cd "$work/author-typescript"
		git init -q -b main .
		printf 'dist\nnode_modules\n' >.gitignore
		cat >package.json <<-'END'
			{"name": "notes-mcp", "version": "1.0.0", "type": "module", "scripts": {"build": "tsc"},
			 "dependencies": {"@modelcontextprotocol/sdk": "1.25.1", "zod": "3.25.76"},
			 "devDependencies": {"typescript": "5.9.3", "@types/node": "22.19.0"}}
		END
		echo '{"compilerOptions": {"module": "nodenext", "target": "es2022", "outDir": "dist", "skipLibCheck": true}, "include": ["src"]}' >tsconfig.json
		cat >src/index.ts <<-'END'
			import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
			import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
			import { z } from "zod";

			const server = new McpServer({ name: "notes-mcp", version: "1.0.0" });
			server.registerTool("find_notes", {
			  title: "Find notes",
			  description: "Finds notes that contain a text.",
			  inputSchema: { text: z.string().describe("the text to look for"), limit: z.number().optional().describe("how many notes at most") },
			  annotations: { readOnlyHint: true },
			}, async ({ text }) => ({ content: [{ type: "text" as const, text }] }));
			await server.connect(new StdioServerTransport());
		END
		npm install --silent --no-fund --no-audit >"$work/out" 2>"$work/err" || fail "npm install"
		npm run build >"$work/out" 2>"$work/err" || fail "npm run build"
		author TypeScript 'node dist/index.js' 's/z.number().optional()/z.number()/' src/index.ts 'limit'
	else
		echo "SKIPPED LOUDLY: the workflow of init for a TypeScript server: npm is not installed" >&2
	fi

	# A fleet in four shards whose reports are merged: two directories replace GitHub's artifacts, npx is mcpctl.
	system="examples/fleet/github.yml under act"
	mkdir -p "$work/fleet/.github/workflows" "$work/upload" "$work/download" "$work/artifacts" "$work/npx"
	cd "$work/fleet"
	git init -q -b main .
	cp "$clone/examples/fleet/github.yml" .github/workflows/fleet.yml
	{
		printf 'budgets: {tools: 10}\nservers:\n'
		for i in 1 2 3 4 5 6; do printf '  s%s: {command: %s}\n' "$i" "$work/tickets"; done
	} >mcpctl.yaml
	save 'A fleet'
	printf 'name: u\ninputs: {name: {}, path: {}}\nruns: {using: composite, steps: [{shell: bash, run: "cp ${{ inputs.path }} %s"}]}\n' "$work/artifacts" >"$work/upload/action.yml"
	printf 'name: d\ninputs: {path: {}, merge-multiple: {}}\nruns: {using: composite, steps: [{shell: bash, run: "mkdir ${{ inputs.path }} && cp %s/* ${{ inputs.path }}"}]}\n' "$work/artifacts" >"$work/download/action.yml"
	printf '#!/bin/sh\nshift\nexec "%s" "$@"\n' "$work/mcpctl" >"$work/npx/npx"
	chmod 755 "$work/npx/npx"
	set --
	for stub in $(sed -n 's/.*uses: \(actions\/[^ ]*\).*/\1/p' .github/workflows/fleet.yml); do
		folder=${stub#actions/} folder=${folder%%[-@]*}
		[ -d "$work/$folder" ] || folder=stub
		set -- "$@" --local-repository "$stub=$work/$folder"
	done
	fleet() { runs 1 env PATH="$work/npx:$PATH" "$work/act" schedule -W .github/workflows/fleet.yml -P ubuntu-latest=-self-hosted --container-daemon-socket - "$@"; }
	fleet "$@"
	[ "$(ls "$work/artifacts" | tr '\n' ' ')" = 'shard-1.json shard-2.json shard-3.json shard-4.json ' ] || fail "the shards left $(ls "$work/artifacts")"
	says 'The servers have 18 tools'
	rm "$work"/artifacts/*
	sed -i '2s/^/[ "$6" != 2\/4 ] || exit 9\n/' "$work/npx/npx" # the second shard dies
	fleet "$@"
	says 'missing shards: 2 of 4'
	echo "systems: $system: four shards, their merged report, and the missing shard"
else
	echo "SKIPPED LOUDLY: $system: act cannot be installed: $(tail -n 1 "$work/err")" >&2
fi

system="the npm wrapper"
if command -v npm >/dev/null; then
	case $(uname -m) in x86_64) platform=linux-x64 ;; *) platform=linux-arm64 ;; esac
	sh "$clone/scripts/npm.sh" 1.2.3 "$work/npm packages" "$platform=$work/mcpctl" >/dev/null
	mkdir "$work/npm project"
	cd "$work/npm project"
	runs 0 npm install --silent --no-fund --no-audit --offline "$work/npm packages/"*.tgz
	runs 0 npx --offline mcpctl list -- "$work/tickets"
	says 'close_ticket'
	echo "systems: $system: installed from npm pack, it runs"
else
	echo "SKIPPED LOUDLY: $system: npm is not installed" >&2
fi

system="the hook under pre-commit"
if command -v pre-commit >/dev/null; then
	cd "$project"
	printf 'repos: [{repo: "%s", rev: %s, hooks: [{id: mcpctl-diff, args: [--config, mcpctl.yaml]}]}]\n' "$clone" "$commit" >.pre-commit-config.yaml
	save 'A hook'
	runs 0 pre-commit run --all-files
	says 'Passed'
	sed -i 's/"command":"[^"]*tickets"/&,"args":["-surface","2"]/' mcpctl.yaml
	save 'Another surface'
	runs 1 pre-commit run --all-files
	says 'close_ticket'
	echo "systems: $system: it passes while nothing changed, and fails with what did"
else
	echo "SKIPPED LOUDLY: $system: pre-commit is not installed (Debian: pre-commit)" >&2
fi
