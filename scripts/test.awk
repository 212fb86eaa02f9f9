# Filters the output of go test -json: a line for each package as it ends, the log of each test as it fails, and at the
# end every skipped test with its reason. A log is kept as it comes, and its escapes are read when it is shown: that most
# tests pass makes this four times as fast.
function member(name, line,    at) { # of the object on a line, with its escapes
	at = index(line, "\"" name "\":\"")
	if (!at) return ""
	line = substr(line, at + length(name) + 4)
	match(line, /^([^"\\]|\\.)*/)
	return substr(line, 1, RLENGTH)
}
function text(escaped) {
	gsub(/\\\\/, "\001", escaped) # no part of another escape
	gsub(/\\n/, "\n", escaped); gsub(/\\t/, "\t", escaped); gsub(/\\r/, "", escaped); gsub(/\\"/, "\"", escaped)
	gsub(/\\u003c/, "<", escaped); gsub(/\\u003e/, ">", escaped); gsub(/\\u0026/, "\\&", escaped); gsub(/\\u001b/, "", escaped)
	gsub(/\001/, "\\", escaped)
	return escaped
}
function show(key,    i) { for (i = 1; i <= lines[key]; i++) printf "%s", text(member("Output", log_[key, i])) }
function forget(key,    i) { for (i = 1; i <= lines[key]; i++) delete log_[key, i]; delete lines[key]; delete reason[key] }
!/^\{/ { print; next } # of go itself
{
	begins = index($0, ",\"Output\":\"")
	head = begins ? substr($0, 1, begins) : $0
	action = member("Action", head); package = member("Package", head); test = member("Test", head)
	key = package SUBSEP test
}
action == "build-output" { printf "%s", text(member("Output", $0)) }
action == "output" {
	output = substr($0, begins + 11)
	if (test == "" && output ~ /^(ok|FAIL)[ \\]/) { # the package has ended
		if (output ~ /^FAIL/) for (other in lines) if (index(other, package SUBSEP) == 1) show(other)
		printf "%s", text(member("Output", $0))
		fflush()
	} else if (output !~ /^(=== (RUN|PAUSE|CONT|NAME)|PASS\\n| *--- PASS)/) {
		log_[key, ++lines[key]] = $0
		if (output ~ /^ +[a-z_0-9]+\.go:[0-9]+: / && reason[key] !~ /NOT TESTED/) reason[key] = $0
	}
}
action == "fail" && test != "" { show(key); fflush() }
action == "skip" && test != "" {
	why = text(member("Output", reason[key]))
	sub(/^ +[a-z_0-9]+\.go:[0-9]+: */, "", why)
	skipped[++skips] = "skipped: " text(test) ": " why
}
action ~ /^(pass|fail|skip)$/ { forget(key) }
END { for (i = 1; i <= skips; i++) printf "%s", skipped[i] | "sort -u" }
