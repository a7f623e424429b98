package event

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/arcp-go/arcp/envelope"
	"github.com/arcp-go/arcp/internal/object"
	"github.com/arcp-go/arcp/internal/scan"
	"github.com/arcp-go/arcp/xvendor"
)

// MessageType is the type of the messages whose payload is an event (ARCP §8.1).
const MessageType = "job.event"

// Event is the payload of a message of type job.event (ARCP §8.1). Its zero value is an event with no field.
//
// An Event remembers the bytes that it was read from, and encoding gives them back wherever nothing was changed. A copy of the
// struct may have its fields assigned without an effect on the original; the map is shared, and must be replaced, not written
// into, as the methods of xvendor.Key do. Many goroutines may read and encode one Event at once.
type Event struct {
	// Kind says what the event is, and so what its body looks like: one of the Kind constants, a vendor's name that starts with
	// "x-vendor.", or one that a later version of the protocol added.
	Kind string

	// TS is the time of the event as it stands on the wire, see [Event.Time].
	TS string

	// Body is any JSON value with its exact bytes; nil where the event has none, "null" where it has null. It may share memory
	// with the message: replace it, never write into it.
	Body json.RawMessage

	// Extra has every other field under its decoded name, with the exact bytes of its value; nil where there is none. The values
	// may share memory with the message: replace them, never write into them.
	Extra map[string]json.RawMessage

	source *source // nil for an event built in memory
}

func (e *Event) layout() layout {
	return layout{
		fields: []field{
			{"kind", (*token)(&e.Kind), false},
			{"ts", (*token)(&e.TS), false},
			{"body", (*raw)(&e.Body), false},
		},
		extra: &e.Extra, source: &e.source,
	}
}

// New makes an event of a kind at the present time. The kind is one of the protocol's or starts with "x-vendor."; any other is an
// error, to catch slips of the pen: an Event literal can have any kind. The body is encoded as by [Event.SetBody].
func New(kind string, body any) (Event, error) {
	if _, core := coreBodies[kind]; !core && !xvendor.IsVendor(kind) {
		return Event{}, invalid("", "kind", "want a kind of the protocol or one that starts with "+xvendor.Prefix)
	}
	e := Event{Kind: kind, TS: time.Now().UTC().Format(time.RFC3339Nano)}
	if err := e.SetBody(body); err != nil {
		return Event{}, err
	}
	return e, nil
}

// Decode reads an event and takes data over: the caller must not write into it afterwards, since the Event shares its memory;
// [Event.UnmarshalJSON] copies.
//
// The error is an [*Error]: data is not exactly one JSON object in UTF-8, or a field is there twice, or kind or ts is not a
// string. Null is an absent kind or ts. No kind is an error, nor any body. Nesting and size are not limited, since those of the
// message were; see envelope.Options.
func Decode(data []byte) (Event, error) {
	var e Event
	if err := e.layout().decode(data); err != nil {
		return Event{}, err
	}
	return e, nil
}

// FromEnvelope reads the event in a message as [Decode] does, and shares its payload's memory. A message of another type than
// job.event, or without a payload, is an error, and so is nil.
func FromEnvelope(env *envelope.Envelope) (Event, error) {
	switch {
	case env == nil:
		return Event{}, invalid("", "", "the Envelope is nil")
	case env.Type != MessageType:
		return Event{}, invalid("", "", "want a message of type "+MessageType+", got another")
	case env.Payload == nil:
		return Event{}, invalid("", "", "the message has no payload")
	}
	return Decode(env.Payload)
}

// UnmarshalJSON implements [json.Unmarshaler]. It copies data. On an error e stays as it was; otherwise nothing of what e was
// remains. JSON null is an error, as in [Decode].
func (e *Event) UnmarshalJSON(data []byte) error { return unmarshal(e, data) }

// AppendJSON appends the event to dst: the exact bytes for a message's payload.
//
// An Event that was not changed since it was read gives the bytes it came from. In a changed one every other field keeps its
// bytes, order and white space. An Event built in memory has kind, ts and body, absent ones left out, then Extra by name. An
// empty Kind or TS is a field that is absent; where the event had null or "" it stays so.
//
// A value that is no JSON, a name or string that is not UTF-8, and a name in Extra that is a field of its own are errors, an
// [*Error] that names the field; dst then comes back as it was. dst must not overlap the message that e was read from.
func (e Event) AppendJSON(dst []byte) ([]byte, error) { return e.layout().append(dst) }

// MarshalJSON implements [json.Marshaler] with the bytes of [Event.AppendJSON], which encoding/json then reformats: it takes out
// white space and, unless told otherwise, escapes <, > and & in strings.
func (e Event) MarshalJSON() ([]byte, error) { return e.AppendJSON(nil) }

// SetBody sets the body. Nil is an absent one. A typed body of this package keeps the bytes of all that was not changed in it; a
// [json.RawMessage] is taken as it is, without white space around it, and must be valid JSON; any other value is encoded by
// encoding/json without HTML escaping. On an error e stays as it was.
func (e *Event) SetBody(body any) error {
	if body == nil {
		e.Body = nil
		return nil
	}
	var text json.RawMessage
	var err error
	if typed, ok := body.(coreBody); ok && !isNilPointer(body) {
		text, err = typed.MarshalJSON()
	} else {
		text, err = object.Encode("body", body)
	}
	if err != nil {
		return bodyError(e.Kind, err)
	}
	e.Body = text
	return nil
}

// coreBody is a typed body of this package, or a pointer to one.
type coreBody interface {
	json.Marshaler
	Validate() error
	coreKind() string
}

func isNilPointer(v any) bool {
	r := reflect.ValueOf(v)
	return r.Kind() == reflect.Pointer && r.IsNil()
}

// bodyError is an error about a body that cannot be encoded.
func bodyError(kind string, err error) error {
	if fault, ok := errors.AsType[*scan.Error](err); ok {
		return wrap(kind, &scan.Error{Kind: fault.Kind, Offset: -1, Reason: fault.Reason})
	}
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	return &Error{Kind: scan.Clip(kind), Offset: -1, Reason: "the value cannot be encoded as JSON", Err: &mismatch{err}}
}

// Get gives what path, in gjson's syntax, finds in the body; a result that does not exist where there is no body. The path must be
// the program's own: a peer's could hold queries.
func (e Event) Get(path string) gjson.Result { return gjson.GetBytes(e.Body, path) }

// Time parses TS, a date and time of day as in RFC 3339 with any number of digits for a part of a second, of which it keeps nine.
// An absent TS is an error.
func (e Event) Time() (time.Time, error) {
	t, err := time.Parse(time.RFC3339, e.TS)
	if err != nil {
		return time.Time{}, invalid("", "ts", "want a time as in RFC 3339, like 2026-05-13T19:42:13Z")
	}
	return t, nil
}

// String tells kind, time and the body's size. The body and other fields, which may be secrets, never appear; what a peer chose is
// escaped and cut to a sane length.
func (e Event) String() string {
	var parts []string
	for _, a := range e.attributes() {
		if a.Value.Kind() == slog.KindString {
			parts = append(parts, fmt.Sprintf("%s=%+q", a.Key, a.Value.String()))
		} else {
			parts = append(parts, a.String())
		}
	}
	return "event{" + strings.Join(parts, " ") + "}"
}

// GoString is [Event.String], so that %#v prints no secret either.
func (e Event) GoString() string { return e.String() }

// LogValue implements [slog.LogValuer] with what [Event.String] tells, as a group.
func (e Event) LogValue() slog.Value { return slog.GroupValue(e.attributes()...) }

func (e Event) attributes() []slog.Attr {
	attrs := []slog.Attr{
		slog.String("kind", scan.Clip(e.Kind)),
		slog.String("ts", scan.Clip(e.TS)),
		slog.Int("body_bytes", len(e.Body)),
		slog.Int("extra", len(e.Extra)),
	}
	return slices.DeleteFunc(attrs, func(a slog.Attr) bool {
		return a.Value.Equal(slog.StringValue("")) || a.Value.Equal(slog.Int64Value(0))
	})
}
