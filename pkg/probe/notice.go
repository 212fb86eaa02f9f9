package probe

// Notice is something a server did that is wrong or odd but lost nothing: a repeated cursor, a list it declares and does
// not have, a reply with invalid UTF-8.
type Notice struct {
	Stage   Stage  // when it was seen
	Code    string // one of the Notice constants
	Message string // one sentence
}

// The codes of notices; they are permanent.
const (
	NoticeRestarted       = "handshake-restarted"      // the server had to be started or contacted anew for initialize
	NoticeVersionOdd      = "version-not-for-era"      // initialize was answered with a version that has no initialize
	NoticeInitializedLost = "initialized-refused"      // notifications/initialized was refused
	NoticeNoCapabilities  = "capabilities-missing"     // there is no capabilities object, so every list was asked for
	NoticeInstructionsOdd = "instructions-not-text"    // instructions are there but are not a string
	NoticeNotImplemented  = "declared-not-implemented" // a capability is declared, its list answered with "method not found"
	NoticeCursorRepeated  = "cursor-repeated"          // nextCursor had been followed already; the list was ended there
	NoticeCursorOdd       = "cursor-not-text"          // nextCursor is a number; it was followed as it is
	NoticeListRestarted   = "list-restarted"           // a cursor was refused on the way; the list was read from its start again
	NoticeItemOdd         = "item-without-key"         // an item is no object or has no name (uri, uriTemplate)
	NoticeDuplicate       = "duplicate-name"           // two items of a list have the same name (uri, uriTemplate)
	NoticeMemberRepeated  = "member-repeated"          // a result has a member twice; the last one counts
	NoticeInvalidUTF8     = "invalid-utf8"             // a result is not valid UTF-8
	NoticeSecretEchoed    = "secret-echoed"            // the surface holds a secret that the server was given; it was masked
	NoticeFieldsMissing   = "result-fields-missing"    // a result of 2026-07-28 lacks resultType, ttlMs or cacheScope
)
