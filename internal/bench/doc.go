// Package bench measures this module's codec beside the JSON libraries that
// a Go program would use in its place, doing the same work: the eight core
// fields decoded, extensions kept where the library can, and encoded again.
//
// [Codecs] are the contestants, [Messages] the inputs and [Cases] the bodies
// that cmd/measure times in interleaved rounds. Every body is also run by
// the tests, which check its result and what it loses. cmd/report turns the
// recorded results into docs/performance.md and its charts.
package bench
