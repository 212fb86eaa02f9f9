// Package schema decides whether every JSON value that one JSON Schema accepts is accepted by another.
//
// [Contains] answers with one of three verdicts. Compatible is a proof: no value exists that the narrow schema
// accepts and the wide one rejects. Incompatible is a disproof: such a value, read back as a validator reads it, is
// its witness. Unknown names the construct, or the bound, that stopped the decision. The package never guesses.
// [Edits] lists what differs between two versions of a schema, each difference with the old schema that has only it,
// so that its own verdict can be asked for.
//
// All of JSON Schema 2020-12 is read. Drafts 04, 06, 07 and 2019-09 are read into the same form where "$schema" names
// them. References are resolved inside the document only: nothing is ever fetched. Numbers are exact rationals.
// "format" and the content keywords are annotations, unless [Budget] says that formats are asserted.
//
// # How it is decided
//
// A schema becomes a graph of assertions (node.go, build.go). "Every value of the narrow schema is one of the wide" is
// the question whether any value satisfies the narrow schema and the negation of the wide one. It is answered as
// semantic subtyping answers it for types (Frisch, Castagna, Benzaken, "Semantic subtyping", 2008; for JSON Schema
// Attouche and others, "Witness generation for JSON Schema", 2022), lazily and within a budget: the question is
// divided by the type of the value, choices are resolved (clause.go, union.go), and what is left is decided for one
// type by intervals and multiples (number.go), by automata (text.go), by positions (array.go), and by names (object.go),
// asking again for the values inside the value. Recursion is answered by induction on the height of values (memo.go).
//
// What is not understood is kept as an assertion of which only its text is known. It is equal to itself, it is never
// taken to hold or to fail, and where a verdict would depend on it the verdict is Unknown. All bounds are counted in
// steps, so that the same question has the same answer on every machine.
//
// The package stands alone: it imports no other part of this module.
package schema
