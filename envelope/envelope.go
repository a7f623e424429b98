package envelope

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"maps"

	"github.com/arcp-go/arcp/internal/object"
)

// Version is the protocol version that this package speaks, the value of the field arcp (ARCP §5).
const Version = "1.1"

// Envelope is one ARCP message (ARCP §5). Its zero value is a message with no field.
//
// An Envelope remembers the bytes that it was decoded from, and encoding gives them back wherever nothing was changed.
//
// A copy of the struct may have its fields assigned without an effect on the original, while the map and *EventSeq are shared
// until [Envelope.Clone]. Many goroutines may read and encode one Envelope at once.
//
// A struct that embeds an Envelope gets its MarshalJSON and UnmarshalJSON, and its own fields then take no part in JSON: give an
// Envelope a field name of its own instead.
type Envelope struct {
	ARCP      string // protocol version
	ID        string // of this message
	Type      string // such as job.event
	SessionID string
	TraceID   string // 32 lowercase hex digits
	JobID     string

	// EventSeq numbers the events of a session; nil where the message has none. 0 is a number.
	EventSeq *uint64

	// Payload is the message's content, any JSON value with its exact bytes; nil where the message has none, "null" where it
	// has null. It may share memory with the message: replace it, never write into it.
	Payload json.RawMessage

	// Extensions has every other top-level field under its decoded name, with the exact bytes of its value; nil where there is
	// none. The values may share memory with the message: replace them, never write into them.
	Extensions map[string]json.RawMessage

	source *source // nil for a message built in memory
}

// New makes a message of a type with the protocol's version and a fresh random id, "msg_" and 26 letters and digits. A nil
// payload is absent; a [json.RawMessage] is taken as it is, without white space around it, and must be valid JSON; anything
// else is encoded by encoding/json without HTML escaping.
func New(typ string, payload any) (*Envelope, error) {
	e := &Envelope{ARCP: Version, ID: "msg_" + rand.Text(), Type: typ}
	if raw, ok := payload.(json.RawMessage); payload == nil || ok && raw == nil {
		return e, nil
	}
	var err error
	if e.Payload, err = encodeValue(coreNames[fieldPayload], payload); err != nil {
		return nil, err
	}
	return e, nil
}

// encodeValue encodes a value that the caller handed over.
func encodeValue(name string, v any) (json.RawMessage, error) {
	value, err := object.Encode(name, v)
	return value, wrapAny(err)
}

// Clone gives a copy with a map and an *EventSeq of its own. Raw values are shared, since nobody may write into them. The
// clone of nil is nil.
func (e *Envelope) Clone() *Envelope {
	if e == nil {
		return nil
	}
	c := *e
	c.Extensions = maps.Clone(e.Extensions)
	if e.EventSeq != nil {
		c.EventSeq = new(*e.EventSeq)
	}
	return &c
}

// Equal says whether two messages have the same fields: strings and EventSeq by value, raw values by their bytes, a nil map
// like an empty one. The bytes that they were decoded from do not matter.
func (e Envelope) Equal(o Envelope) bool {
	return e.ARCP == o.ARCP && e.ID == o.ID && e.Type == o.Type && e.SessionID == o.SessionID && e.TraceID == o.TraceID && e.JobID == o.JobID &&
		(e.EventSeq == nil) == (o.EventSeq == nil) && (e.EventSeq == nil || *e.EventSeq == *o.EventSeq) &&
		(e.Payload == nil) == (o.Payload == nil) && bytes.Equal(e.Payload, o.Payload) &&
		maps.EqualFunc(e.Extensions, o.Extensions, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })
}
