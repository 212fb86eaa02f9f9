# PowerShell completion for mcpctl: mcpctl completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName mcpctl -ScriptBlock {
	param($current, $line, $position)
	$typed = @($line.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $position } | ForEach-Object { "$_" })
	# An empty argument would be lost on its way to a program, quotes are not.
	$unfinished = if ($current) { $current } else { '""' }
	mcpctl __complete @typed $unfinished 2>$null | ForEach-Object {
		$value, $about = $_ -split "`t", 2
		if (-not $about) { $about = $value }
		[System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $about)
	}
}
