#!/usr/bin/env bash
# Runs mcpctl as the inputs of the action say. They come as environment variables, so that no text in them is ever a command.
set -euo pipefail

words=("$COMMAND" --format github)
while IFS= read -r line; do
  [ -z "$line" ] || words+=(--config "$line")
done <<< "$CONFIG"
[ -z "$BASE" ] || words+=(--base "$BASE")
[ -z "$FAIL_ON" ] || words+=(--fail-on "$FAIL_ON")
while IFS= read -r line; do
  [ -z "$line" ] || words+=(--report "$line")
done <<< "$REPORT"

summary=$RUNNER_TEMP/mcpctl-summary.md
rm -f "$summary"
words+=(--report "markdown=$summary")
while IFS= read -r line; do
  [ -z "$line" ] || words+=("$line")
done <<< "$ARGS"

# With --format github mcpctl writes the job summary itself, wherever this variable says.
[ "$SUMMARY" = true ] || unset GITHUB_STEP_SUMMARY
status=0
mcpctl "${words[@]}" || status=$?
echo "status=$status" >> "$GITHUB_OUTPUT"
[ ! -s "$summary" ] || echo "summary=$summary" >> "$GITHUB_OUTPUT" # a mistake in the inputs leaves no report
exit "$status"
