// Package negotiate decides which extensions and features two peers may use together.
//
// Under the Personal Agent Protocol a company lists extensions in its discovery document and a personal agent in its client
// metadata, each as an object from name to descriptor:
//
//	{"extensions": {
//	  "operations": {"version": "1", "endpoint": "https://api.example.com/poppy/operations"},
//	  "example.com/gift-wrap": {"version": "2", "wrap": ["paper", "box"]}}}
//
// [Descriptors] reads such a document, and [Extensions] compares two of them with what this program implements. An extension
// is used only when all three agree on its major version. What nobody here knows, be it an extension or a field of a
// descriptor, plays no part in the decision, is never an error, and keeps its bytes: [AppendDescriptors] writes a document
// again as it was read.
//
// [Features] is the rule of ARCP itself (§6.2): the features that both session.hello and session.welcome name.
//
// # What no extension can change
//
// An agreed extension adds to the protocol. It never weakens a check that the protocol makes mandatory:
//
//   - issuer binding,
//   - redaction of secrets,
//   - verification of proofs,
//   - protection against replay,
//   - approval of exactly the revision of an operation that is carried out.
//
// No option of this package skips one of these, and none may be added that does.
package negotiate

import "errors"

// ErrMalformed is what every error of this package wraps: a name, a document or a descriptor that breaks the protocol's rules.
var ErrMalformed = errors.New("negotiate: malformed")
