# Filters the output of go test -json: a line for each package as it ends, the log of each test as it fails, and at the
# end every skipped test with its reason.
function value(name,    at, text) { # of a member of the object on this line
	at = index($0, "\"" name "\":\"")
	if (!at) return ""
	text = substr($0, at + length(name) + 4)
	match(text, /^([^"\\]|\\.)*/)
	text = substr(text, 1, RLENGTH)
	gsub(/\\\\/, "\001", text) # no part of another escape
	gsub(/\\n/, "\n", text); gsub(/\\t/, "\t", text); gsub(/\\r/, "", text); gsub(/\\"/, "\"", text)
	gsub(/\\u003c/, "<", text); gsub(/\\u003e/, ">", text); gsub(/\\u0026/, "\\&", text); gsub(/\\u001b/, "", text)
	gsub(/\001/, "\\", text)
	return text
}
!/^\{/ { print; next } # of go itself
{ action = value("Action"); package = value("Package"); test = value("Test"); key = package SUBSEP test }
action == "build-output" { printf "%s", value("Output") }
action == "output" {
	text = value("Output")
	if (test == "" && text ~ /^(ok|FAIL)[ \t]/) { # the package has ended
		if (text ~ /^FAIL/) for (other in logs) if (index(other, package SUBSEP) == 1) printf "%s", logs[other]
		printf "%s", text
		fflush()
	} else if (text !~ /^(=== (RUN|PAUSE|CONT|NAME)|PASS$| *--- PASS)/) {
		logs[key] = logs[key] text
		if (text ~ /^ +[a-z_0-9]+\.go:[0-9]+: /) { sub(/^ +[a-z_0-9]+\.go:[0-9]+: */, "", text); reason[key] = text }
	}
}
action == "fail" && test != "" { printf "%s", logs[key]; fflush() }
action == "skip" && test != "" { skipped[++skips] = "skipped: " test ": " reason[key] }
action ~ /^(pass|fail|skip)$/ { delete logs[key]; delete reason[key] }
END { for (i = 1; i <= skips; i++) printf "%s", skipped[i] | "sort -u" }
