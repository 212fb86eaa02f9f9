# fish completion for mcpctl: mcpctl completion fish | source
function __mcpctl_offers
	set -l typed (commandline -opc)[2..-1]
	mcpctl __complete $typed (commandline -ct) 2>/dev/null
end
complete -c mcpctl -a '(__mcpctl_offers)'
