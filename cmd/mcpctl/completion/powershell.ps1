# PowerShell completion for mcpctl: mcpctl completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName mcpctl -ScriptBlock {
	param($current, $line, $position)
	$typed = @($line.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" } | Where-Object { $_ -ne $current })
	if ($current -like '-*') { $typed += $current }
	mcpctl @typed --generate-bash-completion 2>$null | Where-Object { $_ -like "$current*" } | ForEach-Object {
		[System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
	}
}
