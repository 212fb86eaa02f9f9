#compdef mcpctl
# zsh completion for mcpctl: source <(mcpctl completion zsh)
_mcpctl() {
	local -a typed offers
	typed=("${(@)words[2,CURRENT-1]}")
	[[ ${words[CURRENT]} == -* ]] && typed+=("${words[CURRENT]}")
	offers=("${(@f)$(mcpctl "${typed[@]}" --generate-bash-completion 2>/dev/null)}")
	compadd -a offers
	(( CURRENT > 2 )) && _files
}
compdef _mcpctl mcpctl
