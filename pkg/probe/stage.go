package probe

import "slices"

// Stage is what the probe was doing.
type Stage string

// The stages, in the order in which they happen.
const (
	Starting         Stage = "starting"
	Connecting       Stage = "connecting"
	Handshake        Stage = "handshake"
	ListingTools     Stage = "listing tools"
	ListingPrompts   Stage = "listing prompts"
	ListingResources Stage = "listing resources"
	ListingTemplates Stage = "listing resource templates"
	Calling          Stage = "calling a tool"
	Prompting        Stage = "getting a prompt"
	Reading          Stage = "reading a resource"
	Completing       Stage = "completing an argument"
	Pinging          Stage = "pinging"
	Watching         Stage = "watching"
	Closing          Stage = "closing"
)

func (s Stage) order() int {
	return slices.Index([]Stage{
		Starting, Connecting, Handshake, ListingTools, ListingPrompts, ListingResources, ListingTemplates,
		Calling, Prompting, Reading, Completing, Pinging, Watching, Closing,
	}, s)
}
