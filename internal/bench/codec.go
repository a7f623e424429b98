package bench

import "bytes"

// Codec is one way to do the work. A nil function means that it cannot: a
// codec that drops extensions has none to read or to change.
//
// Functions that take dst may write over it and return it, grown if need be,
// as append does; those of libraries without such a call return new bytes.
type Codec struct {
	Name  string // in benchmark names
	About string // how the library is used, for the report

	// Adapt, when set, rewrites a message into the form that the library
	// reads, before any measuring.
	Adapt func(frame []byte) ([]byte, error)

	Forward func(dst, data []byte) ([]byte, error)      // decode all fields, encode them unchanged
	Change  func(dst, data []byte) ([]byte, error)      // the same, with ChangedValue in ExistingField
	Peek    func(data []byte) (Route, error)            // the fields that a router needs
	Add     func(dst, data []byte) ([]byte, error)      // AddedField put into the message
	Route   func(dst, data []byte) ([]byte, error)      // Peek, and Add if the route says so
	Read    func(data []byte) (string, error)           // the string in ExistingField
	Stream  func(dst *bytes.Buffer, lines []byte) error // Forward from a reader of lines to a writer of lines

	// Loses says what Forward does to the messages of this package; the
	// tests compare it with what they see.
	Loses []Loss
}

// Loss is a kind of harm that forwarding does to a message.
type Loss string

// The kinds of harm, gravest first.
const (
	LosesExtensions Loss = "extensions" // an extension is gone
	LosesNumbers    Loss = "numbers"    // a number's text is another
	LosesOrder      Loss = "order"      // fields stand in another order
	LosesEscapes    Loss = "escapes"    // characters are escaped that were not, or the reverse
)

// Route is a digest of type, session_id, job_id and event_seq: a body that
// has not read all four cannot compute it.
type Route uint64

// routeOf works on text as it lies, so that no codec pays for a conversion
// it does not need.
func routeOf[T ~string | ~[]byte](typ, session, job T, seq uint64) Route {
	return Route(seq ^ digest(typ)*3 ^ digest(session)*5 ^ digest(job)*7)
}

// digest is cheap, since every codec pays for it.
func digest[T ~string | ~[]byte](s T) uint64 {
	if len(s) == 0 {
		return 1
	}
	return uint64(len(s))*1_000_003 + uint64(s[len(s)-1])
}

// Codecs returns the contestants, this module's first.
func Codecs() []Codec {
	return []Codec{
		arcp(), arcpCopy(),
		stdStruct(), stdMap(),
		jsonV2(),
		sonicStruct(), sonicMap(),
		goccyStruct(), goccyMap(),
		cloudEvents(),
		gjsonSjson(),
	}
}

// Limit is work that any decoder has to do at least, or a check without a
// decoder: a line to measure codecs against.
type Limit struct {
	Name string
	Run  func(dst, data []byte) bool // reports whether data passed
}
