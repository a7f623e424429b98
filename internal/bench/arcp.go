package bench

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/arcp-go/arcp/envelope"
)

// arcp is this module's codec as a proxy uses it: it owns the message that
// it read, and encodes into a buffer that it uses again.
func arcp() Codec {
	added, changed := []byte(AddedValue), json.RawMessage(ChangedValue)
	return Codec{
		Name:  "arcp",
		About: "this module: Decode takes the message over, a field is added on the wire by AppendSet, results go into a buffer that is used again",
		Forward: func(dst, data []byte) ([]byte, error) {
			e, err := envelope.Decode(data)
			if err != nil {
				return nil, err
			}
			return e.AppendJSON(dst[:0])
		},
		Change: func(dst, data []byte) ([]byte, error) {
			e, err := envelope.Decode(data)
			if err != nil {
				return nil, err
			}
			if err := e.SetExtension(ExistingField, changed); err != nil {
				return nil, err
			}
			return e.AppendJSON(dst[:0])
		},
		Peek: func(data []byte) (Route, error) {
			h, err := envelope.Peek(data)
			return routeOf(h.Type, h.SessionID, h.JobID, h.EventSeq), err
		},
		Add: func(dst, data []byte) ([]byte, error) {
			return envelope.AppendSet(dst[:0], data, AddedField, added)
		},
		Route: func(dst, data []byte) ([]byte, error) {
			h, err := envelope.Peek(data)
			if err != nil || routeOf(h.Type, h.SessionID, h.JobID, h.EventSeq) == 0 {
				return append(dst[:0], data...), err
			}
			return envelope.AppendSet(dst[:0], data, AddedField, added)
		},
		Read: func(data []byte) (string, error) {
			e, err := envelope.Decode(data)
			if err != nil {
				return "", err
			}
			return e.Extension(ExistingField).String(), nil
		},
		Stream: func(dst *bytes.Buffer, lines []byte) error {
			r, w := envelope.NewReader(bytes.NewReader(lines)), envelope.NewWriter(dst)
			for {
				e, err := r.Read()
				if err == io.EOF {
					return nil
				}
				if err != nil {
					return err
				}
				if err := w.Write(e); err != nil {
					return err
				}
			}
		},
	}
}

// arcpCopy is this module's codec under the terms of encoding/json: the
// message is copied on the way in, since its buffer is the caller's, and
// every result is new memory. Edits go through the Envelope.
func arcpCopy() Codec {
	set := func(data []byte, field, value string) ([]byte, error) {
		var e envelope.Envelope
		if err := e.UnmarshalJSON(data); err != nil {
			return nil, err
		}
		if err := e.SetExtension(field, json.RawMessage(value)); err != nil {
			return nil, err
		}
		return e.AppendJSON(nil)
	}
	return Codec{
		Name:  "arcp-copy",
		About: "this module as encoding/json is used: UnmarshalJSON copies the message, SetExtension edits it, AppendJSON makes new bytes",
		Forward: func(_, data []byte) ([]byte, error) {
			var e envelope.Envelope
			if err := e.UnmarshalJSON(data); err != nil {
				return nil, err
			}
			return e.AppendJSON(nil)
		},
		Change: func(_, data []byte) ([]byte, error) { return set(data, ExistingField, ChangedValue) },
		Add:    func(_, data []byte) ([]byte, error) { return set(data, AddedField, AddedValue) },
		Route: func(_, data []byte) ([]byte, error) {
			var e envelope.Envelope
			if err := e.UnmarshalJSON(data); err != nil {
				return nil, err
			}
			var seq uint64
			if e.EventSeq != nil {
				seq = *e.EventSeq
			}
			if routeOf(e.Type, e.SessionID, e.JobID, seq) != 0 {
				if err := e.SetExtension(AddedField, json.RawMessage(AddedValue)); err != nil {
					return nil, err
				}
			}
			return e.AppendJSON(nil)
		},
	}
}
