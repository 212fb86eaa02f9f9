# fish completion for mcpctl: mcpctl completion fish | source
function __mcpctl_offers
	set -l typed (commandline -opc)[2..-1]
	set -l current (commandline -ct)
	string match -q -- '-*' $current; and set -a typed $current
	mcpctl $typed --generate-bash-completion 2>/dev/null
end
complete -c mcpctl -a '(__mcpctl_offers)'
