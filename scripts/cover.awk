# Sums Go cover profiles by package: each block counts once, however many tests ran it.
FNR > 1 {
	block = $1; statements[block] = $2
	if ($3 > 0) covered[block] = 1
}
END {
	for (block in statements) {
		file = block; sub(/:.*/, "", file)
		package = file; sub(/\/[^\/]*$/, "", package); sub(/^github.com\/mcpctl\/mcpctl\//, "", package)
		all[package] += statements[block]
		if (block in covered) hit[package] += statements[block]
	}
	for (package in all) {
		percent = 100 * hit[package] / all[package]
		printf "%-32s %6.1f %%  of %d statements\n", package, percent, all[package] | "sort"
		if (package ~ /^pkg\// && percent < floor) low = low " " package
	}
	close("sort")
	if (low) { print "below the floor of " floor " %:" low > "/dev/stderr"; exit 1 }
}
