package xvendor_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arcp-go/arcp/envelope"
	"github.com/arcp-go/arcp/xvendor"
)

// One message in the form of each public library that has vendor fields; the Java library's are out of reach of the top-level
// fields, inside the payload.
const (
	wireCSharp = `{"arcp":"1.1","id":"msg_01JV","type":"job.submit","session_id":"sess_1","trace_id":"4bf92f3577b34da6a3ce929d0e0e4736","span_id":"00f067aa0ba902b7","timestamp":"2026-05-13T19:42:13.1234567+00:00","payload":{"agent":"echo"},"x-vendor.acme.priority":"high","x-vendor.opentelemetry.tracecontext":{"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}}`
	wireGo     = `{"arcp":"1.1","id":"01975f3e-7b1a-7c3d-9c1f-0a1b2c3d4e5f","type":"job.submit","session_id":"sess_1","payload":{"agent":"echo"},"extensions":{"x-vendor.acme.priority":"high","x-vendor.opentelemetry.tracecontext":{"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}}}`
	wireTS     = `{"arcp":"1.1","id":"msg_01JV","type":"job.submit","session_id":"sess_1","payload":{"big":90071992547409931,"one":1.0},"extensions":{"optional":true,"x-vendor.acme.priority":"high","x-vendor.opentelemetry.tracecontext":{"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}},"trace_id":"4bf92f3577b34da6a3ce929d0e0e4736"}`
	wireJava   = `{"arcp":"1.1","id":"m_1","type":"job.submit","session_id":"sess_1","payload":{"agent":"echo","extensions":{"x-vendor.opentelemetry.tracecontext":{"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}}}}`
	wireRuby   = `{"arcp":"1.1","id":"m_1","type":"job.submit","session_id":"sess_1","payload":{"agent":"echo"}}`
)

type tracecontext struct {
	Traceparent string `json:"traceparent"`
}

// Every wire form is carried byte for byte, its vendor fields are found where the library puts them, and a change leaves exactly
// one value, in the place asked for.
func TestWireForms(t *testing.T) {
	priority := xvendor.MustKey[string](name)
	trace := xvendor.MustKey[tracecontext]("x-vendor.opentelemetry.tracecontext")
	const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	for _, test := range []struct {
		library, message string
		found            bool
		other            []string // top-level fields that are neither core fields nor a vendor's
		top, nested      string   // after setting the priority to "low": what replaces what
		deleted          string
	}{
		{
			library: "C#", message: wireCSharp, found: true, other: []string{"span_id", "timestamp"},
			top:     strings.Replace(wireCSharp, `"high"`, `"low"`, 1),
			nested:  strings.TrimSuffix(strings.Replace(wireCSharp, `,"x-vendor.acme.priority":"high"`, ``, 1), "}") + `,"extensions":{"x-vendor.acme.priority":"low"}}`,
			deleted: strings.Replace(wireCSharp, `,"x-vendor.acme.priority":"high"`, ``, 1),
		},
		{
			library: "Go", message: wireGo, found: true, other: []string{"extensions"},
			top:     strings.Replace(strings.TrimSuffix(wireGo, "}"), `"x-vendor.acme.priority":"high",`, ``, 1) + `,"x-vendor.acme.priority":"low"}`,
			nested:  strings.Replace(wireGo, `"high"`, `"low"`, 1),
			deleted: strings.Replace(wireGo, `"x-vendor.acme.priority":"high",`, ``, 1),
		},
		{
			library: "TypeScript", message: wireTS, found: true, other: []string{"extensions"},
			top:     strings.Replace(strings.TrimSuffix(wireTS, "}"), `,"x-vendor.acme.priority":"high"`, ``, 1) + `,"x-vendor.acme.priority":"low"}`,
			nested:  strings.Replace(wireTS, `"high"`, `"low"`, 1),
			deleted: strings.Replace(wireTS, `,"x-vendor.acme.priority":"high"`, ``, 1),
		},
		{
			library: "Java", message: wireJava,
			top:     strings.TrimSuffix(wireJava, "}") + `,"x-vendor.acme.priority":"low"}`,
			nested:  strings.TrimSuffix(wireJava, "}") + `,"extensions":{"x-vendor.acme.priority":"low"}}`,
			deleted: wireJava,
		},
		{
			library: "Ruby", message: wireRuby,
			top:     strings.TrimSuffix(wireRuby, "}") + `,"x-vendor.acme.priority":"low"}`,
			nested:  strings.TrimSuffix(wireRuby, "}") + `,"extensions":{"x-vendor.acme.priority":"low"}}`,
			deleted: wireRuby,
		},
	} {
		t.Run(test.library, func(t *testing.T) {
			decode := func() *envelope.Envelope {
				t.Helper()
				e, err := envelope.Decode([]byte(test.message))
				if err != nil {
					t.Fatal(err)
				}
				return e
			}
			encodes := func(call string, e *envelope.Envelope, want string) {
				t.Helper()
				got, err := e.AppendJSON(nil)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, string(got)); diff != "" {
					t.Errorf("%s: message differs (-want +got):\n%s", call, diff)
				}
			}

			e := decode()
			encodes("untouched", e, test.message)
			for _, name := range test.other {
				if !e.Extension(name).Exists() {
					t.Errorf("the field %s is lost", name)
				}
			}
			value, ok, err := priority.Get(e.Extensions)
			if want := map[bool]string{true: "high"}[test.found]; value != want || ok != test.found || err != nil {
				t.Errorf("the priority is %q, %v, %v", value, ok, err)
			}
			context, ok, err := trace.Get(e.Extensions)
			if want := map[bool]string{true: parent}[test.found]; context.Traceparent != want || ok != test.found || err != nil {
				t.Errorf("the trace context is %q, %v, %v", context, ok, err)
			}
			if raw, ok := xvendor.Lookup(e.Extensions, name); ok != test.found || ok && string(raw) != `"high"` {
				t.Errorf("Lookup gave %s, %v", raw, ok)
			}

			if err := priority.Set(&e.Extensions, "low"); err != nil {
				t.Fatal(err)
			}
			encodes("Set", e, test.top)
			e = decode()
			if err := priority.SetIn(&e.Extensions, xvendor.Nested, "low"); err != nil {
				t.Fatal(err)
			}
			encodes("SetIn Nested", e, test.nested)
			e = decode()
			priority.Delete(&e.Extensions)
			encodes("Delete", e, test.deleted)
		})
	}
}

// Setting a field and setting it back, or deleting it again, gives the first bytes.
func TestUndo(t *testing.T) {
	for _, message := range []string{wireCSharp, wireGo, wireTS, wireJava, wireRuby} {
		e, err := envelope.Decode([]byte(message))
		if err != nil {
			t.Fatal(err)
		}
		before := e.Extensions
		other := xvendor.MustKey[json.RawMessage]("x-vendor.acme.other")
		if err := other.Set(&e.Extensions, json.RawMessage("1")); err != nil {
			t.Fatal(err)
		}
		other.Delete(&e.Extensions)
		if got, err := e.AppendJSON(nil); err != nil || string(got) != message {
			t.Errorf("after Set and Delete the message is %s, %v, want %s", got, err, message)
		}
		key.Delete(&e.Extensions)
		e.Extensions = before
		if got, err := e.AppendJSON(nil); err != nil || string(got) != message {
			t.Errorf("with its first map again the message is %s, %v, want %s", got, err, message)
		}
	}
}

// A message with the name in both places is read at top level, and Validate on the envelope reports it.
func TestBothPlacesAreReported(t *testing.T) {
	e, err := envelope.Decode([]byte(strings.TrimSuffix(wireGo, "}") + `,"x-vendor.acme.priority":"low"}`))
	if err != nil {
		t.Fatal(err)
	}
	if value, _, _ := xvendor.MustKey[string](name).Get(e.Extensions); value != "low" {
		t.Errorf("read %q, want the value at top level", value)
	}
	if err := e.Validate(); err == nil || !strings.Contains(err.Error(), name) {
		t.Errorf("Validate gave %v, want a problem with %s", err, name)
	}
}
