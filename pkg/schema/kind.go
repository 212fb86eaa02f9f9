package schema

// A kindSet is a set of the six types of JSON values. An integer is a number here.
type kindSet uint8

const (
	kindNull kindSet = 1 << iota
	kindBoolean
	kindNumber
	kindString
	kindArray
	kindObject

	kindNone kindSet = 0
	kindAll          = kindNull | kindBoolean | kindNumber | kindString | kindArray | kindObject
)

// kinds lists the types in the order in which a witness of them is preferred: small and likely ones first.
var kinds = [...]kindSet{kindString, kindNumber, kindBoolean, kindArray, kindObject, kindNull}
