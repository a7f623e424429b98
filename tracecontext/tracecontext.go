// Package tracecontext carries W3C Trace Context inside ARCP messages, so that a trace started in one process continues in the
// next one, whichever ARCP library runs there.
//
// The context is the vendor field [Key], whose value is an object:
//
//	"x-vendor.opentelemetry.tracecontext": {"traceparent": "00-4bf9…-00f0…-01", "tracestate": "acme=1"}
//
// Libraries differ in where they put it, see [Place]. Reading looks in all three places; writing leaves exactly one value, so
// that no two readers see two traces. Other fields of the value, such as baggage, survive every edit.
//
// [Extract] and [Inject] are for programs that handle the two texts themselves. [Carrier] connects OpenTelemetry's propagators:
//
//	ctx = propagation.TraceContext{}.Extract(ctx, tracecontext.Carrier(env))
//	propagation.TraceContext{}.Inject(ctx, tracecontext.Carrier(env))
//
// A traceparent is checked as W3C Trace Context asks: lowercase hex digits; ids that are not all zero; version 00 with nothing
// after the flags, a higher one read by its first four parts, ff refused. A tracestate is carried as it is, however long.
package tracecontext

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/arcp-go/arcp/envelope"
	"github.com/arcp-go/arcp/internal/scan"
	"github.com/arcp-go/arcp/internal/traceparent"
	"github.com/arcp-go/arcp/xvendor"
)

// Key is the vendor field that holds a trace context.
const Key = "x-vendor.opentelemetry.tracecontext"

// The two fields of the value that W3C Trace Context defines.
const (
	parentField = "traceparent"
	stateField  = "tracestate"
)

// ErrMalformed is what Inject's errors about the trace context itself wrap.
var ErrMalformed = errors.New("tracecontext: malformed")

// TraceContext is the state of a trace where one process hands over to the next.
type TraceContext struct {
	Traceparent string // version, trace id, parent id and flags: "00-" 32 digits "-" 16 digits "-" 2 digits
	Tracestate  string // what tracing systems add, "vendor=value" joined by commas; empty when there is none; never judged here
}

// Extract gives the trace context of a message: the first one of the places, in the order of [Place], that is an object with a
// well-formed traceparent. One that is malformed is passed over; two in one place, or a field of one twice, count as malformed.
// Where there is none, or env is nil, the result is false.
//
// The names traceparent and tracestate are matched without regard to case, the exact one first. A tracestate that is absent or
// not a string is empty; any other is given as it came.
func Extract(env *envelope.Envelope) (TraceContext, bool) {
	v, _, ok := locate(env)
	if !ok || !v.valid() {
		return TraceContext{}, false
	}
	parent, _ := v.get(parentField)
	state, _ := v.get(stateField)
	return TraceContext{Traceparent: parent, Tracestate: state}, true
}

// Inject writes a trace context into a place of a message, and takes it out of the other places, from those inside the payload
// too, where all the rest keeps its bytes. Unknown fields of the value that Extract would read move along; its tracestate does
// not: an empty one in tc means none. TraceID of the message stays as it is.
//
// Neither the map env.Extensions nor any raw value is written into; both are replaced by changed copies. A payload, or an
// object extensions in it, is made where the place needs one and there is none.
//
// On an error env is as it was: the traceparent is malformed, or the tracestate is not UTF-8, which match [ErrMalformed]; the
// place is not one of the three; what should hold the value is not an object, or is in the payload twice; env is nil.
func Inject(env *envelope.Envelope, tc TraceContext, place Place) error {
	if env == nil {
		return errors.New("tracecontext: the envelope is nil")
	}
	if _, reason := traceparent.Parse(tc.Traceparent); reason != "" {
		return fmt.Errorf("%w: traceparent: %s", ErrMalformed, reason)
	}
	if !utf8.ValidString(tc.Traceparent) || !utf8.ValidString(tc.Tracestate) {
		return fmt.Errorf("%w: not valid UTF-8", ErrMalformed)
	}
	v, _, ok := locate(env)
	if !ok {
		v = empty
	}
	v = v.with(parentField, scan.AppendQuoted(nil, tc.Traceparent))
	if tc.Tracestate == "" {
		v = v.with(stateField, nil)
	} else {
		v = v.with(stateField, scan.AppendQuoted(nil, tc.Tracestate))
	}
	return store(env, place, v.text)
}

// TraceID gives the 32 hex digits of the trace that a message belongs to: those of the traceparent that Extract finds, or else
// of the core field trace_id, which is a trace id or a whole traceparent. Where the two disagree the traceparent wins. The
// result is empty when there is no well-formed one, or env is nil.
func TraceID(env *envelope.Envelope) string {
	if env == nil {
		return ""
	}
	if tc, ok := Extract(env); ok {
		parts, _ := traceparent.Parse(tc.Traceparent)
		return parts.TraceID
	}
	if traceparent.IsTraceID(env.TraceID) {
		return env.TraceID
	}
	parts, _ := traceparent.Parse(env.TraceID)
	return parts.TraceID
}

// locate gives the value that reading and editing are about, and its place: the first with a well-formed traceparent, or else
// the first that is an object.
func locate(env *envelope.Envelope) (found value, place Place, ok bool) {
	if env == nil {
		return value{}, TopLevel, false
	}
	for p := TopLevel; p <= PayloadExtensions; p++ {
		raw, there := read(env, p)
		if !there {
			continue
		}
		v, object := parse(raw)
		if !object {
			continue
		}
		if v.valid() {
			return v, p, true
		}
		if !ok {
			found, place, ok = v, p, true
		}
	}
	return found, place, ok
}

var key = xvendor.MustKey[json.RawMessage](Key)
