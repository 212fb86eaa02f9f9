# bash completion for mcpctl: source <(mcpctl completion bash)
_mcpctl() {
	local line=${COMP_LINE:0:COMP_POINT} words=() part current kept="" value about i
	# Bash cuts words at = and : and @, mcpctl does not: what no blank keeps apart is one word.
	for ((i = 0; i <= COMP_CWORD; i++)); do
		part=${COMP_WORDS[i]}
		[[ -z ${words[0]+x} || -z $part || $line == [[:blank:]]* ]] && words+=("")
		line=${line#"${line%%[![:blank:]]*}"}
		((i == COMP_CWORD)) && part=$line
		words[${#words[@]} - 1]+=$part
		line=${line#"$part"}
	done
	current=${words[${#words[@]} - 1]}
	if [[ $current != [\"\']* ]]; then
		for i in = : @; do # what stands before the last of them stays as it is
			[[ $COMP_WORDBREAKS == *"$i"* && $current == *"$i"* ]] || continue
			part=${current%"${current##*"$i"}"}
			((${#part} > ${#kept})) && kept=$part
		done
	fi
	COMPREPLY=()
	while IFS=$'\t' read -r value about; do
		value=${value#"$kept"}
		[[ $current != [\"\']* ]] && value=$(printf %q "$value")
		# The second TAB shows the list, and inserts nothing.
		[[ $COMP_TYPE == 63 && -n $about ]] && value+="  ($about)"
		COMPREPLY+=("$value")
	done < <(mcpctl __complete "${words[@]:1}" 2>/dev/null)
	[[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && type compopt >/dev/null 2>&1 && compopt -o nospace
	return 0
}
complete -o default -F _mcpctl mcpctl
