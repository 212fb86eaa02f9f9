#!/usr/bin/env bash
# Keeps one comment on the pull request up to date with the report in SUMMARY. Creates none while nothing is found
# (STATUS 0). Where the token cannot write, as for a fork, it prints a notice: the job summary has the report.
set -euo pipefail
[ -s "$SUMMARY" ] || exit 0

# skip REASON ends without a comment. The job goes on: its status is that of mcpctl.
skip() {
  echo "::notice::no comment on the pull request: $1; the report is in the job summary"
  exit 0
}
for tool in curl jq; do
  command -v "$tool" > "$RUNNER_TEMP/mcpctl-tool" || skip "$tool is not installed on this runner"
done
number=$(jq -r '.pull_request.number // empty' "$GITHUB_EVENT_PATH")
[ -n "$number" ] || exit 0

marker="<!-- mcpctl $GITHUB_WORKFLOW/$GITHUB_JOB/$COMMAND -->"
body=$RUNNER_TEMP/mcpctl-comment.json
# A comment holds 65,536 characters.
{
  echo "$marker"
  awk '{ size += length($0) + 1 } size > 60000 { print "\n… the job summary has the whole report"; exit } { print }' "$SUMMARY"
} | jq -Rs '{body: .}' > "$body"

# ask ARGUMENT… asks GitHub's API. The token is on standard input, since all users of the machine can read arguments.
ask() {
  printf 'header = "Authorization: Bearer %s"\n' "$GH_TOKEN" |
    curl --config - --fail --silent --show-error --max-time 30 --header 'Accept: application/vnd.github+json' \
      --header 'Content-Type: application/json' "$@"
}
issues=${GITHUB_API_URL:-https://api.github.com}/repos/$GITHUB_REPOSITORY/issues
mine='[.[] | select(.user.type == "Bot" and (.body // "" | startswith($marker))) | .id][0] // empty'
for ((page = 1; ; page++)); do
  comments=$(ask "$issues/$number/comments?per_page=100&page=$page") || skip 'its comments cannot be read'
  id=$(jq -r --arg marker "$marker" "$mine" <<< "$comments")
  if [ -n "$id" ] || [ "$(jq length <<< "$comments")" -lt 100 ]; then break; fi
done
if [ -n "$id" ]; then
  request=(--request PATCH "$issues/comments/$id")
elif [ "$STATUS" = 0 ]; then
  exit 0
else
  request=(--request POST "$issues/$number/comments")
fi
ask "${request[@]}" --data-binary "@$body" --output "$RUNNER_TEMP/mcpctl-commented.json" ||
  skip 'the token cannot write one (permissions: pull-requests: write, and not for forks)'
