#!/bin/sh
# Draws the commands of docs/first-minute.md as a terminal of 80 columns shows them: $1 is the directory with mcpctl and
# tickets, $2 the directory of the pictures. A picture of the page shows the command before it. With npm it also draws
# releases.svg, two releases of a real package. Needs util-linux's script.
set -eu
bin=$(realpath "$1") pictures=$(realpath "$2") here=$(realpath "$(dirname "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PATH="$bin:$PATH" HOME="$work/home" XDG_STATE_HOME="$work/state" XDG_CONFIG_HOME="$work/config" TERM=xterm-256color
mkdir -p "$HOME" "$work/page"
cp -r "$here/../examples" "$work/page/"
cd "$work/page"
git init -q .

# terminal COMMAND runs a command at 80 columns and writes the lines it leaves on the screen.
terminal() {
	script -qec "stty cols 80 rows 50; $1" /dev/null </dev/null |
		sed 's/\r$//; s/.*\r//; s/\x1b\[[0-9;]*[A-HJKSTfhl]//g'
}

# draw NAME COMMAND draws the file out as NAME.svg below the command, at most 36 lines of it.
draw() {
	{
		printf '$ %s\n' "$2"
		sed -n '1,36p' "$work/out"
		test "$(wc -l <"$work/out")" -le 36 || echo '…'
	} | awk -v "label=$2" -f "$here/picture.awk" >"$work/svg"
	mv "$work/svg" "$pictures/$1.svg"
}

sed -n '/^## Ten tasks/,/^## Ten mistakes/p' "$here/../docs/first-minute.md" |
	while IFS= read -r line; do
		case $line in
		'$ '*)
			command=${line#'$ '}
			command=${command%%' # exit status '*}
			terminal "$command" >"$work/out" || true
			;;
		'!['*) draw "$(basename "$line" '.svg)')" "$command" ;;
		esac
	done

if command -v npm >/dev/null; then
	command='mcpctl diff npm:@playwright/mcp@0.0.70 npm:@playwright/mcp@0.0.83'
	terminal "$command --quiet" >"$work/all" || true
	sed '/more, below/q' "$work/all" >"$work/out"
	grep -q 'breaking' "$work/out" || { cat "$work/all" >&2; exit 1; }
	draw releases "$command"
fi
