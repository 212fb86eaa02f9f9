// Package schema decides whether every JSON value that one JSON Schema accepts is accepted by another.
//
// [Contains] answers with one of three verdicts. Compatible is a proof: no value exists that the narrow schema
// accepts and the wide one rejects. Incompatible is a disproof, with such a value as its witness. Unknown names the
// construct, or the budget, that stopped the decision. The package never guesses.
//
// All of JSON Schema 2020-12 is read; drafts 04, 06, 07 and 2019-09 are read into the same form when "$schema" names
// them. References are resolved inside the document only: nothing is ever fetched.
//
// The package stands alone: it imports no other part of this module.
package schema
