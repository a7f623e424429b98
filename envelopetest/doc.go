// Package envelopetest is a conformance kit for whoever writes an ARCP codec,
// transport or proxy. It finds out, in one line of a test, whether it loses
// anything:
//
//	envelopetest.TestForward(t, func(message []byte) ([]byte, error) {
//		e, err := mycodec.Decode(message)
//		if err != nil {
//			return nil, err
//		}
//		return e.Encode()
//	})
//
// [TestForward] calls a function with every case: a receiver must ignore the
// fields it does not know, and an intermediary must pass them on (ARCP 1.1 §5), so what
// comes back has to be what went in, byte for byte or, with [EqualAsJSON], as a JSON value
// with its numbers as they were written. What is no message, or could be
// read in two ways, has to be refused. [TestTransport] sends messages through a
// connection: they arrive whole, in order, from several goroutines, up to 15 MiB
// large, until the connection is closed.
//
// [Fixtures] returns the cases themselves, each with its verdict, the values a
// decoder finds, and the rule it pins. They cover
//
//   - every message type and event kind of ARCP 1.1, §6 to §8
//   - the forms in which public libraries put vendor fields on the wire
//   - names in many scripts, names that resemble core fields, escaped names
//   - numbers, escapes, surrogates, null, white space, the order of fields
//   - names that stand twice, values of the wrong type, the range of event_seq
//   - what RFC 8259 forbids: malformed tokens, invalid UTF-8, trailing data
//   - the default limits of package envelope: 16 MiB, depth 1,000, 1,024 fields
//
// The cases are plain files below testdata, for implementers in any language;
// testdata/README.md describes them. Their verdicts are checked against two
// independent decoders by this package's own tests.
package envelopetest
