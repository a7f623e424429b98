package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

var errInvalid = errors.New("bench: not valid JSON")

// gjsonSjson reads by path and writes by path. It checks the message first,
// since the paths themselves take any text for JSON.
func gjsonSjson() Codec {
	// In a path a dot parts names, and here it is part of one.
	existing := strings.ReplaceAll(ExistingField, ".", `\.`)
	added := strings.ReplaceAll(AddedField, ".", `\.`)
	set := func(data []byte, path, value string) ([]byte, error) {
		if !gjson.ValidBytes(data) {
			return nil, errInvalid
		}
		return sjson.SetRawBytes(data, path, []byte(value))
	}
	peek := func(data []byte) (Route, error) {
		if !gjson.ValidBytes(data) {
			return 0, errInvalid
		}
		r := gjson.GetManyBytes(data, "type", "session_id", "job_id", "event_seq")
		return routeOf(r[0].Str, r[1].Str, r[2].Str, r[3].Uint()), nil
	}
	forward := func(dst, data []byte) ([]byte, error) {
		if _, err := gjsonDecode(data); err != nil {
			return nil, err
		}
		return append(dst[:0], data...), nil
	}
	return Codec{
		Name:    "gjson-sjson",
		About:   "tidwall/gjson to check and read, tidwall/sjson to edit; forwarding copies the bytes",
		Forward: forward,
		Change:  func(_, data []byte) ([]byte, error) { return set(data, existing, ChangedValue) },
		Add:     func(_, data []byte) ([]byte, error) { return set(data, added, AddedValue) },
		Peek:    peek,
		Route: func(dst, data []byte) ([]byte, error) {
			r, err := peek(data)
			if err != nil || r == 0 {
				return append(dst[:0], data...), err
			}
			return sjson.SetRawBytes(data, added, []byte(AddedValue))
		},
		Read: func(data []byte) (string, error) {
			if !gjson.ValidBytes(data) {
				return "", errInvalid
			}
			r := gjson.GetBytes(data, existing)
			if r.Type != gjson.String {
				return "", errNoField
			}
			return r.Str, nil
		},
		Stream: func(dst *bytes.Buffer, lines []byte) error {
			for line := range bytes.Lines(lines) {
				if _, err := gjsonDecode(line); err != nil {
					return err
				}
				dst.Write(line)
			}
			return nil
		},
	}
}

// gjsonDecode fills the same fields as the other codecs do.
func gjsonDecode(data []byte) (*overlay, error) {
	if !gjson.ValidBytes(data) {
		return nil, errInvalid
	}
	o := &overlay{Extensions: make(map[string]json.RawMessage)}
	gjson.ParseBytes(data).ForEach(func(name, value gjson.Result) bool {
		switch name.Str {
		case "arcp":
			o.ARCP = value.Str
		case "id":
			o.ID = value.Str
		case "type":
			o.Type = value.Str
		case "session_id":
			o.SessionID = value.Str
		case "trace_id":
			o.TraceID = value.Str
		case "job_id":
			o.JobID = value.Str
		case "event_seq":
			seq := value.Uint()
			o.EventSeq = &seq
		case "payload":
			o.Payload = data[value.Index : value.Index+len(value.Raw)]
		default:
			o.Extensions[name.Str] = data[value.Index : value.Index+len(value.Raw)]
		}
		return true
	})
	return o, nil
}
