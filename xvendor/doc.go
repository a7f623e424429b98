// Package xvendor names, reads and writes vendor extensions: the fields x-vendor.<company>.<key> that anybody may add to an
// ARCP message, and event kinds of the same form.
//
// A [Key] is a field's name with a Go type. It works on the top-level fields of a message, as in Envelope.Extensions of package
// envelope, and finds a field in each of the two places where peers put it, see [Place]. Every function that changes such a map
// replaces it with a changed copy, since somebody else may hold the map; of values that share memory with a message only
// copies are ever changed.
//
// Authors are held to a grammar, by [Parse] and [Validate]. Receivers are not: whatever a peer sends is carried and can be read,
// by [Lookup] under any name.
package xvendor
