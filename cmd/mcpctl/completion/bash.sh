# bash completion for mcpctl: source <(mcpctl completion bash)
_mcpctl() {
	local current=${COMP_WORDS[COMP_CWORD]}
	local typed=("${COMP_WORDS[@]:1:COMP_CWORD-1}")
	[[ $current == -* ]] && typed+=("$current")
	local IFS=$'\n'
	COMPREPLY=()
	local offer
	while read -r offer; do
		[[ $offer == "$current"* ]] && COMPREPLY+=("$(printf %q "$offer")")
	done < <(mcpctl "${typed[@]}" --generate-bash-completion 2>/dev/null)
}
complete -o default -F _mcpctl mcpctl
