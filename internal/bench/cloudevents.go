package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cloudevents/sdk-go/v2/event"
)

// eventNames are the envelope's fields as CloudEvents has them: its own
// attributes where there is one with that meaning, extensions where not.
var eventNames = map[string]string{
	"arcp":       "arcp",
	"id":         "id",
	"type":       "type",
	"session_id": "source",
	"trace_id":   "traceid",
	"job_id":     "subject",
	"event_seq":  "eventseq",
	"payload":    "data",
}

// eventName gives a field its CloudEvents name: letters and digits only.
func eventName(field string) string {
	if name, ok := eventNames[field]; ok {
		return name
	}
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, field)
}

// toEvent rewrites an envelope as a CloudEvent. An extension there is a
// string, a number or a boolean, so that an object becomes its JSON text in
// a string. Order and the text of the payload stay.
func toEvent(frame []byte) ([]byte, error) {
	members, err := Members(frame)
	if err != nil {
		return nil, err
	}
	out := []byte(`{"specversion":"1.0","datacontenttype":"application/json"`)
	source := false
	for _, m := range members {
		value := m.Value
		if m.Name != "payload" && (value[0] == '{' || value[0] == '[') {
			if value, err = json.Marshal(string(value)); err != nil {
				return nil, err
			}
		}
		name := eventName(m.Name)
		source = source || name == "source"
		out = fmt.Appendf(out, ",%q:%s", name, value)
	}
	if !source {
		out = append(out, `,"source":"none"`...)
	}
	return append(out, '}'), nil
}

func cloudEvents() Codec {
	existing, added := eventName(ExistingField), eventName(AddedField)
	decode := func(data []byte) (*event.Event, error) {
		e := new(event.Event)
		return e, e.UnmarshalJSON(data)
	}
	with := func(data []byte, name, value string) ([]byte, error) {
		e, err := decode(data)
		if err != nil {
			return nil, err
		}
		e.SetExtension(name, value)
		return e.MarshalJSON()
	}
	route := func(e *event.Event) Route {
		seq, _ := e.Extensions()["eventseq"].(int32)
		return routeOf(e.Type(), e.Source(), e.Subject(), uint64(seq))
	}
	return Codec{
		Name:  "cloudevents",
		About: "cloudevents/sdk-go/v2/event, names and values fitted to its rules",
		Adapt: toEvent,
		Loses: []Loss{LosesOrder},
		Forward: func(_, data []byte) ([]byte, error) {
			e, err := decode(data)
			if err != nil {
				return nil, err
			}
			return e.MarshalJSON()
		},
		Change: func(_, data []byte) ([]byte, error) { return with(data, existing, strings.Trim(ChangedValue, `"`)) },
		Add:    func(_, data []byte) ([]byte, error) { return with(data, added, AddedValue) },
		Peek: func(data []byte) (Route, error) {
			e, err := decode(data)
			if err != nil {
				return 0, err
			}
			return route(e), nil
		},
		Route: func(_, data []byte) ([]byte, error) {
			e, err := decode(data)
			if err != nil {
				return nil, err
			}
			if route(e) != 0 {
				e.SetExtension(added, AddedValue)
			}
			return e.MarshalJSON()
		},
		Read: func(data []byte) (string, error) {
			e, err := decode(data)
			if err != nil {
				return "", err
			}
			s, ok := e.Extensions()[existing].(string)
			if !ok {
				return "", errNoField
			}
			return s, nil
		},
		Stream: func(dst *bytes.Buffer, lines []byte) error {
			for line := range bytes.Lines(lines) {
				e, err := decode(line)
				if err != nil {
					return err
				}
				out, err := e.MarshalJSON()
				if err != nil {
					return err
				}
				dst.Write(out)
				dst.WriteByte('\n')
			}
			return nil
		},
	}
}
