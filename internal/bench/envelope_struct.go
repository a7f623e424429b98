package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
)

// fields is the envelope as a plain struct: what a program without this
// module declares. An extension has no place in it.
type fields struct {
	ARCP      string          `json:"arcp,omitempty"`
	ID        string          `json:"id,omitempty"`
	Type      string          `json:"type,omitempty"`
	SessionID string          `json:"session_id,omitempty"`
	TraceID   string          `json:"trace_id,omitempty"`
	JobID     string          `json:"job_id,omitempty"`
	EventSeq  *uint64         `json:"event_seq,omitempty"`
	Payload   json.RawMessage `json:"payload,omitempty"`
}

// routeFields is the part that a router reads.
type routeFields struct {
	Type      string `json:"type"`
	SessionID string `json:"session_id"`
	JobID     string `json:"job_id"`
	EventSeq  uint64 `json:"event_seq"`
}

// overlay is the struct with a map beside it, filled by decoding twice: the
// usual way to keep unknown fields with a library that cannot.
type overlay struct {
	fields
	Extensions map[string]json.RawMessage
}

// library is the pair of functions by which these codecs differ.
type library struct {
	unmarshal func([]byte, any) error
	marshal   func(any) ([]byte, error)
	// stream passes every value of r on to w through newValue.
	stream func(w *bytes.Buffer, lines []byte, forward forwarder) error
}

// forwarder decodes one value with decode and encodes it with encode.
type forwarder func(decode, encode func(any) error) error

var errNoField = errors.New("bench: the field is missing or no string")

var coreNames = [...]string{"arcp", "id", "type", "session_id", "trace_id", "job_id", "event_seq", "payload"}

func (l library) decodeOverlay(data []byte) (*overlay, error) {
	o := new(overlay)
	if err := l.unmarshal(data, &o.fields); err != nil {
		return nil, err
	}
	if err := l.unmarshal(data, &o.Extensions); err != nil {
		return nil, err
	}
	for _, name := range coreNames {
		delete(o.Extensions, name)
	}
	return o, nil
}

// encodeOverlay writes the struct's fields and the map's as one object, by
// way of one map of raw values.
func (l library) encodeOverlay(o *overlay) ([]byte, error) {
	core, err := l.marshal(&o.fields)
	if err != nil || len(o.Extensions) == 0 {
		return core, err
	}
	all := make(map[string]json.RawMessage, len(coreNames)+len(o.Extensions))
	if err := l.unmarshal(core, &all); err != nil {
		return nil, err
	}
	maps.Copy(all, o.Extensions)
	return l.marshal(all)
}

// structCodec decodes into fields, and loses what is not there.
func (l library) structCodec(name, about string, loses ...Loss) Codec {
	return Codec{
		Name: name, About: about, Loses: loses,
		Forward: func(_, data []byte) ([]byte, error) {
			var f fields
			if err := l.unmarshal(data, &f); err != nil {
				return nil, err
			}
			return l.marshal(&f)
		},
		Peek: func(data []byte) (Route, error) {
			var f routeFields
			err := l.unmarshal(data, &f)
			return routeOf(f.Type, f.SessionID, f.JobID, f.EventSeq), err
		},
		Stream: func(dst *bytes.Buffer, lines []byte) error {
			return l.stream(dst, lines, func(decode, encode func(any) error) error {
				var f fields
				if err := decode(&f); err != nil {
					return err
				}
				return encode(&f)
			})
		},
	}
}

// mapCodec decodes into overlay.
func (l library) mapCodec(name, about string, loses ...Loss) Codec {
	with := func(data []byte, field, value string) ([]byte, error) {
		o, err := l.decodeOverlay(data)
		if err != nil {
			return nil, err
		}
		o.Extensions[field] = json.RawMessage(value)
		return l.encodeOverlay(o)
	}
	return Codec{
		Name: name, About: about, Loses: loses,
		Forward: func(_, data []byte) ([]byte, error) {
			o, err := l.decodeOverlay(data)
			if err != nil {
				return nil, err
			}
			return l.encodeOverlay(o)
		},
		Change: func(_, data []byte) ([]byte, error) { return with(data, ExistingField, ChangedValue) },
		Add:    func(_, data []byte) ([]byte, error) { return with(data, AddedField, AddedValue) },
		Route: func(_, data []byte) ([]byte, error) {
			o, err := l.decodeOverlay(data)
			if err != nil {
				return nil, err
			}
			if o.route() != 0 {
				o.Extensions[AddedField] = json.RawMessage(AddedValue)
			}
			return l.encodeOverlay(o)
		},
		Read: func(data []byte) (string, error) {
			o, err := l.decodeOverlay(data)
			if err != nil {
				return "", err
			}
			var s string
			err = l.unmarshal(o.Extensions[ExistingField], &s)
			return s, err
		},
		Stream: func(dst *bytes.Buffer, lines []byte) error {
			return l.stream(dst, lines, func(decode, encode func(any) error) error {
				var raw json.RawMessage
				if err := decode(&raw); err != nil {
					return err
				}
				o, err := l.decodeOverlay(raw)
				if err != nil {
					return err
				}
				out, err := l.encodeOverlay(o)
				if err != nil {
					return err
				}
				return encode(json.RawMessage(out))
			})
		},
	}
}

func (f *fields) route() Route {
	var seq uint64
	if f.EventSeq != nil {
		seq = *f.EventSeq
	}
	return routeOf(f.Type, f.SessionID, f.JobID, seq)
}
