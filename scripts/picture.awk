# Draws lines of a terminal, with the colours that mcpctl uses, as an SVG.
BEGIN {
	colour[1] = "font-weight=\"bold\""; colour[2] = "fill=\"#8b949e\""; colour[31] = "fill=\"#ff7b72\""
	colour[32] = "fill=\"#7ee787\""; colour[33] = "fill=\"#e3b341\""; colour[36] = "fill=\"#79c0ff\""
	size = 14; width = 8.43; line = 20
}
{
	text = $0; plain = $0
	gsub(/\033\[[0-9]*m/, "", plain)
	if (length(plain) > longest) longest = length(plain)
	gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); gsub(/>/, "\\&gt;", text)
	out = ""
	while (match(text, /\033\[[0-9]*m/)) {
		code = substr(text, RSTART + 2, RLENGTH - 3) + 0
		out = out substr(text, 1, RSTART - 1) (code == 0 ? "</tspan>" : "<tspan " colour[code] ">")
		text = substr(text, RSTART + RLENGTH)
	}
	rows[NR] = out text
}
END {
	w = int(longest * width) + 32; h = NR * line + 32
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"mcpctl diff of two releases\">\n", w, h, w, h
	printf "<rect width=\"100%%\" height=\"100%%\" rx=\"8\" fill=\"#0d1117\"/>\n<g font-family=\"ui-monospace,Menlo,Consolas,monospace\" font-size=\"%d\" fill=\"#e6edf3\">\n", size
	for (i = 1; i <= NR; i++) printf "<text x=\"16\" y=\"%d\" xml:space=\"preserve\">%s</text>\n", i * line + 8, rows[i]
	print "</g>\n</svg>"
}
