#!/usr/bin/env bash
# Keeps one comment on the pull request up to date with the report in SUMMARY. Creates none while nothing is found
# (STATUS 0). Where the token cannot write, as for a fork, it prints a notice: the job summary has the report.
set -euo pipefail
[ -s "$SUMMARY" ] || exit 0
number=$(jq -r '.pull_request.number // empty' "$GITHUB_EVENT_PATH")
[ -n "$number" ] || exit 0

marker="<!-- mcpctl $GITHUB_WORKFLOW/$GITHUB_JOB/$COMMAND -->"
body=$RUNNER_TEMP/mcpctl-comment.md
# A comment holds 65,536 characters.
{
  echo "$marker"
  awk '{ size += length($0) + 1 } size > 60000 { print "\n… the job summary has the whole report"; exit } { print }' "$SUMMARY"
} > "$body"

issues=repos/$GITHUB_REPOSITORY/issues
mine=".[] | select(.user.type == \"Bot\" and (.body | startswith(\"$marker\"))) | .id"
if ! ids=$(gh api --paginate "$issues/$number/comments" --jq "$mine"); then
  echo "::notice::the comments of the pull request cannot be read: the report is in the job summary"
  exit 0
fi
id=${ids%%$'\n'*}
if [ -n "$id" ]; then
  request=(--method PATCH "$issues/comments/$id")
elif [ "$STATUS" = 0 ]; then
  exit 0
else
  request=(--method POST "$issues/$number/comments")
fi
gh api "${request[@]}" --field "body=@$body" > "$RUNNER_TEMP/mcpctl-comment.json" ||
  echo "::notice::the token cannot write comments (pull-requests: write, and not for forks): the report is in the job summary"
