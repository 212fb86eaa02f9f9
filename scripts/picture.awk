# Draws lines of a terminal of 80 columns, with the colours that mcpctl uses, as an SVG. label is its text for readers.
BEGIN {
	colour[1] = "font-weight=\"bold\""; colour[2] = "fill=\"#8b949e\""; colour[31] = "fill=\"#ff7b72\""
	colour[32] = "fill=\"#7ee787\""; colour[33] = "fill=\"#e3b341\""; colour[36] = "fill=\"#79c0ff\""
}
{
	text = $0; out = ""; open = 0
	gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); gsub(/>/, "\\&gt;", text)
	while (match(text, /\033\[[0-9;]*m/)) {
		code = substr(text, RSTART + 2, RLENGTH - 3) + 0
		out = out substr(text, 1, RSTART - 1)
		text = substr(text, RSTART + RLENGTH)
		if (code in colour) { out = out "<tspan " colour[code] ">"; open++ }
		else for (; open > 0; open--) out = out "</tspan>"
	}
	out = out text
	for (; open > 0; open--) out = out "</tspan>"
	rows[NR] = out
}
END {
	gsub(/&/, "\\&amp;", label); gsub(/"/, "\\&quot;", label); gsub(/</, "\\&lt;", label)
	w = 708; h = NR * 20 + 32
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"%s\">\n", w, h, w, h, label
	print "<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#0d1117\"/>"
	print "<g font-family=\"ui-monospace,Menlo,Consolas,monospace\" font-size=\"14\" fill=\"#e6edf3\">"
	for (i = 1; i <= NR; i++) printf "<text x=\"16\" y=\"%d\" xml:space=\"preserve\">%s</text>\n", i * 20 + 8, rows[i]
	print "</g>\n</svg>"
}
