#compdef mcpctl
# zsh completion for mcpctl: source <(mcpctl completion zsh)
_mcpctl() {
	local -a values shown open openshown
	local value about
	while IFS=$'\t' read -r value about; do
		if [[ $value == *= ]]; then
			open+=("$value") openshown+=("$value${about:+  -- $about}")
		else
			values+=("$value") shown+=("$value${about:+  -- $about}")
		fi
	done < <(mcpctl __complete "${(@)words[2,CURRENT]}" 2>/dev/null)
	(( ${#values} )) && compadd -l -d shown -a values
	(( ${#open} )) && compadd -S '' -l -d openshown -a open
	(( ${#values} + ${#open} )) || _files
}
compdef _mcpctl mcpctl
