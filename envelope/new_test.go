package envelope_test

import (
	"encoding/json"
	"errors"
	"regexp"
	"testing"

	"github.com/arcp-go/arcp/envelope"
)

func TestNew(t *testing.T) {
	rows := []struct {
		rule    string
		payload any
		want    json.RawMessage
	}{
		{"nil is absent", nil, nil},
		{"a nil json.RawMessage is absent", json.RawMessage(nil), nil},
		{"a json.RawMessage, verbatim and trimmed", raw(" {\"a\" : 1.0}\n"), raw(`{"a" : 1.0}`)},
		{"null on request", raw(`null`), raw(`null`)},
		{"a nil pointer is null", (*priced)(nil), raw(`null`)},
		{"a map, without HTML escaping", map[string]any{"b": "<", "a": 1}, raw(`{"a":1,"b":"<"}`)},
	}
	id := regexp.MustCompile(`^msg_[A-Z2-7]{26}$`)
	seen := map[string]bool{}
	for _, row := range rows {
		e, err := envelope.New("job.submit", row.payload)
		if err != nil {
			t.Fatalf("%s: %v", row.rule, err)
		}
		if !id.MatchString(e.ID) || seen[e.ID] {
			t.Errorf("%s: id %q", row.rule, e.ID)
		}
		seen[e.ID] = true
		want := envelope.Envelope{ARCP: envelope.Version, ID: e.ID, Type: "job.submit", Payload: row.want}
		if !e.Equal(want) {
			t.Errorf("%s: %v", row.rule, fieldsOf(e))
		}
		text := `{"arcp":"1.1","id":"` + e.ID + `","type":"job.submit"`
		if row.want != nil {
			text += `,"payload":` + string(row.want)
		}
		if got := encode(t, e); got != text+`}` {
			t.Errorf("%s: %s", row.rule, got)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for _, payload := range []json.RawMessage{{}, raw(` `), raw(`{`), raw(`1 2`)} {
		e, err := envelope.New("t", payload)
		if f := fault(t, err); e != nil || f.Field != "payload" || !errors.Is(err, envelope.ErrSyntax) {
			t.Errorf("%q: %v, %v", payload, e, err)
		}
	}
	_, err := envelope.New("t", make(chan int))
	if _, ok := errors.AsType[*json.UnsupportedTypeError](err); !ok {
		t.Errorf("got %v, want the cause of encoding/json", err)
	}
}

func TestClone(t *testing.T) {
	if (*envelope.Envelope)(nil).Clone() != nil {
		t.Error("the clone of nil is not nil")
	}
	if c := new(envelope.Envelope).Clone(); !c.Equal(envelope.Envelope{}) || c.Extensions != nil || c.EventSeq != nil {
		t.Errorf("the clone of nothing is %v", c)
	}
	e := decode(t, spaced)
	c := e.Clone()
	if !c.Equal(*e) || encode(t, c) != spaced {
		t.Errorf("the clone is %v", c)
	}
	*c.EventSeq = 99
	c.Extensions["x"] = raw(`1`)
	delete(c.Extensions, "x-vendor.acme.priority")
	c.ID = "other"
	if encode(t, e) != spaced {
		t.Errorf("a change of the clone has changed the original: %s", encode(t, e))
	}
	if back, err := envelope.Decode([]byte(encode(t, c))); err != nil || !back.Equal(*c) {
		t.Errorf("the clone gives %v, %v", back, err)
	}
}

func TestEqual(t *testing.T) {
	e := *decode(t, plain)
	if !e.Equal(e) || !e.Equal(*e.Clone()) || !(envelope.Envelope{}).Equal(envelope.Envelope{}) {
		t.Error("an Envelope does not equal itself")
	}
	built := envelope.Envelope{ARCP: e.ARCP, ID: e.ID, Type: e.Type, SessionID: e.SessionID, TraceID: e.TraceID, JobID: e.JobID,
		EventSeq: seq(7), Payload: e.Payload, Extensions: e.Extensions}
	if !e.Equal(built) || !built.Equal(e) {
		t.Error("where it came from matters")
	}
	if !(envelope.Envelope{Extensions: map[string]json.RawMessage{}}).Equal(envelope.Envelope{}) {
		t.Error("an empty map is not like nil")
	}
	changes := map[string]func(o *envelope.Envelope){
		"arcp":                   func(o *envelope.Envelope) { o.ARCP += "x" },
		"id":                     func(o *envelope.Envelope) { o.ID += "x" },
		"type":                   func(o *envelope.Envelope) { o.Type += "x" },
		"session_id":             func(o *envelope.Envelope) { o.SessionID += "x" },
		"trace_id":               func(o *envelope.Envelope) { o.TraceID += "x" },
		"job_id":                 func(o *envelope.Envelope) { o.JobID += "x" },
		"event_seq":              func(o *envelope.Envelope) { *o.EventSeq++ },
		"event_seq absent":       func(o *envelope.Envelope) { o.EventSeq = nil },
		"event_seq 0 and absent": func(o *envelope.Envelope) { o.EventSeq = seq(0) },
		"payload":                func(o *envelope.Envelope) { o.Payload = raw(`{}`) },
		"payload's spelling":     func(o *envelope.Envelope) { o.Payload = raw(string(o.Payload[:len(o.Payload)-1]) + " }") },
		"payload absent":         func(o *envelope.Envelope) { o.Payload = nil },
		"payload empty":          func(o *envelope.Envelope) { o.Payload = json.RawMessage{} },
		"one extension more":     set("x", `1`),
		"one extension less":     drop("timestamp"),
		"an extension's value":   set("timestamp", `1`),
		"an extension's name": func(o *envelope.Envelope) {
			drop("timestamp")(o)
			set("Timestamp", string(e.Extensions["timestamp"]))(o)
		},
	}
	for rule, change := range changes {
		o := e.Clone()
		change(o)
		if e.Equal(*o) || o.Equal(e) {
			t.Errorf("%s makes no difference", rule)
		}
	}
	if (envelope.Envelope{Payload: json.RawMessage{}}).Equal(envelope.Envelope{}) {
		t.Error("an empty payload equals an absent one, though only one of them can be encoded")
	}
}
