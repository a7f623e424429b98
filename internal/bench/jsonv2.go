package bench

import "bytes"

// fieldsV2 is the envelope as encoding/json/v2 lets one declare it: unknown
// fields go into the embedded map and come out of it again.
type fieldsV2 struct {
	ARCP       string              `json:"arcp,omitzero"`
	ID         string              `json:"id,omitzero"`
	Type       string              `json:"type,omitzero"`
	SessionID  string              `json:"session_id,omitzero"`
	TraceID    string              `json:"trace_id,omitzero"`
	JobID      string              `json:"job_id,omitzero"`
	EventSeq   *uint64             `json:"event_seq,omitzero"`
	Payload    rawValue            `json:"payload,omitzero"`
	Extensions map[string]rawValue `json:",embed"`
}

func (f *fieldsV2) route() Route {
	var seq uint64
	if f.EventSeq != nil {
		seq = *f.EventSeq
	}
	return routeOf(f.Type, f.SessionID, f.JobID, seq)
}

func (f *fieldsV2) set(name, value string) {
	if f.Extensions == nil {
		f.Extensions = make(map[string]rawValue)
	}
	f.Extensions[name] = rawValue(value)
}

func jsonV2() Codec {
	with := func(data []byte, edit func(*fieldsV2)) ([]byte, error) {
		var f fieldsV2
		if err := v2Unmarshal(data, &f); err != nil {
			return nil, err
		}
		edit(&f)
		return v2Marshal(&f)
	}
	return Codec{
		Name:  "jsonv2",
		About: "encoding/json/v2, before Go 1.27 its module github.com/go-json-experiment/json: the struct with an embedded map",
		Loses: []Loss{LosesOrder},
		Forward: func(_, data []byte) ([]byte, error) {
			return with(data, func(*fieldsV2) {})
		},
		Change: func(_, data []byte) ([]byte, error) {
			return with(data, func(f *fieldsV2) { f.set(ExistingField, ChangedValue) })
		},
		Add: func(_, data []byte) ([]byte, error) {
			return with(data, func(f *fieldsV2) { f.set(AddedField, AddedValue) })
		},
		Route: func(_, data []byte) ([]byte, error) {
			return with(data, func(f *fieldsV2) {
				if f.route() != 0 {
					f.set(AddedField, AddedValue)
				}
			})
		},
		Peek: func(data []byte) (Route, error) {
			var f routeFields
			err := v2Unmarshal(data, &f)
			return routeOf(f.Type, f.SessionID, f.JobID, f.EventSeq), err
		},
		Read: func(data []byte) (string, error) {
			var f fieldsV2
			if err := v2Unmarshal(data, &f); err != nil {
				return "", err
			}
			var s string
			err := v2Unmarshal(f.Extensions[ExistingField], &s)
			return s, err
		},
		Stream: func(dst *bytes.Buffer, lines []byte) error {
			decode, encode := v2Stream(bytes.NewReader(lines), dst)
			return drain(func(decode, encode func(any) error) error {
				var f fieldsV2
				if err := decode(&f); err != nil {
					return err
				}
				return encode(&f)
			}, decode, encode)
		},
	}
}
