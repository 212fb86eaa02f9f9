#!/bin/sh
# Compares what unions with a tag and many tools cost with an earlier commit: bench-cost.sh [COMMIT [RUNS]].
# Prints the least processor time of each build in seconds, less its start, and the ratio.
set -eu
commit=${1:-f898c46c} runs=${2:-5}
work=$(mktemp -d)
trap 'git worktree remove --force "$work/tree" 2>/dev/null || true; rm -rf "$work"' EXIT
git worktree add --quiet --detach "$work/tree" "$commit"
GOCACHE=$(go env GOCACHE) GOMODCACHE=$(go env GOMODCACHE)
export GOCACHE GOMODCACHE CGO_ENABLED=0 GOFLAGS=-trimpath HOME="$work"
(cd "$work/tree" && go build -o "$work/old" ./cmd/mcpctl)
go build -o "$work/new" ./cmd/mcpctl

# union N LESS EVERY: N alternatives told apart by a constant; one or all of them have a lower bound.
union() {
	awk -v n="$1" -v less="$2" -v every="$3" 'BEGIN {
		printf "{\"tools\":[{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"x\":{\"anyOf\":["
		for (i = 0; i < n; i++)
			printf "%s{\"type\":\"object\",\"properties\":{\"kind\":{\"const\":\"k%d\"},\"v%d\":{\"type\":\"string\"," \
				"\"maxLength\":%d}},\"required\":[\"kind\",\"v%d\"]}", i ? "," : "", i, i,
				10 + i - (every || i == 3 ? less : 0), i
		print "]}}}}]}" }'
}
# tools N LIMIT TYPE: N tools with two arguments.
tools() {
	awk -v n="$1" -v limit="$2" -v type="$3" 'BEGIN {
		printf "{\"tools\":["
		for (i = 0; i < n; i++)
			printf "%s{\"name\":\"t%d\",\"description\":\"A tool.\",\"inputSchema\":{\"type\":\"object\",\"properties\":" \
				"{\"a\":{\"type\":\"string\",\"maxLength\":%d},\"b\":{\"type\":\"%s\"}}}}", i ? "," : "", i, limit, type
		print "]}" }'
}
union 16 0 1 >"$work/all16.old.json" && union 16 1 1 >"$work/all16.new.json"
union 40 0 0 >"$work/one40.old.json" && union 40 1 0 >"$work/one40.new.json"
tools 4000 10 integer >"$work/tools4000.old.json" && tools 4000 9 string >"$work/tools4000.new.json"

# cpu COMMAND...: the processor time of the least of some runs, in seconds.
cpu() {
	least=
	for _ in $(seq "$runs"); do
		spent=$( (times_of "$@") 2>&1)
		least=$(printf '%s\n%s\n' "$least" "$spent" | grep . | sort -n | head -1)
	done
	echo "$least"
}
times_of() {
	"$@" >/dev/null 2>&1 || true
	times >"$work/times"
	awk 'NR == 2 { split($0, t, /[ms ]+/); print t[1] * 60 + t[2] + t[3] * 60 + t[4] }' "$work/times" >&2
}
old=$(cpu "$work/old" version) new=$(cpu "$work/new" version)
echo "start      $old $new"
for name in all16 one40 tools4000; do
	a=$(cpu "$work/old" diff --format json "$work/$name.old.json" "$work/$name.new.json")
	b=$(cpu "$work/new" diff --format json "$work/$name.old.json" "$work/$name.new.json")
	echo "$name $a $b $old $new" | awk '{ printf "%-10s %.2f %.2f %.2f\n", $1, $2 - $4, $3 - $5, ($3 - $5) / ($2 - $4) }'
done
