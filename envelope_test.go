// Package arcp_test checks the module as a whole, through its public API only, on sessions recorded from real programs.
package arcp_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/arcp-go/arcp/envelope"
	"github.com/arcp-go/arcp/event"
	"github.com/arcp-go/arcp/tracecontext"
	"github.com/arcp-go/arcp/xvendor"
)

// sessions gives every recorded session, by the name of its file.
func sessions(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("testdata/recordings/*.ndjson")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	all := map[string][]byte{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(file)] = data
	}
	return all
}

// eachMessage runs a test on every recorded message.
func eachMessage(t *testing.T, run func(t *testing.T, message []byte)) {
	for name, session := range sessions(t) {
		t.Run(name, func(t *testing.T) {
			count := 0
			for line := range bytes.Lines(session) {
				run(t, bytes.TrimSuffix(line, []byte("\n")))
				count++
			}
			if count == 0 {
				t.Error("the session is empty")
			}
		})
	}
}

func mustDecode(t testing.TB, message []byte) *envelope.Envelope {
	t.Helper()
	e, err := envelope.Decode(bytes.Clone(message))
	if err != nil {
		t.Fatalf("%v\nin %s", err, message)
	}
	return e
}

func mustEncode(t testing.TB, e *envelope.Envelope) []byte {
	t.Helper()
	out, err := e.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestMessagesComeBackByteForByte(t *testing.T) {
	eachMessage(t, func(t *testing.T, message []byte) {
		e := mustDecode(t, message)
		if out := mustEncode(t, e); !bytes.Equal(out, message) {
			t.Errorf("Decode and AppendJSON:\n got %s\nwant %s", out, message)
		}
		var u envelope.Envelope
		if err := u.UnmarshalJSON(message); err != nil {
			t.Fatal(err)
		}
		if out := mustEncode(t, &u); !bytes.Equal(out, message) || !u.Equal(*e) {
			t.Errorf("UnmarshalJSON and AppendJSON:\n got %s\nwant %s", out, message)
		}
		if err := e.Validate(); err != nil {
			t.Errorf("a real message is not valid: %v", err)
		}
	})
}

func TestStreamsComeBackByteForByte(t *testing.T) {
	for name, session := range sessions(t) {
		var out bytes.Buffer
		r, w := envelope.NewReader(bytes.NewReader(session)), envelope.NewWriter(&out)
		for {
			e, err := r.Read()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if err := w.Write(e); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if !bytes.Equal(out.Bytes(), session) {
			t.Errorf("%s comes back changed", name)
		}
	}
}

// TestEncodingJSONAgrees: encoding/json finds the same fields in what it marshals as in the message itself.
func TestEncodingJSONAgrees(t *testing.T) {
	eachMessage(t, func(t *testing.T, message []byte) {
		var e envelope.Envelope
		if err := json.Unmarshal(message, &e); err != nil {
			t.Fatal(err)
		}
		out, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(anyOf(t, out), anyOf(t, message)) {
			t.Errorf("json.Marshal gives %s\nfor %s", out, message)
		}
		again := mustDecode(t, out)
		if again.ID != e.ID || again.Type != e.Type || len(again.Extensions) != len(e.Extensions) {
			t.Errorf("decoded again: %v", again)
		}
	})
}

func anyOf(t testing.TB, text []byte) any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestPeekAgreesWithDecode is what a router relies on that only peeks.
func TestPeekAgreesWithDecode(t *testing.T) {
	eachMessage(t, func(t *testing.T, message []byte) {
		e := mustDecode(t, message)
		h, err := envelope.Peek(message)
		if err != nil {
			t.Fatal(err)
		}
		if string(h.ARCP) != e.ARCP || string(h.ID) != e.ID || string(h.Type) != e.Type || string(h.SessionID) != e.SessionID ||
			string(h.TraceID) != e.TraceID || string(h.JobID) != e.JobID || !bytes.Equal(h.Payload, e.Payload) ||
			h.HasEventSeq != (e.EventSeq != nil) || h.HasEventSeq && h.EventSeq != *e.EventSeq {
			t.Errorf("Peek reads %v, Decode %v", h, e)
		}
	})
}

// TestStampAndUnstamp is what a proxy does that adds a field on the way in and takes it out on the way back.
func TestStampAndUnstamp(t *testing.T) {
	const name = "x-vendor.acme.hop"
	hop := xvendor.MustKey[int](name)
	eachMessage(t, func(t *testing.T, message []byte) {
		wire, err := envelope.AppendSet(nil, message, name, []byte(`1`))
		if err != nil {
			t.Fatal(err)
		}
		e := mustDecode(t, message)
		if err := e.SetExtension(name, 1); err != nil {
			t.Fatal(err)
		}
		if out := mustEncode(t, e); !bytes.Equal(out, wire) {
			t.Errorf("SetExtension:\n got %s\nwant %s", out, wire)
		}
		typed := mustDecode(t, message)
		if err := hop.Set(&typed.Extensions, 1); err != nil {
			t.Fatal(err)
		}
		if out := mustEncode(t, typed); !bytes.Equal(out, wire) {
			t.Errorf("Key.Set:\n got %s\nwant %s", out, wire)
		}
		if n, ok, err := hop.Get(mustDecode(t, wire).Extensions); n != 1 || !ok || err != nil {
			t.Errorf("Key.Get: %v, %v, %v", n, ok, err)
		}
		back, err := envelope.AppendDelete(nil, wire, name)
		if err != nil || !bytes.Equal(back, message) {
			t.Errorf("AppendDelete:\n got %s, %v\nwant %s", back, err, message)
		}
		e.DeleteExtension(name)
		if out := mustEncode(t, e); !bytes.Equal(out, message) {
			t.Errorf("DeleteExtension:\n got %s\nwant %s", out, message)
		}
	})
}

// TestEventsComeBackByteForByte takes the payload of every recorded job.event apart and puts it together.
func TestEventsComeBackByteForByte(t *testing.T) {
	events := 0
	for _, session := range sessions(t) {
		for line := range bytes.Lines(session) {
			e := mustDecode(t, bytes.TrimSuffix(line, []byte("\n")))
			if e.Type != "job.event" {
				continue
			}
			events++
			ev, err := event.FromEnvelope(e)
			if err != nil {
				t.Fatal(err)
			}
			out, err := ev.AppendJSON(nil)
			if err != nil || !bytes.Equal(out, e.Payload) {
				t.Errorf("got %s, %v\nwant %s", out, err, e.Payload)
			}
		}
	}
	if events == 0 {
		t.Error("no session has an event")
	}
}

// TestTraceContextIsFound counts the recorded messages that carry one, and takes one out of each where it is.
func TestTraceContextIsFound(t *testing.T) {
	found := 0
	for _, session := range sessions(t) {
		for line := range bytes.Lines(session) {
			message := bytes.TrimSuffix(line, []byte("\n"))
			e := mustDecode(t, message)
			parent := bytes.Contains(message, []byte(`"`+tracecontext.Key+`"`))
			if _, ok := tracecontext.Extract(e); ok != parent {
				t.Errorf("Extract says %v of %s", ok, message)
			} else if ok {
				found++
			}
		}
	}
	if found == 0 {
		t.Error("no session has a trace context")
	}
}
