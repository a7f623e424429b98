// Package xvendor names and reads vendor extensions: the fields x-vendor.<company>.<key> that anybody may add to an ARCP
// message, and event kinds of the same form.
//
// Authors are held to a grammar, by [Parse] and [Validate]. Receivers are not: whatever a peer sends is carried and can be read.
package xvendor
