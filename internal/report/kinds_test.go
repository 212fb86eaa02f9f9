package report

// kindNamed returns the kind of the document of a command, as the commands have it.
func kindNamed(command string) Kind {
	return map[string]Kind{"list": Listing(), "show": Page(), "snapshot": Saves(), "accept": Accepts(), "config": Configuration(),
		"ping": Pings(), "trust": Trusts(), "login": Logins(), "logout": Logins(), "rules": Catalogue(), "diff": Changes(),
		"check": Checks(), "replay": Replays()}[command]
}
